"""Paddle's quantisers of 8 bits as QUANTIZE_LINEAR and DEQUANTIZE_LINEAR.

Paddle multiplies by a reciprocal and may round halves away from zero; what stands here divides, and
rounds them to even ones, so that an integer may be one away. This form keeps scales and axes for
formats and devices with integer kernels. What has other bits or learns its scale on each call stays
the arithmetic that it is.
"""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.model import Value
from nnir.ops import quant, unary
from nnir.types import Precision

from ..table import Pair, Table
from .operators import quant as exact

table = Table()
BITS = 8
QMAX = 127


def is_grid(scale: Value, bit_length: int, round_type: int) -> bool:
    """Whether a quantiser is one of INT8 with known scales."""
    known = scale.known
    is_whole = bit_length == BITS and round_type in (0, 1)
    return is_whole and known is not None and bool((known > exact.LEAST).all())


def step_of(scale: Value, x: Value, axis: int) -> tuple[Value, int]:
    """The size of a step, one or one for each entry of an axis, and the axis."""
    known = scale.known
    assert known is not None  # noqa: S101  `is_grid`
    steps = (known.astype(np.float64) / QMAX).astype(np.float32).reshape(-1)
    array = steps.reshape([]) if steps.size == 1 else steps
    return x.model.constant(array), 0 if steps.size == 1 else axis_of(axis, x.rank)


def zero_like(step: Value) -> Value:
    """The zero points of steps."""
    return step.model.constant(np.zeros_like(step.known, np.int8))


def to_integers(x: Value, scale: Value, axis: int) -> Value:
    """The nearest integers of 8 bits, which are known for weights."""
    step, place = step_of(scale, x, axis)
    if x.constant is not None:
        sizes = [-1 if k == place else 1 for k in range(x.rank)]
        steps = np.asarray(step.known).reshape(sizes if step.rank else [])
        whole = np.clip(np.rint(x.constant / steps), -QMAX - 1, QMAX)
        return x.model.constant(whole.astype(np.int8), name=x.name)
    return quant.quantize_linear(x, step, zero_like(step), axis=place, dtype=Precision.INT8)


def to_real(whole: Value, scale: Value, axis: int) -> Value:
    """What integers of 8 bits stand for."""
    step, place = step_of(scale, whole, axis)
    return quant.dequantize_linear(whole, step, zero_like(step), axis=place)


def fake(x: Value, scale: Value, axis: int, bit_length: int, round_type: int) -> Value:
    """What is left of numbers that were integers meanwhile."""
    if not x.is_float or not is_grid(scale, bit_length, round_type):
        return exact.fake(x, scale, axis, bit_length, round_type, back=True)
    return to_real(to_integers(x, scale, axis), scale, axis)


def largest(x: Value, axis: int | None = None) -> Value:
    """The scale of a quantiser that takes it from its operand; known for weights."""
    if x.constant is None or not x.constant.size:
        return exact.largest(x, axis)
    others = tuple(k for k in range(x.rank) if k != axis)
    return x.model.constant(np.abs(x.constant).max(axis=others).reshape(-1))


@table.convert("fake_quantize_dequantize_abs_max")
def fake_quantize_dequantize_abs_max(x: Value, bit_length: int, round_type: int) -> Pair:
    """Of one scale."""
    scale = largest(x)
    return fake(x, scale, -1, bit_length, round_type), scale


@table.convert("fake_channel_wise_quantize_dequantize_abs_max")
def fake_channel_wise_quantize_dequantize_abs_max(
    x: Value, bit_length: int, round_type: int, quant_axis: int
) -> Pair:
    """Of a scale for each entry of an axis."""
    scale = largest(x, quant_axis)
    return fake(x, scale, quant_axis, bit_length, round_type), scale


@table.convert(
    "fake_quantize_dequantize_moving_average_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max_",
)
def fake_quantize_dequantize_moving_average_abs_max(
    x: Value,
    in_scale: Value,
    in_accum: Value | None,
    in_state: Value | None,
    moving_rate: float,
    bit_length: int,
    is_test: bool,
    round_type: int,
) -> Value:
    """Of one scale that was learnt."""
    exact.require_test("fake_quantize_dequantize_moving_average_abs_max", is_test)
    return fake(x, in_scale, -1, bit_length, round_type)


@table.convert("quantize_linear", "quantize_linear_")
def quantize_linear(
    x: Value,
    scale: Value,
    zero_point: Value,
    in_accum: Value | None,
    in_state: Value | None,
    quant_axis: int,
    bit_length: int,
    qmin: int,
    qmax: int,
    round_type: int,
    is_test: bool,
    only_observer: bool,
) -> tuple[Value, Value | None, Value | None, Value]:
    """The integers as floats, which Paddle passes on."""
    if only_observer or qmax != QMAX or not is_grid(scale, bit_length, round_type):
        return exact.quantize_linear(
            x, scale, zero_point, in_accum, in_state, quant_axis, bit_length, qmin, qmax,
            round_type, is_test, only_observer, back=False,
        )  # fmt: skip
    exact.require_test("quantize_linear", is_test)
    whole = to_integers(x, scale, quant_axis)
    return unary.cast(whole, dtype=x.precision), in_state, in_accum, scale


@table.convert("dequantize_linear", "dequantize_linear_")
def dequantize_linear(
    x: Value,
    scale: Value,
    zero_point: Value,
    in_accum: Value | None,
    in_state: Value | None,
    quant_axis: int,
    bit_length: int,
    qmin: int,
    qmax: int,
    round_type: int,
    is_test: bool,
    only_observer: bool,
) -> tuple[Value, Value | None, Value | None, Value]:
    """Of integers that a quantiser passed on, or that are constant."""
    whole = integers_in(x)
    if only_observer or whole is None or qmax != QMAX or not is_grid(scale, bit_length, 0):
        return exact.quantize_linear(
            x, scale, zero_point, in_accum, in_state, quant_axis, bit_length, qmin, qmax,
            round_type, is_test, only_observer, back=True,
        )  # fmt: skip
    real = to_real(whole, scale, quant_axis)
    return unary.cast(real, dtype=scale.precision), in_state, in_accum, scale


def integers_in(x: Value) -> Value | None:
    """The integers of 8 bits that a value holds, maybe as floats; None where that is not known."""
    if x.precision == Precision.INT8:
        return x
    maker = x.producer
    if maker is not None and maker.operator is unary.cast:
        source = maker.inputs[0]
        return source if source is not None and source.precision == Precision.INT8 else None
    known = x.known
    if known is None:
        return None
    whole = known.astype(np.int8)
    return x.model.constant(whole) if np.array_equal(whole, known) else None
