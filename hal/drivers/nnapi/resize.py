"""Resizing of images."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.ops import resize

from ...lowering import Lowerings
from ...resizing import Corners
from .conv import LAST
from .emitter import Emitter, Real, Ref, result_shape
from .shape import moves

table = Lowerings[Ref]()
table.lower(resize.resize_nearest, implied=["shape", "scales", "align_corners"])(moves)


@table.lower(resize.resize_linear, implied=["shape", "scales"], how=Corners)
def resize_linear(g: Emitter, input: Real, *, how: Corners) -> Ref:
    if how.rule != "asymmetric":
        raise NoLowering(f"nnapi resizes from the corner 0, not by {how.rule}")
    x = g.ordered(input, LAST)
    return g.one("RESIZE_BILINEAR", [x, *result_shape(g)[2:]], order=LAST)
