"""Quantisation, by arithmetic on floats that rounds as the standard does."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...lowering import Lowerings
from .binary import clipped
from .emitter import Emitter, Ref
from .unary import Arithmetic

table = Lowerings()
NARROW = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16})


def _along(g: Emitter, values: Value, input: Value, axis: int, block_size: int) -> Ref:
    """Scales or zero points in FLOAT32 that broadcast to the input."""
    if block_size:
        raise NoLowering("litert has no blocks of scales")
    real = g.cast(values, Precision.FLOAT32)
    if values.rank < 2 and all(d == 1 for d in values.shape):
        return g.reshape(real, ())
    after = input.rank - 1 - axis % input.rank
    return g.reshape(real, (values.shape[0], *(1,) * after))


@table.lower(quant.quantize_linear)
def quantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
    saturate: bool,
    precision: Precision | None,
) -> Any:
    single = scale.precision == input.precision == Precision.FLOAT32
    if not single or precision not in (None, Precision.FLOAT32) or dtype not in NARROW:
        raise NoLowering(f"litert quantises no {input.type} by {scale.type} to {dtype.name}")
    f = Arithmetic(g)
    whole = f("ROUND", f("DIV", input_of(g, input), _along(g, scale, input, axis, block_size)))
    if zero_point is not None and (zero_point.constant is None or zero_point.constant.any()):
        whole = f("ADD", whole, _along(g, zero_point, input, axis, block_size))
    low, high = map(float, quant.integer_range(dtype))
    return g.cast(clipped(g, whole, f.of(low), f.of(high)), dtype)


def input_of(g: Emitter, input: Value) -> Ref:
    return g.of(input)


@table.lower(quant.dequantize_linear)
def dequantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> Any:
    exact = input.precision in NARROW or (input.precision == Precision.INT32 and zero_point is None)
    if not exact or dtype == Precision.FLOAT64:
        raise NoLowering(f"litert turns no {input.type} into {dtype.name}")
    f = Arithmetic(g)
    steps = g.cast(input, Precision.FLOAT32)
    if zero_point is not None and (zero_point.constant is None or zero_point.constant.any()):
        steps = f("SUB", steps, _along(g, zero_point, input, axis, block_size))
    return f("MUL", steps, _along(g, scale, input, axis, block_size))


@table.lower(quant.quantize)
def quantize(g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int) -> Any:
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None or input.precision != Precision.FLOAT32:
        raise NoLowering(f"litert quantises FLOAT32 by known scales, not {input.type}")
    f = Arithmetic(g)
    whole = f("ROUND", f("DIV", input_of(g, input), _along(g, scale, input, axis, 0)))
    symmetric = not zeros.any()
    if symmetric:
        return g.cast(clipped(g, whole, f.of(-127), f.of(127)), Precision.INT8)
    whole = f("ADD", whole, float(zeros.reshape(-1)[0]))
    return g.cast(clipped(g, whole, f.of(0), f.of(255)), Precision.UINT8)


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Any:
    described = input.type.quantization
    if described is None or input.dtype.itemsize > 2:
        raise NoLowering(f"litert has no dequantize of {input.type}")
    f = Arithmetic(g)
    steps = g.cast(input, Precision.FLOAT32)
    after = 0 if described.axis is None else input.rank - 1 - described.axis
    shape = () if len(described.scales) == 1 else (len(described.scales), *(1,) * after)
    if any(described.zero_points):
        zeros = np.array(described.zero_points, np.float32)
        single = len(described.zero_points) == 1
        steps = f("SUB", steps, zeros.reshape(() if single else shape))
    return f("MUL", steps, np.array(described.scales, np.float32).reshape(shape))
