"""TensorFlow's quantisation to integers and back, by the ends of a range of real numbers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, shape, unary
from nnir.ops.quant import integer_range
from nnir.types import Precision

from ...table import Table

table = Table()
Mode = Literal["MIN_COMBINED", "MIN_FIRST", "SCALED"]
RANGED = frozenset(
    {Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16, Precision.INT32}
)
HUGE = float(np.finfo(np.float32).max)


def _limits(kind: Precision, *, narrow_range: bool) -> tuple[int, int]:
    """The lowest and the highest integer that is used."""
    if kind not in RANGED:
        raise BadType(f"quantised elements of {kind.name}")
    low, high = integer_range(kind)
    return low + narrow_range, high


def _along(x: Value, ends: Value, axis: int) -> Value:
    """The ends of ranges, one for each entry of an axis, beside the elements."""
    if axis == -1:
        if ends.rank and ends.shape != (1,):
            raise BadType(f"one range for all elements of {ends.type}")
        return shape.reshape(ends, [])
    behind = x.rank - 1 - axis_of(axis, x.rank)
    return shape.unsqueeze(ends, list(range(1, behind + 1))) if behind else ends


def _round_half_away(x: Value) -> Value:
    """The nearest whole number, of two the one farther from 0."""
    size = abs(x)
    below = unary.floor(size)
    whole = below + compare.where(size - below >= 0.5, x.scalar(1), x.scalar(0))
    return compare.where(x < 0, -whole, whole)


def _round_half_to_even(x: Value) -> Value:
    return unary.round_(x)


def _step_between(low: Value, high: Value, kind: Precision) -> Value:
    """The distance of neighbours where the range has as many steps as there are integers."""
    least, most = _limits(kind, narrow_range=False)
    return (high - low) / low.scalar(float(most - least))


@table.convert("Dequantize")
def dequantize(
    input: Value,
    min_range: Value,
    max_range: Value,
    *,
    mode: Mode = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int = -1,
    dtype: Precision = Precision.FLOAT32,
) -> Value:
    """Real numbers of integers whose lowest and highest stand for `min_range` and `max_range`."""
    if axis != -1 and mode == "MIN_FIRST":
        raise Unsupported(f"Dequantize with mode={mode!r} and axis={axis}")
    kind = input.precision
    least, most = _limits(kind, narrow_range=narrow_range and mode == "SCALED")
    low, high = (_along(input, end, axis) for end in (min_range, max_range))
    x = input.cast(Precision.FLOAT32)
    match mode:
        case "MIN_COMBINED":
            half = 0 if least == 0 else (most - least + 1) / 2
            real = (x + half) * _step_between(low, high, kind) + low
        case "MIN_FIRST":
            step = _step_between(low, high, kind)
            is_point = compare.equal(low, high)
            first = compare.where(is_point, low, _round_half_away(low / step) * step)
            real = (x - float(least)) * step + first
        case "SCALED":
            scale = high / float(most)
            if least:
                scale = binary.max_(low / float(least), scale)
            real = x * scale
    return real.cast(dtype)


def _scale_between(x: Value, low: Value, high: Value, least: int, most: int) -> tuple[Value, ...]:
    """The factor that leaves 0 where it is, and the ends of the range that it covers."""
    factors = []
    for end, bound in ((low, least), (high, most)):
        fits = end * float(bound) > 0
        safe = compare.where(fits, end, end.scalar(1))
        factors.append(compare.where(fits, end.scalar(float(bound)) / safe, end.scalar(HUGE)))
    scale = binary.min_(*factors)
    return scale, scale.scalar(float(least)) / scale, scale.scalar(float(most)) / scale


@table.convert("QuantizeV2")
def quantize_v2(
    input: Value,
    min_range: Value,
    max_range: Value,
    *,
    T: Precision,  # noqa: N803
    mode: Mode = "MIN_COMBINED",
    round_mode: Literal["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"] = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> tuple[Value, Value, Value]:
    """Integers for a range that holds 0 and is not too narrow, and the range that they express."""
    if mode != "SCALED" and round_mode != "HALF_AWAY_FROM_ZERO":
        raise Unsupported(f"QuantizeV2 with mode={mode!r} and round_mode={round_mode!r}")
    if axis != -1 and mode == "MIN_FIRST":
        raise Unsupported(f"QuantizeV2 with mode={mode!r} and axis={axis}")
    least, most = _limits(T, narrow_range=narrow_range and mode == "SCALED")
    low = binary.min_(min_range, 0)
    wide = binary.max_(binary.max_(abs(min_range), abs(max_range)), 1)
    margin = wide * np.float32(ensure_minimum_range).item()
    high = binary.max_(binary.max_(max_range, low + margin), 0)
    ends = (low, high)
    beside = [_along(input, end, axis) for end in ends]
    match mode:
        case "MIN_COMBINED":
            inside = binary.max_(binary.min_(input, beside[1]), beside[0])
            factor = input.scalar(float(most - least)) / (beside[1] - beside[0])
            steps = (inside - beside[0]) * factor
            if least:
                whole = _round_half_away(steps - (most - least + 1) / 2)
            else:
                whole = unary.floor(steps + 0.5)
        case "MIN_FIRST":
            count = float(most - least + 1)
            room = (beside[1] - beside[0]) * np.float32(count / (count - 1)).item()
            factor = input.scalar(count) / room
            first = _round_half_away(beside[0] * factor)
            whole = _round_half_away(input * factor) - first + float(least)
        case "SCALED":
            scale, first, last = _scale_between(input, low, high, least, most)
            ends = first, last
            beside = [_along(input, end, axis) for end in ends]
            inside = binary.max_(binary.min_(input, beside[1]), beside[0])
            steps = inside * _along(input, scale, axis)
            is_even = round_mode == "HALF_TO_EVEN"
            whole = _round_half_to_even(steps) if is_even else _round_half_away(steps)
    return _as_integers(whole, T, least, most), ends[0], ends[1]


def _as_integers(whole: Value, kind: Precision, least: int, most: int) -> Value:
    """Whole numbers as integers, the nearest ones where they lie outside.

    TensorFlow's kernels wrap the number behind the highest of 32 bits, which C++ leaves undefined.
    """
    if kind == Precision.INT32:  # as a float the highest is one too high
        over = whole >= float(most)
        inside = compare.where(over, whole.scalar(0), binary.max_(whole, float(least)))
        found = inside.cast(kind)
        return compare.where(over, found.model.constant(most, np.int32), found)
    return binary.max_(binary.min_(whole, float(most)), float(least)).cast(kind)
