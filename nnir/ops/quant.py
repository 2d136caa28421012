"""Quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..affine import to_integers, to_real
from ..broadcast import Shape, axis_of
from ..dim import Expr, ceil_div
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..operator import Pattern, operator, require
from ..types import Precision, Quantization, TensorType, find_precision, precision_of
from . import activation, index, shape, unary
from .unary import BITS

SCALED = frozenset({Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32, Precision.FLOAT64})
STORED = frozenset(p for p in Precision if p.is_integer) | {
    Precision.FLOAT8E4M3FN,
    Precision.FLOAT8E4M3FNUZ,
    Precision.FLOAT8E5M2,
    Precision.FLOAT8E5M2FNUZ,
    Precision.FLOAT4E2M1FN,
}


def integer_range(dtype: Precision) -> tuple[int, int]:
    """The lowest and the highest integer of a precision."""
    bits = BITS.get(dtype, dtype.dtype.itemsize * 8)
    if dtype.name.startswith("UINT"):
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def largest(dtype: Precision) -> float:
    """The largest finite number of a precision."""
    import ml_dtypes  # most models do without

    return float(ml_dtypes.finfo(dtype.dtype).max)  # type: ignore[no-untyped-call]


# Quantised operand types: scale and zero point belong to the type.


def _quantized_precision(count: int, zero_points: tuple[int, ...]) -> Precision:
    if not any(zero_points):
        if count == 1:
            return Precision.QUANT_INT8_SYMM_PER_LAYER
        return Precision.QUANT_INT8_SYMM_PER_CHANNEL
    require(count == 1, "quantize with zero points per channel: no precision has them")
    return Precision.QUANT_UINT8_ASYMM_PER_LAYER


def _quantize(
    input: np.ndarray,
    scale: np.ndarray,
    zero_point: np.ndarray | None = None,
    *,
    axis: int,
    result: TensorType | None = None,
) -> np.ndarray:
    if result is not None and result.quantization is not None:
        return to_integers(input, result.precision, result.quantization)
    zeros = (0,) if zero_point is None else tuple(zero_point.reshape(-1).tolist())
    along = axis_of(axis, input.ndim) if scale.size > 1 else None
    scales = tuple(map(float, scale.reshape(-1)))
    return to_integers(
        input, _quantized_precision(scale.size, zeros), Quantization(scales, zeros, along)
    )


@operator(
    pattern=Pattern.ELEMENTWISE,
    code=60,
    reference=_quantize,
    order=("input", "axis", "scale", "zero_point"),
)
def quantize(
    input: Value,
    scale: Value,
    zero_point: Value | None = 0,  # type: ignore[assignment]  # becomes a constant
    *,
    axis: int = 1,
) -> TensorType:
    """clamp(round(x / scale) + zero_point), with both in the type of the result.

    Types: FLOAT32 or INT32. One scale gives QUANT_INT8_SYMM_PER_LAYER, or with a zero point other
    than 0 QUANT_UINT8_ASYMM_PER_LAYER; one scale per entry of `axis` QUANT_INT8_SYMM_PER_CHANNEL.
    Shapes: `scale` and `zero_point` are constants of shape [1] or [C].
    Edges: halves round to even; symmetric results lie in [-127, 127].
    """
    fits = input.precision in (Precision.FLOAT32, Precision.INT32)
    require(fits, f"quantize needs FLOAT32 or INT32, not {input.type}")
    offsets = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or offsets is None:
        raise NotConstant("quantize needs a constant scale and zero point")
    require(scale.is_float, f"quantize needs a scale of floats, not {scale.type}")
    scales = tuple(float(s) for s in scale.constant.flat)
    zeros = tuple(int(z) for z in offsets.flat)
    require(len(zeros) in (1, len(scales)), f"quantize: {len(scales)} scales, {len(zeros)} zeros")
    kind = _quantized_precision(len(scales), zeros)
    if len(scales) == 1:
        return TensorType(kind, input.shape, quantization=Quantization(scales, zeros[:1]))
    along = axis_of(axis, input.rank)
    size = input.shape[along]
    require(size == len(scales) or isinstance(size, Expr), f"{len(scales)} scales for {size}")
    return TensorType(kind, input.shape, quantization=Quantization(scales, (0,), along))


def _dequantize(input: np.ndarray, *, quantization: Quantization | None = None) -> np.ndarray:
    if quantization is None:
        raise ValueError("dequantize needs the scale in the type of its operand")
    return to_real(input, quantization)


@operator(pattern=Pattern.ELEMENTWISE, code=19, reference=_dequantize)
def dequantize(input: Value) -> TensorType:
    """(q - zero_point) * scale, with scale and zero point from the type of `input`.

    Types: a quantised precision; the result is FLOAT32.
    """
    quantized = input.precision.is_quantized and input.type.quantization is not None
    require(quantized, f"dequantize needs a quantised operand, not {input.type}")
    return input.type.with_precision(Precision.FLOAT32)


# Quantisation as ONNX has it: plain numbers, with scale and zero point beside them.


def spread(values: np.ndarray, shape: tuple[int, ...], axis: int, block_size: int) -> np.ndarray:
    """Scales or zero points so that they broadcast to `shape`: one for all, one for each entry of
    an axis, or one for each block of `block_size` entries."""
    if values.size == 1 and values.ndim < 2:
        return values.reshape(())
    if not block_size:
        return values.reshape(-1, *(1,) * (len(shape) - 1 - axis % len(shape)))
    repeated = np.repeat(values, block_size, axis=axis)
    return np.take(repeated, np.arange(shape[axis]), axis=axis)


def _type_of(optional: Value | None) -> TensorType | None:
    """The type of an operand, for a message."""
    return None if optional is None else optional.type


def _check_scales(name: str, input: Value, scale: Value, axis: int, block_size: int) -> None:
    require(block_size >= 0, f"{name} with block_size={block_size}")
    if all(d == 1 for d in scale.shape) and scale.rank < 2:
        return
    along = axis_of(axis, input.rank)
    wanted: Shape
    if block_size:
        blocks = ceil_div(input.shape[along], block_size)
        wanted = (*input.shape[:along], blocks, *input.shape[along + 1 :])
    else:
        wanted = (input.shape[along],)
    fits = len(wanted) == scale.rank and all(
        a == b or isinstance(a, Expr) or isinstance(b, Expr)
        for a, b in zip(wanted, scale.shape, strict=True)
    )
    require(fits, "{} of {} with scales {}", name, input.type, scale.type)


def _division_dtype(input: np.dtype, scale: np.dtype, asked: Precision | None) -> np.dtype:
    """The type to divide in: as asked for, else that of the scale, else that of the data."""
    if asked is not None:
        return asked.dtype
    if scale.kind in "iu" or find_precision(scale) is Precision.FLOAT8E8M0FNU:
        return np.dtype(np.float32) if input.kind in "iu" else input
    return scale


def _quantize_linear(
    input: np.ndarray,
    scale: np.ndarray,
    zero_point: np.ndarray | None = None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
    saturate: bool,
    precision: Precision | None,
) -> np.ndarray:
    kind = _division_dtype(input.dtype, scale.dtype, precision)
    scale = spread(scale, input.shape, axis, block_size).astype(kind)
    real = (input.astype(kind) / scale).astype(np.float64)
    zero = None if zero_point is None else spread(zero_point, input.shape, axis, block_size)
    if dtype.is_integer:
        whole = np.rint(real) + (0 if zero is None else zero.astype(np.float64))
        return np.clip(whole, *integer_range(dtype)).astype(np.int64).astype(dtype.dtype)
    if dtype == Precision.FLOAT4E2M1FN and zero is not None:
        real = real + zero.astype(np.float64)
    if saturate:
        limit = largest(dtype)
        real = np.clip(real, -limit, limit)
    return real.astype(np.float32).astype(dtype.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=1600, reference=_quantize_linear)
def quantize_linear(
    input: Value,
    scale: Value,
    zero_point: Value | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    dtype: Precision = Precision.UINT8,
    saturate: bool = True,
    precision: Precision | None = None,
) -> TensorType:
    """clamp(round(x / scale) + zero_point) as plain numbers of type `dtype`.

    Types: float or INT32 to integers of up to 32 bits, 8-bit floats (without rounding to integers)
    or FLOAT4E2M1FN. The division is done in `precision`, by default in the type of `scale`.
    Shapes: `scale` and `zero_point` have one element, one for each entry of `axis`, or one for each
    block of `block_size` entries of `axis`.
    Edges: halves round to even; 8-bit floats clamp with `saturate`, else give infinity or NaN.
    """
    require(input.precision in SCALED | {Precision.INT32}, "quantize_linear of {}", input.type)
    scaled = scale.precision in SCALED | {Precision.INT32, Precision.FLOAT8E8M0FNU}
    require(scaled, "quantize_linear with scales {}", scale.type)
    require(dtype in STORED, f"quantize_linear to {dtype.name}")
    require(
        zero_point is None or zero_point.precision == dtype,
        "quantize_linear to {} with zero points {}",
        *(dtype.name, _type_of(zero_point)),
    )
    _check_scales("quantize_linear", input, scale, axis, block_size)
    return input.type.with_precision(dtype)


def _dequantize_linear(
    input: np.ndarray,
    scale: np.ndarray,
    zero_point: np.ndarray | None = None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> np.ndarray:
    steps = input.astype(np.float32)
    if zero_point is not None:
        zero = spread(zero_point, input.shape, axis, block_size)
        whole = input.dtype.kind in "iu"
        exact: Any = np.int64 if whole else np.float32
        steps = (input.astype(exact) - zero.astype(exact)).astype(np.float32)
    factors = spread(scale, input.shape, axis, block_size).astype(np.float32)
    return np.asarray(steps * factors).astype(dtype.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=1601, reference=_dequantize_linear)
def dequantize_linear(
    input: Value,
    scale: Value,
    zero_point: Value | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    dtype: Precision = Precision.FLOAT32,
) -> TensorType:
    """(q - zero_point) * scale as floats of type `dtype`.

    Types: integers of up to 32 bits, 8-bit floats or FLOAT4E2M1FN to any float.
    Shapes: `scale` and `zero_point` as of QUANTIZE_LINEAR.
    Edges: computed in float32 and rounded once.
    """
    require(input.precision in STORED, "dequantize_linear of {}", input.type)
    scaled = scale.precision in SCALED | {Precision.FLOAT8E8M0FNU}
    require(scaled, "dequantize_linear with scales {}", scale.type)
    require(dtype in SCALED, f"dequantize_linear to {dtype.name}")
    require(
        zero_point is None or zero_point.precision == input.precision,
        "dequantize_linear of {} with zero points {}",
        *(input.type, _type_of(zero_point)),
    )
    _check_scales("dequantize_linear", input, scale, axis, block_size)
    return input.type.with_precision(dtype)


def _spread_value(values: Value, input: Value, axis: int, block_size: int) -> Value:
    """Scales or zero points that broadcast to `input`, made with operators."""
    if values.rank < 2 and all(d == 1 for d in values.shape):
        return shape.reshape(values, []) if values.rank else values
    along = axis_of(axis, input.rank)
    if not block_size:
        after = range(1, input.rank - along)
        return shape.unsqueeze(values, list(after)) if after else values
    if not (values.is_static and input.is_static):
        raise Unsupported(f"blocks of {input.type}, whose sizes are only known while running")
    sizes = [int(d) for d in values.shape]  # type: ignore[arg-type]  # static
    parts = [1] * (input.rank + 1)
    parts[along + 1] = block_size
    sizes[along] *= block_size
    tiled = shape.tile(shape.unsqueeze(values, [along + 1]), parts)
    whole = shape.reshape(tiled, sizes)
    return index.slice_(whole, [along], [0], [input.shape[along]], [1])


def _as(value: Value, dtype: Precision) -> Value:
    return value if value.precision == dtype else unary.cast(value, dtype=dtype)


def _is_nothing(zero_point: Value) -> bool:
    """Whether zero points are known to be 0."""
    return zero_point.constant is not None and not zero_point.constant.astype(np.float32).any()


@quantize_linear.decomposes()
def _quantize_linear_parts(
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
    saturate: bool,
    precision: Precision | None,
) -> Value:
    kind = precision_of(_division_dtype(input.dtype, scale.dtype, precision))
    factors = _as(_spread_value(scale, input, axis, block_size), kind)
    real = _as(input, kind) / factors
    wide = Precision.FLOAT64 if kind == Precision.FLOAT64 else Precision.FLOAT32
    real = _as(unary.round_(real) if dtype.is_integer else real, wide)
    if (
        zero_point is not None
        and not _is_nothing(zero_point)
        and (dtype.is_integer or dtype == Precision.FLOAT4E2M1FN)
    ):
        real = real + _as(_spread_value(zero_point, input, axis, block_size), wide)
    if dtype.is_integer:
        low, high = map(float, integer_range(dtype))
    else:
        high = largest(dtype)
        low = -high
    if dtype.is_integer or saturate:
        bounds = [input.model.constant(b, wide.dtype) for b in (low, high)]
        real = activation.clip(real, *bounds)
    return unary.cast(real, dtype=dtype)


@dequantize_linear.decomposes()
def _dequantize_linear_parts(
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> Value:
    exact = Precision.INT64 if input.is_integer else Precision.FLOAT32
    steps = _as(input, exact)
    if zero_point is not None:
        zero = _spread_value(zero_point, input, axis, block_size)
        steps = steps - _as(zero, exact)
    factors = _as(_spread_value(scale, input, axis, block_size), Precision.FLOAT32)
    return _as(_as(steps, Precision.FLOAT32) * factors, dtype)


def dequantize_narrow(
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> Value:
    """DEQUANTIZE_LINEAR of integers of up to 16 bits, whose differences FLOAT32 holds exactly; for
    engines that do not multiply out what they are told to subtract first."""
    if not input.is_integer or input.dtype.itemsize > 2:
        made: Value = _dequantize_linear_parts(
            input, scale, zero_point, axis=axis, block_size=block_size, dtype=dtype
        )
        return made
    steps = _as(input, Precision.FLOAT32)
    if zero_point is not None and not _is_nothing(zero_point):
        zero = _spread_value(zero_point, input, axis, block_size)
        steps = steps - _as(zero, Precision.FLOAT32)
    factors = _as(_spread_value(scale, input, axis, block_size), Precision.FLOAT32)
    return _as(steps * factors, dtype)


def quantize_narrow(
    input: Value, scale: Value, zero_point: Value, *, axis: int, dtype: Precision
) -> Value:
    """QUANTIZE as others: to INT8 without its lowest integer, or to UINT8."""
    real = _as(input, Precision.FLOAT32) / _spread_value(scale, input, axis, 0)
    steps = unary.round_(real)
    if not _is_nothing(zero_point):
        steps = steps + _as(_spread_value(zero_point, input, axis, 0), Precision.FLOAT32)
    low, high = integer_range(dtype)
    bounds = [input.model.constant(b, np.float32) for b in (max(low, -127), high)]
    return unary.cast(activation.clip(steps, *bounds), dtype=dtype)
