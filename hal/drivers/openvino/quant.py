"""Quantisation whose scale and zero point belong to the type; the rest is decomposed."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _spread(g: Emitter, values: np.ndarray, axis: int, rank: int) -> Ref:
    """One value, or one for each entry of an axis."""
    if values.size == 1:
        return g.constant(values.reshape(()), np.float32)
    return g.constant(values.reshape(-1, *(1,) * (rank - 1 - axis)), np.float32)


@table.lower(quant.quantize)
def quantize(g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int) -> Ref:
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None:
        raise NoLowering("quantize by a scale that is only known while running")
    along = axis_of(axis, input.rank) if scale.constant.size > 1 else 0
    x = g.cast(input, FLOAT32)
    steps = g.pair("Divide", x, _spread(g, scale.constant, along, input.rank))
    steps = g.node("Round", steps, mode="half_to_even")
    symmetric = not zeros.any()
    if not symmetric:
        steps = g.pair("Add", steps, _spread(g, zeros.reshape(-1), along, input.rank))
    low, high = (-127.0, 127.0) if symmetric else (0.0, 255.0)
    made = g.node("Clamp", steps, min=low, max=high)
    return g.cast(made, Precision.INT8 if symmetric else Precision.UINT8)


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    described = input.type.quantization
    if described is None:
        raise NoLowering(f"dequantize of {input.type} without a scale")
    along = (described.axis or 0) % max(input.rank, 1)
    zeros = np.array(described.zero_points, np.int64)
    if zeros.any() and input.dtype.itemsize > 2:
        raise NoLowering(f"openvino: dequantize of {input.type}")
    real = g.cast(input, FLOAT32)
    if zeros.any():
        real = g.pair("Subtract", real, _spread(g, zeros, along, input.rank))
    return g.pair("Multiply", real, _spread(g, np.array(described.scales), along, input.rank))
