"""Resizing of images with channels last."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(resize.resize_linear, implied=["shape", "scales"])
def resize_linear(
    g: Emitter,
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int,
) -> Ref:
    n, c, height, width = result_shape(g)
    if input.precision != Precision.FLOAT32 or shape is None or scales is not None:
        raise NoLowering(f"nnrt resizes FLOAT32 to known sizes, not {input.type}")
    if not isinstance(height, int) or not isinstance(width, int):
        raise NoLowering("nnrt resizes to known sizes")
    mode = 1 if align_corners else 0 if align_mode == 1 else 2
    return g.one(
        "RESIZE_BILINEAR",
        [g.ordered(input, channels_last(4))],
        (n, height, width, c),
        channels_last(4),
        newHeight=height,
        newWidth=width,
        preserveAspectRatio=False,
        coordinateTransformMode=mode,
        excludeOutside=0,
    )
