"""Sampling at positions, and grids of them."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


@table.lower(resize.grid_sample)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Ref:
    if not input.is_float:
        raise NoLowering(f"openvino: grid_sample of {input.type}")
    return g.node(
        "GridSample",
        g.cast(input, FLOAT32),
        g.cast(grid, FLOAT32),
        mode=mode.name.lower(),
        padding_mode=resize.BORDERS[pad_mode],
        align_corners=align_corners,
    )
