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
    scales = scale.constant.reshape(-1)
    if not (np.isfinite(scales) & (scales > 0)).all():
        raise NoLowering("nnrt has scales above 0")
    return QuantParam.of_type(precision.dtype, scales.tolist(), zeros.reshape(-1).tolist())


def _place(x: Ref, axis: int) -> int:
    """Where the axis of several scales is stored."""
    return x.place(axis) if x.rank else 0


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
    fields = {"srcT": int(FLOAT), "dstT": int(data_type(dtype)), "axis": _place(x, axis)}
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
    return g.dequantize(x, _place(x, axis))


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
    if found is None:
        raise NoLowering(f"nnrt has no dequantize of {input.type}")
    how = QuantParam.of_type(input.dtype, found.scales, found.zero_points)
    x = with_scale(g, g.take(input), how)
    return g.dequantize(x, _place(x, found.axis or 0))
