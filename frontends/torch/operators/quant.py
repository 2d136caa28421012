"""ATen quantisation, and the operators that PyTorch's quantised programs are written in."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, generate, quant, reduce, shape, unary
from nnir.recipes.promotion import HALVES, promote, to_value
from nnir.types import Precision

from ...table import Table

table = Table()


def wide(x: Value) -> Value:
    """16-bit floats as float32."""
    return x.cast(Precision.FLOAT32) if x.precision in HALVES else x


def fitting(x: Value, other: Value) -> Value:
    """A scale or zero point; one number has no axes where the other one has none, or others.

    BadType where both have several numbers, and not the same axes.
    """
    if x.rank == other.rank:
        return x
    if all(d == 1 for d in x.shape):
        return shape.reshape(x, []) if x.rank else x
    raise BadType(f"quantisation with {x.type} beside {other.type}")


def quantize(
    x: Value,
    scale: Value,
    zero_point: Value,
    low: int | Value,
    high: int | Value,
    dtype: Precision,
    axis: int = 0,
) -> Value:
    """QUANTIZE_LINEAR, clamped where the range is smaller than that of the type."""
    if not dtype.is_integer:
        raise Unsupported(f"quantisation to {dtype.name.lower()}")
    ends = quant.integer_range(dtype)
    told = [v for v in (low, high) if not isinstance(v, Value)]
    if any(not ends[0] <= v <= ends[1] for v in told):
        raise BadType(f"quantisation to {dtype.name.lower()} between {low} and {high}")
    zero, scale = fitting(zero_point, scale).cast(dtype), fitting(scale, zero_point)
    steps = scale.cast(Precision.FLOAT32)
    made = quant.quantize_linear(wide(x), steps, zero, axis=axis, dtype=dtype)
    whole = quant.integer_range(dtype)
    known = not isinstance(low, Value) and not isinstance(high, Value)
    if known and low <= whole[0] and high >= whole[1]:
        return made
    bounds = [to_value(v, dtype, x.model) for v in (low, high)]
    return activation.clip(made, *bounds)


def dequantize(
    q: Value,
    scale: Value,
    zero_point: Value | None,
    out_dtype: Precision | None,
    axis: int = 0,
) -> Value:
    """(q - zero_point) * scale."""
    if not scale.is_float and not scale.is_integer:
        raise BadType(f"a scale {scale.type}: floats are needed")
    if zero_point is not None:
        scale, zero_point = fitting(scale, zero_point), fitting(zero_point, scale)
    zero = None if zero_point is None else zero_point.cast(q.precision)
    kind = Precision.FLOAT32 if out_dtype is None else out_dtype
    steps = scale.cast(Precision.FLOAT32)
    return quant.dequantize_linear(q, steps, zero, axis=axis, dtype=kind)


@table.convert("quantized_decomposed.quantize_per_tensor.default")
def quantize_per_tensor(
    input: Value, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: Precision
) -> Value:
    factors = input.model.constant(scale, np.float32), input.model.constant(zero_point, dtype.dtype)
    return quantize(input, *factors, quant_min, quant_max, dtype)


@table.convert("quantized_decomposed.quantize_per_tensor.tensor")
def quantize_per_tensor_tensor(
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
) -> Value:
    return quantize(input, scale, zero_point, quant_min, quant_max, dtype)


@table.convert("quantized_decomposed.quantize_per_tensor.tensor2")
def quantize_per_tensor_tensor2(
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: Value,
    quant_max: Value,
    dtype: Precision,
) -> Value:
    return quantize(input, scale, zero_point, quant_min, quant_max, dtype)


@table.convert("quantized_decomposed.dequantize_per_tensor.default")
def dequantize_per_tensor(
    input: Value,
    scale: float,
    zero_point: int,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    *,
    out_dtype: Precision | None = None,
) -> Value:
    factors = input.model.constant(scale, np.float32), input.scalar(zero_point)
    return dequantize(input, *factors, out_dtype)


@table.convert("quantized_decomposed.dequantize_per_tensor.tensor")
def dequantize_per_tensor_tensor(
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    *,
    out_dtype: Precision | None = None,
) -> Value:
    return dequantize(input, scale, zero_point, out_dtype)


@table.convert("quantized_decomposed.dequantize_per_tensor.tensor2")
def dequantize_per_tensor_tensor2(
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: Value,
    quant_max: Value,
    dtype: Precision,
    *,
    out_dtype: Precision | None = None,
) -> Value:
    return dequantize(input, scale, zero_point, out_dtype)


@table.convert("quantized_decomposed.quantize_per_channel.default")
def quantize_per_channel(
    input: Value,
    scales: Value,
    zero_points: Value,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
) -> Value:
    return quantize(input, scales, zero_points, quant_min, quant_max, dtype, axis)


@table.convert("quantized_decomposed.dequantize_per_channel.default")
def dequantize_per_channel(
    input: Value,
    scales: Value,
    zero_points: Value | None,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    *,
    out_dtype: Precision | None = None,
) -> Value:
    return dequantize(input, scales, zero_points, out_dtype, axis)


def clamp_steps(steps: Value, low: float, high: float) -> Value:
    """Rounded steps between two bounds."""
    bounds = (steps.scalar(v) for v in (low, high))
    return activation.clip(unary.round_(steps), *bounds)


@table.convert("quantized_decomposed.quantize_per_token.default")
def quantize_per_token(
    input: Value,
    scales: Value,
    zero_points: Value,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
) -> Value:
    """The zero point is added before the rounding."""
    kind = Precision.FLOAT64 if scales.precision == Precision.FLOAT64 else Precision.FLOAT32
    inverse = unary.reciprocal(scales.cast(kind))
    steps = input.cast(kind) * inverse + zero_points.cast(kind)
    return clamp_steps(steps, quant_min, quant_max).cast(dtype)


@table.convert("quantized_decomposed.dequantize_per_token.default")
def dequantize_per_token(
    input: Value,
    scales: Value,
    zero_points: Value,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    output_dtype: Precision,
) -> Value:
    """The product has the precision of the scales: of float16 ones it rounds to that."""
    if not scales.is_float:
        raise BadType(f"dequantize_per_token with scales {scales.type}: floats are needed")
    kind = scales.precision
    wide = Precision.FLOAT64 if kind == Precision.FLOAT64 else Precision.FLOAT32
    both = promote(input, zero_points)
    if both[0].precision.dtype.itemsize == 1:  # the difference wraps
        return (binary.sub(*both).cast(kind) * scales).cast(output_dtype)
    steps = (input.cast(wide) - zero_points.cast(wide)).cast(kind)
    return (steps * scales).cast(output_dtype)


def group_rows(x: Value, size: int) -> list[Value]:
    """A matrix as rows of groups, and the shape it had."""
    last = x.shape[-1]
    if isinstance(last, int) and last < size:
        size = last
    shape_ = shape.shape(x, dtype=Precision.INT64)
    return [shape.reshape(x, [-1, size]), shape_]


def column(x: Value) -> Value:
    """One row for each element."""
    return shape.reshape(x, [-1, 1])


@table.convert("quantized_decomposed.quantize_per_channel_group.default")
def quantize_per_channel_group(
    input: Value,
    scales: Value,
    zero_points: Value,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    group_size: int,
) -> Value:
    rows, whole = group_rows(input, group_size)
    given = (column(scales), column(zero_points), quant_min, quant_max, dtype)
    return shape.reshape(quantize_per_token(rows, *given), whole)


@table.convert("quantized_decomposed.dequantize_per_channel_group.default")
def dequantize_per_channel_group(
    input: Value,
    scales: Value,
    zero_points: Value | None,
    quant_min: int,
    quant_max: int,
    dtype: Precision,
    group_size: int,
    output_dtype: Precision,
) -> Value:
    rows, whole = group_rows(input, group_size)
    zero = input.model.constant(0) if zero_points is None else column(zero_points)
    given = (column(scales), zero, quant_min, quant_max, dtype, output_dtype)
    return shape.reshape(dequantize_per_token(rows, *given), whole)


def bounds_of(x: Value, *, every_row: bool) -> tuple[Value, Value]:
    """The smallest and the largest element, 0 included; of the tensor, or of each row."""
    axes = [-1] if every_row else list(range(x.rank))
    zero = x.scalar(0)
    low, high = (
        function(x, axes, keepdim=every_row) for function in (reduce.reduce_min, reduce.reduce_max)
    )
    return binary.min_(low, zero), binary.max_(high, zero)


def parameters(scale: Value, zero_point: Value) -> tuple[Value, Value]:
    """Scale and zero point as vectors of one element."""
    doubles = scale.cast(Precision.FLOAT64), zero_point.cast(Precision.INT64)
    one, two = (shape.unsqueeze(v, [0]) for v in doubles)
    return one, two


@table.convert("quantized_decomposed.choose_qparams.tensor")
def choose_qparams(
    input: Value, quant_min: int, quant_max: int, eps: float, dtype: Precision
) -> tuple[Value, Value]:
    low, high = bounds_of(input, every_row=False)
    kind = input.precision
    scale = (high - low) / input.model.constant(quant_max - quant_min, kind.dtype)
    scale = binary.max_(scale.cast(Precision.FLOAT32), input.model.constant(eps, np.float32))
    steps = unary.round_(low.cast(Precision.FLOAT32) / scale)
    zero = input.model.constant(quant_min, np.float32) - steps
    return parameters(scale, clamp_steps(zero, quant_min, quant_max))


@table.convert("quantized_decomposed.choose_qparams_symmetric.tensor")
def choose_qparams_symmetric(
    input: Value, quant_min: int, quant_max: int, eps: float, dtype: Precision
) -> tuple[Value, Value]:
    low, high = bounds_of(input, every_row=False)
    reach = binary.max_(-low, high)
    scale = reach / input.scalar((quant_max - quant_min) / 2)
    scale = binary.max_(scale.cast(Precision.FLOAT32), input.model.constant(eps, np.float32))
    zero = 128 if dtype == Precision.UINT8 else 0
    return parameters(scale, input.model.constant(zero, np.int64))


@table.convert("quantized_decomposed.choose_qparams_per_token.default")
def choose_qparams_per_token(input: Value, dtype: Precision) -> tuple[Value, Value]:
    if dtype != Precision.INT8:
        raise Unsupported(f"choose_qparams_per_token for {dtype.name.lower()}")
    if not input.is_float:
        raise BadType(f"choose_qparams_per_token of {input.type}: floats are needed")
    reach = reduce.reduce_max(abs(input), [-1], keepdim=True)
    if reach.precision == Precision.FLOAT16:
        reach = reach.cast(Precision.FLOAT32)
    least = input.model.constant(1e-5, reach.precision.dtype)
    scale = binary.max_(reach, least) / input.model.constant(127, reach.precision.dtype)
    return scale, generate.fill_like(scale, scale.scalar(0))


@table.convert(
    "quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default",
    "quantized_decomposed.choose_qparams_per_token_asymmetric.default",
)
def choose_qparams_per_token_asymmetric(input: Value, dtype: Precision) -> tuple[Value, Value]:
    """The end of the range whose error is the smaller one is met."""
    low, high = bounds_of(input, every_row=True)
    kind = input.precision

    def const(value: float) -> Value:
        return input.model.constant(value, kind.dtype)

    scale = (high - low) / const(255)
    scale = binary.max_(scale, const(float(np.finfo(np.float32).eps)))
    below, above = low / scale, high / scale
    error = const(-128) + below + (const(127) + above)
    ends = const(-128) - below, const(127) - above
    zero = compare.where(error > const(0), *ends)
    clipped = unary.round_(activation.clip(zero, const(-128), const(127)))
    return scale.cast(Precision.FLOAT64), clipped.cast(Precision.INT64)


def quantize_and_back(
    x: Value, scale: Value, zero_point: Value, low: int, high: int
) -> tuple[Value, Value]:
    """Quantised and back in floats, and what was not clamped."""
    kind = Precision.FLOAT64 if x.precision == Precision.FLOAT64 else Precision.FLOAT32
    factor = scale.cast(kind)
    steps = unary.round_(x.cast(kind) * unary.reciprocal(factor))
    whole = steps + zero_point.cast(kind)
    bounds = [x.model.constant(v, kind.dtype) for v in (low, high)]
    kept = activation.clip(whole, *bounds) - zero_point.cast(kind)
    inside = (bounds[0] <= whole) & (whole <= bounds[1])
    return (kept * factor).cast(x.precision), inside


@table.convert("aten.fake_quantize_per_tensor_affine_cachemask.default")
def fake_quantize_mask(
    self: Value, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> tuple[Value, Value]:
    factors = self.model.constant(scale, np.float32), self.model.constant(zero_point, np.int32)
    return quantize_and_back(self, *factors, quant_min, quant_max)


@table.convert("aten.fake_quantize_per_tensor_affine.default")
def fake_quantize(
    self: Value, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Value:
    return fake_quantize_mask(self, scale, zero_point, quant_min, quant_max)[0]


@table.convert("aten.fake_quantize_per_tensor_affine.tensor_qparams")
def fake_quantize_tensor(
    self: Value, scale: Value, zero_point: Value, quant_min: int, quant_max: int
) -> Value:
    return quantize_and_back(self, scale, zero_point, quant_min, quant_max)[0]


def along(values: Value, x: Value, axis: int) -> Value:
    """One number for each entry of an axis, shaped to broadcast."""
    after = x.rank - 1 - axis_of(axis, x.rank)
    return shape.unsqueeze(values, list(range(1, after + 1))) if after else values


@table.convert("aten.fake_quantize_per_channel_affine_cachemask.default")
def fake_quantize_channels_mask(
    self: Value, scale: Value, zero_point: Value, axis: int, quant_min: int, quant_max: int
) -> tuple[Value, Value]:
    given = along(scale, self, axis), along(zero_point, self, axis)
    return quantize_and_back(self, *given, quant_min, quant_max)


@table.convert("aten.fake_quantize_per_channel_affine.default")
def fake_quantize_channels(
    self: Value, scale: Value, zero_point: Value, axis: int, quant_min: int, quant_max: int
) -> Value:
    return fake_quantize_channels_mask(self, scale, zero_point, axis, quant_min, quant_max)[0]


@table.convert("quantized_decomposed.fake_quant_per_channel.default")
def fake_quant_per_channel(
    input: Value, scales: Value, zero_points: Value, axis: int, quant_min: int, quant_max: int
) -> Value:
    return fake_quantize_channels(input, scales, zero_points, axis, quant_min, quant_max)
