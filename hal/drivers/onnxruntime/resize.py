"""Resizing and sampling.

ONNX Runtime's own kernels serve as far as they follow ONNX: they round lengths with align_corners,
and copy the input when the sizes happen to be equal though the scale is not 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.recipes import open_resampling, resampling
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from ...resizing import Corners, Resizing
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.decompose(resize.resize_nearest, open_resampling.resize_nearest_while_running)
table.decompose(
    resize.resize_linear,
    resampling.resize_linear_by_neighbours,
    resampling.resize_linear_to_sizes,
)
table.decompose(
    resize.resize,
    resampling.resize_by_neighbours,
    open_resampling.resize_while_running,
)


def _wide(g: Emitter, input: Value) -> Ref:
    """The precision to interpolate in."""
    kept = (Precision.FLOAT32, Precision.FLOAT64)
    return g.cast(input, input.precision if input.precision in kept else Precision.FLOAT32)


def _fit(g: Emitter, result: Ref, precision: Precision) -> Ref:
    """Integers are rounded and clamped to what the type holds."""
    if precision.is_integer:
        bounds = np.iinfo(precision.dtype)
        limits = [g.number(b, result) for b in (bounds.min, bounds.max)]
        result = g.node("Clip", g.node("Round", result), *limits)
    return result


@table.lower(resize.resize_linear, how=Corners)
def resize_linear(
    g: Emitter, input: Value, shape: Value | None, scales: Value | None, *, how: Corners
) -> Ref:
    sizes = resize.static_sizes(input, shape, scales)
    if sizes is not None and not _is_native(input, sizes, how.rule):
        raise NoLowering(f"onnxruntime resizes {input.type} to {sizes} inexactly")
    if shape is None or input.precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime interpolates FLOAT64 only where the sizes are known")
    target = g.int64(shape)
    lead = g.node("Shape", input, start=0, end=2)
    some = g.node("Max", target, g.constant(1, np.int64))  # Resize refuses to make nothing
    result = g.node(
        "Resize",
        *(_wide(g, input), None, None, g.concat(lead, some)),
        mode="linear",
        coordinate_transformation_mode=how.rule,
    )
    if sizes is None:
        result = g.node("Slice", result, g.ints(0, 0), target, g.ints(2, 3))
    return _fit(g, result, input.precision)


def _is_native(input: Value, sizes: Sequence[tuple[int, int]], coordinates: str) -> bool:
    whole = all(size and out and out % size == 0 for size, out in sizes)
    return whole and coordinates != "align_corners" and input.precision == Precision.FLOAT32


@table.lower(resize.resize, how=Resizing)
def resize_(g: Emitter, input: Value, sizes: Value | None, *, how: Resizing) -> Ref:
    is_known = ints(sizes) is not None and not any(isinstance(d, Expr) for d in input.shape[2:])
    if sizes is None or is_known or not _follows_onnx(input, how):
        raise NoLowering("onnxruntime's Resize follows ONNX for some sizes at run time only")
    result = g.node(
        "Resize",
        *(_wide(g, input), None, None, g.int64(sizes)),
        axes=[2, 3],
        cubic_coeff_a=how.cubic_coeff_a,
        mode=how.mode,
        coordinate_transformation_mode=how.coordinate_transformation_mode,
    )
    return _fit(g, result, input.precision)


def _follows_onnx(input: Value, how: Resizing) -> bool:
    """Whether ONNX Runtime's kernel does what ONNX says, for sizes at run time."""
    stretches = how.keep_aspect_ratio_policy == "stretch"
    plain = not how.antialias and not how.exclude_outside and stretches
    rules = ("half_pixel", "asymmetric", "align_corners")
    image = input.rank == 4 and how.axes_of(4) == (2, 3) and input.precision != Precision.FLOAT64
    return plain and how.coordinate_transformation_mode in rules and image and not how.is_nearest


@table.lower(resize.grid_sample, resize.grid_sample_3d)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Ref:
    if input.rank == 5 and mode == InterpolateMode.BICUBIC:
        raise NoLowering("onnxruntime has no cubic GridSample of volumes")
    g.require_single("GridSample", grid.precision)
    places = g.take(grid)
    if pad_mode == PadMode.EDGE:  # far outside is at the edge, not where a cast to int32 wraps
        places = g.node("Clip", places, *(g.number(v, grid) for v in (-9.0, 9.0)))
    return g.single(
        "GridSample",
        *(input, places),
        align_corners=align_corners,
        mode=resize.KINDS[mode],
        padding_mode=resize.BORDERS[pad_mode],
    )


@table.lower(resize.affine_grid)
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Ref:
    known = ints(size)
    if align_corners and (known is None or 1 in known[2:]):
        raise NoLowering(
            "onnxruntime's AffineGrid has the corner of a single pixel, not its centre"
        )
    return g.node("AffineGrid", _wide(g, theta), g.int64(size), align_corners=align_corners)
