"""Paddle's quantisation, whose whole numbers are floats."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of, shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, index, reduce, shape, unary
from nnir.types import Precision

from ...table import Items, Pair, Table
from .boxes import rounded_away, times

table = Table()
FLOATS_OF_8_BITS = (448, 57344)
LEAST = 1e-30
"""Scales that are not larger are bounded."""


def along(values: Value, x: Value, axis: int) -> Value:
    """One value for all, or one for each entry of an axis, so that it broadcasts to `x`."""
    if all(d == 1 for d in values.shape):
        if axis >= 0 and shapes_differ(x.shape[axis : axis + 1], (1,)):
            raise BadType(f"scales {values.type} along axis {axis} of {x.type}")
        return shape.reshape(values, []) if values.rank else values
    if axis < 0:
        raise Unsupported(f"scales {values.type} for all of {x.type}")
    place = axis_of(axis, x.rank)
    after = list(range(1, x.rank - place))
    flat = shape.reshape(values, [-1]) if values.rank != 1 else values
    if shapes_differ(flat.shape, x.shape[place : place + 1]):
        raise BadType(f"scales {values.type} along axis {axis} of {x.type}")
    return shape.unsqueeze(flat, after) if after else flat


def inverse(scale: Value) -> Value:
    """1 / scale, which is bounded."""
    tiny = scale <= LEAST
    bounded = scale + 1e-6
    return unary.reciprocal(compare.where(tiny, bounded, scale))


def steps(x: Value, scale: Value, qmax: int, round_type: int) -> Value:
    """How many steps of scale / qmax; halves go to even ones (0) or away from zero (1)."""
    if qmax in FLOATS_OF_8_BITS:
        raise Unsupported(f"quantisation to floats of 8 bits, {qmax=}")
    factor = times(inverse(scale), qmax)
    match round_type:
        case 0:
            whole = unary.round_(factor * x)
            return activation.clip(whole, -qmax - 1, qmax)
        case 1:
            inside = binary.max_(binary.min_(x, scale), -scale)
            return rounded_away(factor * inside)
    raise Unsupported(f"quantisation with {round_type=}")


def most(bit_length: int) -> int:
    """The largest whole number of so many bits, one of them a sign."""
    return (1 << (bit_length - 1)) - 1


def require_test(op: str, is_test: bool) -> None:
    """Unsupported where the scale would be learnt."""
    if not is_test:
        raise Unsupported(f"{op} that trains")


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
    """The zero point does not count."""
    require_test("quantize_linear", is_test or back)
    if quant_axis >= 0 and shapes_differ(scale.shape, zero_point.shape):
        raise BadType(f"quantize_linear with scales {scale.type} and zeros {zero_point.type}")
    if only_observer:
        return x, in_state, in_accum, scale
    factor = along(scale, x, quant_axis)
    made = x.cast(scale.precision) * factor / qmax if back else steps(x, factor, qmax, round_type)
    return made, in_state, in_accum, scale


def largest(x: Value, axis: int | None = None) -> Value:
    """The size of the largest element, or of that of each entry of an axis."""
    if axis is not None and x.rank < 2:
        raise BadType(f"scales for each entry of axis {axis} of {x.type}")
    axes = [k for k in range(x.rank) if k != axis]
    size = reduce.reduce_max(abs(x), axes, keepdim=False)
    return size if axis is not None else shape.reshape(size, [1])


def fake(
    x: Value, scale: Value, axis: int, bit_length: int, round_type: int, *, back: bool
) -> Value:
    """Whole numbers of steps, or with `back` what these stand for."""
    qmax, factor = most(bit_length), along(scale, x, axis)
    made = steps(x, factor, qmax, round_type)
    return made * factor / qmax if back else made


@table.convert("fake_quantize_abs_max", back=False)
@table.convert("fake_quantize_dequantize_abs_max", back=True)
def fake_quantize_abs_max(x: Value, bit_length: int, round_type: int, *, back: bool) -> Pair:
    scale = largest(x)
    return fake(x, scale, -1, bit_length, round_type, back=back), scale


@table.convert("fake_channel_wise_quantize_abs_max")
def fake_channel_wise_quantize_abs_max(
    x: Value, bit_length: int, round_type: int, quant_axis: int, is_test: bool
) -> Pair:
    require_test("fake_channel_wise_quantize_abs_max", not is_test)  # it would read a scale
    scale = largest(x, quant_axis)
    return fake(x, scale, quant_axis, bit_length, round_type, back=False), scale


@table.convert("fake_channel_wise_quantize_dequantize_abs_max")
def fake_channel_wise_quantize_dequantize_abs_max(
    x: Value, bit_length: int, round_type: int, quant_axis: int
) -> Pair:
    scale = largest(x, quant_axis)
    return fake(x, scale, quant_axis, bit_length, round_type, back=True), scale


def _moving(name: str, back: bool) -> None:
    def convert(
        x: Value,
        in_scale: Value,
        in_accum: Value | None,
        in_state: Value | None,
        moving_rate: float,
        bit_length: int,
        is_test: bool,
        round_type: int,
    ) -> Value:
        require_test(name, is_test)
        return fake(x, in_scale, -1, bit_length, round_type, back=back)

    table.convert(name, f"{name}_")(convert)


_moving("fake_quantize_moving_average_abs_max", False)
_moving("fake_quantize_dequantize_moving_average_abs_max", True)


@table.convert("fake_quantize_range_abs_max", "fake_quantize_range_abs_max_")
def fake_quantize_range_abs_max(
    x: Value,
    in_scale: Value,
    iter: Value | None,
    window_size: int,
    bit_length: int,
    is_test: bool,
    round_type: int,
) -> Value:
    require_test("fake_quantize_range_abs_max", is_test)
    return fake(x, in_scale, -1, bit_length, round_type, back=False)


@table.convert("moving_average_abs_max_scale", "moving_average_abs_max_scale_")
def moving_average_abs_max_scale(
    x: Value,
    in_accum: Value | None,
    in_state: Value | None,
    moving_rate: float,
    is_test: bool,
) -> Value:
    require_test("moving_average_abs_max_scale", is_test)
    return x


@table.convert("fake_dequantize_max_abs")
def fake_dequantize_max_abs(x: Value, scale: Value, max_range: float) -> Value:
    return x * along(scale, x, -1) / max_range


@table.convert("fake_channel_wise_dequantize_max_abs")
def fake_channel_wise_dequantize_max_abs(
    x: Value,
    scales: Items,
    quant_bits: tuple[int, ...],
    quant_axis: int,
    x_num_col_dims: int,
) -> Value:
    if len(scales) != 1:
        raise Unsupported(f"fake_channel_wise_dequantize_max_abs with {len(scales)} scales")
    factor = along(scales[0], x, quant_axis)
    return x * factor / most(quant_bits[0])


@table.convert("dequantize_abs_max")
def dequantize_abs_max(x: Value, scale: Value, max_range: float) -> Value:
    wide = x.cast(scale.precision)
    return wide * along(scale, x, -1) / max_range


@table.convert("dequantize_log")
def dequantize_log(x: Value, dict: Value) -> Value:
    """Entries of a table, for negative numbers with the other sign."""
    if dict.rank != 1:
        raise BadType(f"dequantize_log with a table {dict.type}: a vector is needed")
    place = x.cast(Precision.INT64)
    negative = place < np.int64(0)
    found = index.gather(dict, compare.where(negative, place + np.int64(128), place))
    return compare.where(negative, -found, found)
