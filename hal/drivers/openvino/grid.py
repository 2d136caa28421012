"""Sampling at positions, and grids of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from .emitter import Emitter

table = Lowerings()
FLOAT32 = Precision.FLOAT32

PADDINGS = {
    PadMode.CONSTANT: "zeros",
    PadMode.EDGE: "border",
    PadMode.REPLICATE: "border",
    PadMode.REFLECT: "reflection",
}
MODES = {
    InterpolateMode.BILINEAR: "bilinear",
    InterpolateMode.NEAREST: "nearest",
    InterpolateMode.BICUBIC: "bicubic",
}


@table.lower(resize.grid_sample)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Any:
    if not input.is_float:
        raise NoLowering(f"openvino: grid_sample of {input.type}")
    made = g.node(
        "GridSample",
        g.cast(input, FLOAT32),
        g.cast(grid, FLOAT32),
        mode=MODES[mode],
        padding_mode=PADDINGS[pad_mode],
        align_corners=align_corners,
    )
    return g.cast(made, input.precision)


@table.lower(resize.affine_grid)
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Any:
    """The base grid is a constant."""
    known = ints(size)
    if known is None:
        raise NoLowering("openvino: affine_grid of a size that is only known while running")
    spatial = known[2:]
    count = len(spatial)
    base_of = np.zeros((1, count, count + 1))
    base_of[0, :, :count] = np.eye(count)
    base = resize.affine_grid.reference(base_of, np.array(known), align_corners=align_corners)
    points = np.concatenate([base[0], np.ones((*spatial, 1))], -1).reshape(-1, count + 1)
    x = g.cast(theta, FLOAT32)
    rows = g.constant(points.astype(np.float32))
    made = g.node("MatMul", rows, x, transpose_a=False, transpose_b=True)
    return g.cast(
        g.reshape(made, [0, *spatial, count], copy=True) if spatial else made, theta.precision
    )
