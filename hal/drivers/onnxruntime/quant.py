"""Quantisation."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Operation, Value
from nnir.ops import binary, quant
from nnir.types import Precision

from ... import quantised
from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Operand, Ref
from .products import is_turned
from .quirks import BIAS_OF_OTHER_STEPS, has_own_steps

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
    real = fold_bias(g.operation) if input.precision == Precision.INT32 else None
    if real is not None:
        return g.constant(real)
    stored: Operand = input
    factors, zeros, along = _step(g, scale, zero_point, input.precision, axis)
    turned = is_turned(g.operation.outputs[0])
    if turned:
        stored, factors = _turn(g, input), _turn(g, scale)
        zeros = None if zero_point is None else _turn(g, zero_point)
        along = 1 - axis_of(axis, input.rank)
    made = g.node(
        "DequantizeLinear",
        stored,
        factors,
        zeros,
        precision=dtype,
        axis=along,
        block_size=block_size,
    )
    if turned:
        g.untold.add(made)
    return made


def fold_bias(operation: Operation) -> np.ndarray | None:
    """The numbers that known integers of 32 bits stand for, where these are written instead.

    None where all that read them are products in whose steps they count, or convolutions, of which
    ONNX Runtime compares the steps itself.
    """
    arrays = [None if v is None else v.constant for v in operation.inputs]
    (made,) = operation.outputs
    if any(a is None for a in arrays[:2]) or all(has_own_steps(r, made) for r in made.uses):
        return None
    report_met(BIAS_OF_OTHER_STEPS)
    found: np.ndarray = quant.dequantize_linear.reference(*arrays, **operation.attributes)
    return found


def _turn(g: Emitter, value: Value) -> Ref:
    """A known matrix with its axes exchanged."""
    if value.constant is None:
        raise NoLowering(f"onnxruntime exchanges no axes of {value.type}, which is not known")
    return g.constant(np.ascontiguousarray(value.constant.T))


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    return quantised.quantize(g, input, _quantize_bounded)


def _quantize_bounded(real: Value, *parts: Value, axis: int, dtype: Precision) -> Value:
    """QUANTIZE_LINEAR without the lowest integer of INT8."""
    whole = quant.quantize_linear(real.cast(Precision.FLOAT32), *parts, axis=axis, dtype=dtype)
    return binary.max_(whole, whole.scalar(-127)) if dtype == Precision.INT8 else whole


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    return quantised.dequantize(g, input, quant.dequantize_linear)
