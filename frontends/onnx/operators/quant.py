"""ONNX quantisation."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.ops import activation, binary, compare, quant, reduce, unary
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("QuantizeLinear", since=10)
def quantize_linear(
    x: Value,
    y_scale: Value,
    y_zero_point: Value | None = None,
    *,
    axis: int = 1,
    saturate: bool = True,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
) -> Value:
    kind = precision_of_code(output_dtype) if output_dtype else None
    if y_zero_point is not None:
        if kind not in (None, y_zero_point.precision):
            raise BadType(f"QuantizeLinear to {kind!r} with a zero point {y_zero_point.type}")
        kind = y_zero_point.precision
    return quant.quantize_linear(
        x,
        y_scale,
        y_zero_point,
        axis=axis,
        block_size=block_size,
        dtype=Precision.UINT8 if kind is None else kind,
        saturate=saturate,
        precision=precision_of_code(precision) if precision else None,
    )


@table.convert("DequantizeLinear", since=10)
def dequantize_linear(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Value:
    own = Precision.FLOAT32 if x_scale.precision not in quant.SCALED else x_scale.precision
    kind = precision_of_code(output_dtype) if output_dtype else own
    return quant.dequantize_linear(
        x, x_scale, x_zero_point, axis=axis, block_size=block_size, dtype=kind
    )


@table.convert("DynamicQuantizeLinear", since=11)
def dynamic_quantize_linear(x: Value) -> tuple[Value, Value, Value]:
    high = binary.max_(reduce.reduce_max(x, [], keepdim=False), 0)
    low = binary.min_(reduce.reduce_min(x, [], keepdim=False), 0)
    scale = compare.where(compare.equal(high, low), 1, high - low) / 255
    start = activation.clip(0 - low / scale, 0, 255)
    zero_point = unary.round_(start).cast(Precision.UINT8)
    return quant.quantize_linear(x, scale, zero_point), scale, zero_point
