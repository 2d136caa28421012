"""Resizing of images with channels last."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import channels_last
from ...resizing import Corners
from .emitter import Emitter, Ref, result_shape
from .index import take_positions

table = Lowerings[Ref]()


@table.lower(resize.resize_nearest, implied=["shape", "scales"])
def resize_nearest(g: Emitter, input: Value, *, align_corners: bool) -> Ref:
    x, out = g.take(input), g.known(result_shape(g))
    for axis in (2, 3):
        size = g.known(input.shape)[axis]
        near = resize.nearest_positions(size, out[axis], align_corners=align_corners)
        x = take_positions(g, x, x.place(axis), near)
    return x


RULES = ("asymmetric", "align_corners", "half_pixel")


@table.lower(resize.resize_linear, implied=["shape", "scales"], how=Corners)
def resize_linear(g: Emitter, input: Value, *, how: Corners) -> Ref:
    n, c, height, width = g.known(result_shape(g))
    if input.precision != Precision.FLOAT32:
        raise NoLowering(f"nnrt resizes FLOAT32, not {input.type}")
    return g.one(
        "RESIZE_BILINEAR",
        [g.ordered(input, channels_last(4))],
        (n, height, width, c),
        channels_last(4),
        newHeight=height,
        newWidth=width,
        preserveAspectRatio=False,
        coordinateTransformMode=RULES.index(how.rule),
        excludeOutside=0,
    )
