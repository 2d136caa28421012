"""Resizing by the kernels where they say the same."""

from __future__ import annotations

from nnir.ops import resize

from ...lowering import Lowerings
from ...resizing import Corners
from . import windows
from .emitter import Emitter, Image, Ref, result_shape
from .static import numbers

table = Lowerings[Ref]()


@table.lower(resize.resize_nearest, implied=["shape", "scales"])
def resize_nearest(g: Emitter, input: Image) -> Ref:
    out = numbers(result_shape(g)[2:])
    pairs = zip(windows.spatial_sizes("resize_nearest", input), out, strict=True)
    is_exact = all(n and m % n == 0 and (m // n).bit_count() == 1 for n, m in pairs)
    g.need(is_exact, "rounds quotients of sizes, which are exact for powers of 2 alone")
    return g.compute("RESIZE_NEAREST_NEIGHBOR", [input], g.ints(*out))


@table.lower(resize.resize_linear, implied=["shape", "scales"], how=Corners)
def resize_linear(g: Emitter, input: Image, *, how: Corners) -> Ref:
    corners, half = how.align_corners, how.rule == "half_pixel"
    sizes = g.ints(*result_shape(g)[2:])
    is_first = not corners or 1 not in result_shape(g)[2:]
    g.need(is_first, "puts a single pixel elsewhere than at the first corner")
    return g.compute(
        "RESIZE_BILINEAR", [input], sizes, align_corners=corners, half_pixel_centers=half
    )
