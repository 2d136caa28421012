"""Operators of integers, of all widths; an operator may also come first."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnir.model import Value
from nnir.ops import activation, binary, compare, index, linear, logic, reduce, shape, sort, unary
from nnir.types import PadMode, Precision

from .floats import gather_first, padded, reduced, row, turned
from .models import RANKS, Form, Make, Numbers, Table, known


def through(y: Value, n: Numbers, precision: Precision) -> Value:
    """The same numbers, or what is left of them in another precision."""
    return unary.cast(unary.cast(y, dtype=precision), dtype=y.precision)


def half(y: Value, n: Numbers) -> Value:
    halves = binary.mul(unary.cast(y, dtype=Precision.FLOAT32), n.model.constant(np.float32(0.5)))
    return unary.cast(unary.floor(halves), dtype=y.precision)


def looked_up(y: Value, n: Numbers) -> Value:
    """Rows of a table of four."""
    places = logic.bitwise_and(unary.cast(y, dtype=Precision.INT64), n.model.constant(np.int64(3)))
    return index.gather(n(4, 3), places, axis=0)


def within(y: Value, n: Numbers) -> Value:
    inside = logic.and_(compare.greater_equal(y, n.those(1)), compare.less_equal(y, n.those(5)))
    return unary.cast(inside, dtype=y.precision)


def added_to(y: Value, n: Numbers) -> Value:
    places = n.places(*np.zeros(known(y.shape), int))
    return index.scatter_elements(y, places, y, axis=1, reduction="add")


def shifted(y: Value, n: Numbers, *, left: bool) -> Value:
    steps = n.those(n.rng.integers(0, 4, size=y.shape[-1]))  # type: ignore[arg-type]
    return logic.bit_shift(y, steps, left=left)


OPERATORS: dict[str, Make] = {
    "plus_row": lambda y, n: binary.add(y, row(y, n)),
    "times_row": lambda y, n: binary.mul(y, row(y, n)),
    "less_full": lambda y, n: binary.sub(n(*y.shape), y),
    "over_row": lambda y, n: binary.div(y, n.positive(y.shape[-1])),
    "half_toward_zero": lambda y, n: binary.div(y, n.those(2)),
    "floored": lambda y, n: binary.floor_div(y, n.positive(y.shape[-1])),
    "rest": lambda y, n: binary.mod(y, n.positive(y.shape[-1])),
    "rest_of_sign": lambda y, n: binary.mod(y, n.positive(y.shape[-1]), fmod=True),
    "larger": lambda y, n: binary.max_(y, row(y, n)),
    "smaller": lambda y, n: binary.min_(y, n.those(5)),
    "between": lambda y, n: binary.min_(binary.max_(y, n.those(1)), n.those(6)),
    "clipped": lambda y, n: activation.clip(y, n.those(1), n.those(6)),
    "rectified": lambda y, n: activation.relu(y),
    "size": lambda y, n: unary.abs_(y),
    "negative": lambda y, n: unary.neg(y),
    "sign": lambda y, n: unary.sign(y),
    "square": lambda y, n: binary.mul(y, y),
    "power": lambda y, n: binary.pow_(y, n.those(2)),
    "and_row": lambda y, n: logic.bitwise_and(y, row(y, n)),
    "or_five": lambda y, n: logic.bitwise_or(y, n.those(5)),
    "xor_three": lambda y, n: logic.bitwise_xor(y, n.those(3)),
    "inverted": lambda y, n: logic.bitwise_not(y),
    "shifted_up": partial(shifted, left=True),
    "shifted_down": partial(shifted, left=False),
    "matmul": lambda y, n: linear.mat_mul(y, n(y.shape[-1], 4)),
    "matmul_left": lambda y, n: linear.mat_mul(n(3, y.shape[-2]), y),
    "matmul_own": lambda y, n: linear.mat_mul(y, y, transpose_y=True),
    "sum": partial(reduced, name="reduce_sum", ends=(-1,), keepdim=False),
    "sum_1": partial(reduced, name="reduce_sum", ends=(1,), keepdim=True),
    "mean": partial(reduced, name="reduce_mean", ends=(-1,), keepdim=True),
    "max": partial(reduced, name="reduce_max", ends=(-1,), keepdim=True),
    "max_0": partial(reduced, name="reduce_max", ends=(0,), keepdim=False),
    "min": partial(reduced, name="reduce_min", ends=(-2, -1), keepdim=False),
    "product": partial(reduced, name="reduce_prod", ends=(-1,), keepdim=True),
    "product_of_all": partial(reduced, name="reduce_prod", ends=(-2, -1), keepdim=False),
    "running": lambda y, n: reduce.cum_sum(y, [y.rank - 1]),
    "largest_place": lambda y, n: unary.cast(
        reduce.arg_max(y, axis=y.rank - 1, keepdim=True), dtype=y.precision
    ),
    "smallest_place": lambda y, n: unary.cast(
        reduce.arg_min(y, axis=0, keepdim=False), dtype=y.precision
    ),
    "ranked": lambda y, n: sort.top_k(y, [y.shape[-1]], axis=y.rank - 1)[0],
    "place_of_first": lambda y, n: unary.cast(
        sort.top_k(y, [1], axis=y.rank - 1)[1], dtype=y.precision
    ),
    "gather": lambda y, n: index.gather(y, n.places(-1, 0, -1), axis=y.rank - 1),
    "looked_up": looked_up,
    "gather_first": gather_first,
    "scatter": lambda y, n: index.scatter_nd(y, n.places([0]), n(1, *y.shape[1:])),
    "added_to": added_to,
    "beside": lambda y, n: shape.concat(y, n(*y.shape), axis=1),
    "stacked": lambda y, n: shape.stack(y, n(*y.shape), axis=0),
    "turned": lambda y, n: turned(y),
    "line": lambda y, n: shape.reshape(y, [-1]),
    "flat": lambda y, n: shape.reshape(y, [y.shape[0], -1]),
    "padded": lambda y, n: shape.pad(y, [1] * 2 * y.rank),
    "padded_edge": lambda y, n: padded(y, 1, 2, mode=PadMode.EDGE),
    "reversed": lambda y, n: index.slice_(y, [y.rank - 1], [-1], [-99], [-1]),
    "tail": lambda y, n: index.slice_(y, [1], [1], [99]),
    "rolled": lambda y, n: index.roll(y, [1], [1]),
    "tiled": lambda y, n: shape.tile(y, [2] * y.rank),
    "expanded": lambda y, n: shape.expand(y, [2, *y.shape]),
    "cut": lambda y, n: shape.split(y, [1, y.shape[1] - 1], axis=1)[1],
    "masked": lambda y, n: compare.where(compare.greater(y, n.those(2)), y, n(*y.shape)),
    "exchanged": lambda y, n: compare.where(compare.equal(y, row(y, n)), n.those(1), y),
    "is_less": lambda y, n: unary.cast(compare.less(y, row(y, n)), dtype=y.precision),
    "is_below": lambda y, n: unary.cast(
        logic.not_(compare.greater_equal(y, n.those(3))), dtype=y.precision
    ),
    "within": within,
    "half": half,
    "long": partial(through, precision=Precision.INT64),
    "short": partial(through, precision=Precision.INT8),
    "unsigned": partial(through, precision=Precision.UINT8),
    "truth": partial(through, precision=Precision.BOOL8),
}

KINDS = (Precision.INT32, Precision.INT64, Precision.INT8, Precision.UINT8, Precision.INT16)

INTEGERS = Table(
    {name: (make, RANKS[:-1]) for name, make in OPERATORS.items()},
    OPERATORS,
    tuple(Form(kind, opened) for kind in KINDS for opened in ("", "first")),
)
