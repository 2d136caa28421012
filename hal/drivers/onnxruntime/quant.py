"""Quantisation."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Value
from nnir.ops import quant
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Operand, Ref

table = Lowerings[Ref]()
NATIVE = frozenset(
    {
        Precision.INT8,
        Precision.UINT8,
        Precision.INT16,
        Precision.UINT16,
        Precision.INT4,
        Precision.UINT4,
        Precision.FLOAT8E4M3FN,
        Precision.FLOAT8E4M3FNUZ,
        Precision.FLOAT8E5M2,
        Precision.FLOAT8E5M2FNUZ,
    }
)
SCALES = frozenset({Precision.FLOAT16, Precision.FLOAT32})


def _zeros(g: Emitter, scale: Value, zero_point: Value | None, dtype: Precision) -> Operand:
    """The zero points, also where they are 0: without them ONNX Runtime takes integers for uint8
    when it moves transposes across quantisation."""
    if zero_point is None and dtype.is_integer and scale.is_static:
        return g.constant(np.zeros(scale.shape, dtype.dtype))
    return zero_point


def _step(
    g: Emitter, scale: Value, zero_point: Value | None, dtype: Precision, axis: int
) -> tuple[Operand, Operand, int | None]:
    """Scales, zero points and their axis. One of each is a number: for a vector of one, ONNX
    Runtime's fusions of products and pools have no kernel."""
    factor, zero = scale.constant, None if zero_point is None else zero_point.constant
    is_known = factor is not None and (zero_point is None or zero is not None)
    if is_known and factor is not None and factor.shape == (1,):
        number = np.zeros((), dtype.dtype) if zero is None else zero.reshape(())
        is_needed = zero_point is not None or dtype.is_integer
        return g.constant(factor.reshape(())), g.constant(number) if is_needed else None, None
    return scale, _zeros(g, scale, zero_point, dtype), axis if scale.rank else None


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
) -> Ref:
    divides = scale.precision == input.precision and precision in (None, scale.precision)
    if not (divides and scale.precision in SCALES and dtype in NATIVE):
        raise NoLowering(f"onnxruntime quantises no {input.type} by {scale.type} to {dtype.name}")
    factors, zeros, along = _step(g, scale, zero_point, dtype, axis)
    return g.node(
        "QuantizeLinear",
        input,
        factors,
        zeros,
        precision=dtype,
        axis=along,
        block_size=block_size,
        output_dtype=None if zeros is not None else code_of(dtype),
        saturate=int(saturate),
    )


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
    fits = input.precision in NATIVE | {Precision.INT32} and scale.precision in SCALES
    if not (fits and dtype == scale.precision):
        raise NoLowering(f"onnxruntime turns no {input.type} by {scale.type} to {dtype.name}")
    factors, zeros, along = _step(g, scale, zero_point, input.precision, axis)
    return g.node(
        "DequantizeLinear",
        input,
        factors,
        zeros,
        precision=dtype,
        axis=along,
        block_size=block_size,
    )


@table.lower(quant.quantize)
def quantize(g: Emitter, input: Value, scale: Value, zero_point: Value | None, *, axis: int) -> Ref:
    per_layer = all(d == 1 for d in scale.shape)
    zeros = np.zeros(1) if zero_point is None else zero_point.constant
    if scale.constant is None or zeros is None:
        raise NoLowering("quantize by a scale that is only known while running")
    symmetric = not zeros.any()
    kind = np.int8 if symmetric else np.uint8
    zero = np.broadcast_to(zeros, scale.constant.shape).astype(kind)
    factors = g.constant(
        scale.constant.reshape(()) if per_layer else scale.constant.ravel(), np.float32
    )
    offsets = g.constant(zero.reshape(()) if per_layer else zero.ravel())
    real = g.cast(input, Precision.FLOAT32)
    made = g.node(
        "QuantizeLinear",
        real,
        factors,
        offsets,
        precision=Precision.INT8 if symmetric else Precision.UINT8,
        axis=None if per_layer else axis,
    )
    return g.node("Max", made, g.constant(-127, np.int8)) if symmetric else made


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    described = input.type.quantization
    found = g.ref(input)
    if described is None or found is None:
        raise NoLowering(f"dequantize of {input.type} without a scale")
    stored = Ref(found, Precision[input.dtype.name.upper()])
    one = described.axis is None
    scales = np.array(described.scales[0] if one else described.scales, np.float32)
    zeros = np.broadcast_to(np.array(described.zero_points), np.shape(described.scales))
    if input.precision == Precision.QUANT_UINT32_ASYMM_PER_LAYER:  # DequantizeLinear has no uint32
        steps = g.node("Sub", g.cast(stored, Precision.INT64), g.constant(zeros[0], np.int64))
        return g.node("Mul", g.cast(steps, Precision.FLOAT32), g.constant(scales))
    offsets = g.constant((zeros[0] if one else zeros).astype(input.dtype))
    return g.node(
        "DequantizeLinear",
        stored,
        g.constant(scales),
        offsets,
        precision=Precision.FLOAT32,
        axis=described.axis,
    )
