"""Sampling at positions, and grids of them."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import ints, length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
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
) -> Ref:
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
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Ref:
    """The base grid is a constant where the size is one."""
    known = ints(size)
    count = length_of(size) - 2
    if known is None:
        spatial = g.part(g.int64(size), 2, count + 2)
        rows = _points(g, spatial, count, align_corners=align_corners)
    else:
        spatial = g.ints(*known[2:])
        base_of = np.zeros((1, count, count + 1))
        base_of[0, :, :count] = np.eye(count)
        base = resize.affine_grid.reference(base_of, np.array(known), align_corners=align_corners)
        points = np.concatenate([base[0], np.ones((*known[2:], 1))], -1).reshape(-1, count + 1)
        rows = g.constant(points.astype(np.float32))
    x = g.cast(theta, FLOAT32)
    made = g.node("MatMul", rows, x, transpose_a=False, transpose_b=True)
    batch = g.part(g.dims(x), 0, 1)
    return g.cast(g.reshape(made, g.concat(batch, spatial, g.ints(count))), theta.precision)


def _points(g: Emitter, spatial: Ref, count: int, *, align_corners: bool) -> Ref:
    """Rows of coordinates, the last axis first, and a one."""
    one, two = g.constant(np.float32(1)), g.constant(np.float32(2))
    columns = [g.node("Broadcast", one, spatial, mode="numpy")]
    for axis in range(count):
        size = g.reshape(g.part(spatial, axis, axis + 1), [])
        line = g.node("Range", g.scalar(0), size, g.scalar(1), output_type="i64")
        twice = g.pair("Multiply", g.cast(line, FLOAT32), two)
        steps, start = g.cast(size, FLOAT32), one
        if align_corners:
            steps = g.pair("Subtract", steps, one)
            start = g.pair("Minimum", steps, one)  # one pixel is its centre
            steps = g.pair("Maximum", steps, one)
        else:
            twice = g.pair("Add", twice, one)
        at = g.pair("Subtract", g.pair("Divide", twice, steps), start)
        shaped = g.reshape(at, [-1, *[1] * (count - 1 - axis)])
        columns.insert(0, g.node("Broadcast", shaped, spatial, mode="bidirectional"))
    return g.concat(*(g.reshape(c, [-1, 1]) for c in columns), axis=1)
