"""Quantisation: integers whose tensors say what they stand for."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnrt.model import QuantParam
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import FLOAT, Emitter, Ref
from .graph import Tensor, data_type

table = Lowerings[Ref]()
INTEGERS = frozenset(
    {Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16, Precision.INT32}
)


def describe(scale: Value, zero_point: Value | None, precision: Precision) -> QuantParam:
    """Known scales and zero points of one axis at most."""
    zeros = np.zeros(1, np.int64) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None or scale.rank > 1:
        raise NoLowering("nnrt has known scales along one axis at most")
    if scale.precision != Precision.FLOAT32 or precision not in INTEGERS:
        raise NoLowering(f"nnrt has no {precision.name} with {scale.type}")
    scales = tuple(map(float, scale.constant.reshape(-1)))
    if not all(np.isfinite(s) and s > 0 for s in scales):
        raise NoLowering("nnrt has scales above 0")
    whole = np.broadcast_to(zeros.reshape(-1).astype(np.int64), len(scales))
    return QuantParam(scales, tuple(whole.tolist()), 8 * precision.dtype.itemsize)


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
    precision: Precision | None,
) -> Ref:
    if block_size or precision not in (None, Precision.FLOAT32):
        raise NoLowering("nnrt has scales of whole axes in FLOAT32")
    if input.precision != Precision.FLOAT32:
        raise NoLowering(f"nnrt quantises FLOAT32, not {input.type}")
    how = describe(scale, zero_point, dtype)
    x = g.take(input)
    place = x.place(axis) if x.rank else 0
    fields = {"srcT": int(FLOAT), "dstT": int(data_type(dtype)), "axis": place}
    made = g.one("QUANT_DTYPE_CAST", [x], x.tensor.shape, x.order, dtype, **fields)
    made.tensor.quantization = how
    return made


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
    if block_size or dtype != Precision.FLOAT32:
        raise NoLowering("nnrt has scales of whole axes, and FLOAT32 behind them")
    how = describe(scale, zero_point, input.precision)
    x = with_scale(g, g.take(input), how)
    return g.dequantize(x, x.place(axis) if x.rank else 0)


def with_scale(g: Emitter, x: Ref, how: QuantParam) -> Ref:
    """Integers with what they stand for; of a constant a tensor of its own."""
    tensor = x.tensor
    if tensor.data is not None and tensor.quantization != how:
        key = (tensor, "scale", how)
        if key not in g.memo:
            copy = Tensor(tensor.precision, tensor.shape, tensor.data, tensor.name, how)
            g.remember(key, copy)
        return Ref(g.memo[key], x.order, x.precision, g)
    if tensor.quantization is None:
        tensor.quantization = how
    if tensor.quantization != how:
        raise NoLowering("nnrt has one scale for each tensor: these integers have another one")
    return x


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    found = input.type.quantization
    if found is None or found.axis not in (None, *range(input.rank)):
        raise NoLowering(f"nnrt has no dequantize of {input.type}")
    zeros = found.zero_points * (len(found.scales) // len(found.zero_points))
    how = QuantParam(found.scales, zeros, 8 * input.dtype.itemsize)
    x = with_scale(g, g.take(input), how)
    return g.dequantize(x, x.place(found.axis or 0) if x.rank else 0)
