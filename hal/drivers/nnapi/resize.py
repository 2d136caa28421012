"""Resizing of images."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import resize

from ...lowering import Lowerings
from ...resizing import Corners
from .conv import LAST, stored_last
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(resize.resize_linear, implied=["shape", "scales"], how=Corners)
def resize_linear(g: Emitter, input: Value, *, how: Corners) -> Ref:
    if how.rule != "asymmetric":
        raise NoLowering(f"nnapi resizes from the corner 0, not by {how.rule}")
    x, _ = stored_last(g, g.real(input), ((0, 0), (0, 0)))
    shape = tuple(result_shape(g)[a] for a in LAST)
    return g.one(OperationType.RESIZE_BILINEAR, [g.whole(x), *shape[1:3]], shape, LAST)
