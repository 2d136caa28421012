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


def steps_of(scale: Value, bit_length: int, round_type: int) -> np.ndarray | None:
    """The size of a step of INT8, one or one for each entry of an axis; None for a quantiser of
    another kind, or of scales that are not known."""
    known = scale.known
    if bit_length != BITS or round_type not in (0, 1) or known is None:
        return None
    if not (known > exact.LEAST).all():
        return None
    steps = (known.astype(np.float64) / QMAX).astype(np.float32).reshape(-1)
    return steps.reshape([]) if steps.size == 1 else steps


def place_of(steps: np.ndarray, x: Value, axis: int) -> int:
    """The axis whose entries have the steps."""
    return axis_of(axis, x.rank) if steps.ndim else 0


def to_integers(x: Value, steps: np.ndarray, axis: int) -> Value:
    """The nearest integers of 8 bits, which are known for weights."""
    place = place_of(steps, x, axis)
    if x.constant is not None:
        sizes = [-1 if k == place else 1 for k in range(x.rank)]
        parts = x.constant / (steps.reshape(sizes) if steps.ndim else steps)
        whole = np.clip(np.rint(parts), -QMAX - 1, QMAX).astype(np.int8)
        return x.model.constant(whole, name=x.name)
    step, zero = x.model.constant(steps), x.model.constant(np.zeros_like(steps, np.int8))
    return quant.quantize_linear(x, step, zero, axis=place, dtype=Precision.INT8)


def to_real(whole: Value, steps: np.ndarray, axis: int) -> Value:
    """What integers of 8 bits stand for."""
    step, zero = whole.model.constant(steps), whole.model.constant(np.zeros_like(steps, np.int8))
    return quant.dequantize_linear(whole, step, zero, axis=place_of(steps, whole, axis))


def fake(x: Value, scale: Value, axis: int, bit_length: int, round_type: int) -> Value:
    """What is left of numbers that were integers meanwhile."""
    steps = steps_of(scale, bit_length, round_type)
    if steps is None or not x.is_float:
        return exact.fake(x, scale, axis, bit_length, round_type, back=True)
    return to_real(to_integers(x, steps, axis), steps, axis)


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


@table.convert("dequantize_linear", "dequantize_linear_", back=True)
@table.convert("quantize_linear", "quantize_linear_", back=False)
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
    *,
    back: bool,
) -> tuple[Value, Value | None, Value | None, Value]:
    """Integers as the floats that Paddle passes on, and what these stand for."""
    steps = steps_of(scale, bit_length, 0 if back else round_type)
    source = integers_in(x) if back else x
    if steps is None or source is None or only_observer or qmax != QMAX:
        return exact.quantize_linear(
            x, scale, zero_point, in_accum, in_state, quant_axis, bit_length, qmin, qmax,
            round_type, is_test, only_observer, back=back,
        )  # fmt: skip
    exact.require_test("quantize_linear", is_test or back)
    made = (to_real if back else to_integers)(source, steps, quant_axis)
    return made.cast(scale.precision if back else x.precision), in_state, in_accum, scale


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
