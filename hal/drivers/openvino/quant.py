"""Quantisation whose scale and zero point belong to the type, and known integers of a few bits or
in blocks; the rest is decomposed."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ... import quantised
from .emitter import Emitter, Ref
from .forms import Table
from .packed import FEW_BITS, PACKED, read_packed, require_products, spread

table = Table()


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    how = g.operation.outputs[0].type.quantization
    if how is None:
        raise NoLowering("openvino quantises by scales that are known")
    after = () if how.axis is None else (-1, *(1,) * (input.rank - 1 - how.axis))
    scales, zeros = (np.reshape(n, after).astype(np.float32) for n in (how.scales, how.zero_points))
    steps = g.node("Round", g.cast(input, Precision.FLOAT32) / g.constant(scales))
    if not zeros.any():
        return g.node("Clamp", steps, min=-127.0, max=127.0)
    return g.node("Clamp", steps + g.constant(zeros), min=0.0, max=255.0)


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    return quantised.dequantize(g, input)


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
) -> Ref:
    """(q - zero) * scale, or q * scale, in the form that OpenVINO knows compressed weights by."""
    operands = [v for v in (input, zero_point, scale) if v is not None]
    known = [v.constant for v in operands if v.constant is not None]
    if len(known) < len(operands):
        raise NoLowering("openvino: a dequantisation of what is only known while running")
    whole, *parts = known
    is_real = scale.precision == dtype == Precision.FLOAT32
    if input.precision not in (PACKED if block_size else FEW_BITS) or not is_real or not whole.size:
        raise NoLowering(f"openvino keeps no {input.type} by {scale.type} as weights")
    is_one = scale.rank < 2 and parts[-1].size == 1
    along = None if is_one else axis_of(axis, whole.ndim)
    require_products(g, along, block_size)
    stored, (*zeros, scales) = spread(whole, parts, along, block_size)
    real = read_packed(g, stored)
    for zero in zeros:
        if zero.astype(np.int32).any():
            real = real - read_packed(g, zero)
    real = real * g.constant(scales)
    if along is None or not block_size:
        return real
    count = whole.shape[along]
    real = g.reshape(real, [-1 if k == along else d for k, d in enumerate(whole.shape)])
    return g.first(real, g.ints(count), along) if count % block_size else real
