"""Elements taken and placed by position: GATHER from all elements in one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import build
from ..broadcast import axis_of, ints
from ..build import Size
from ..decomposition import Level
from ..dim import Dim, Expr
from ..errors import BadInput, NotConstant, Unsupported
from ..folding import Folder
from ..model import Value
from ..ops import binary, compare, index, linear, reduce, shape
from ..types import Precision

WHOLE = {Precision.INT32, Precision.INT64}
MOST_PAIRS = 1 << 24
"""So many pairs of a place and an update are compared where positions are not known."""
MOST_ROUNDS = 64
"""So many updates of one place are written out, one after another."""


@index.channel_shuffle.decomposes()
def _channel_shuffle(input: Value, *, group: int) -> Value:
    n, c, *rest = build.sizes_of(input)
    split = build.reshape(input, [n, group, build.over(c, group), *rest])
    perm = (0, 2, 1, *range(3, input.rank + 1))
    return build.reshape(shape.transpose(split, perm=perm), [n, c, *rest])


@index.roll.decomposes()
def _roll(input: Value, shifts: Value, axes: Value | None) -> Value:
    """The end of an axis and what stood before it; by position where a size is not known."""
    if axes is None:
        rolled = _roll_along(build.flatten(input), build.elements(shifts)[0], 0)
        return build.reshape(rolled, build.sizes_of(input))
    along = ints(axes)
    if along is None:
        raise NotConstant("ROLL along axes that are only known while running")
    for amount, axis in zip(build.elements(shifts), along, strict=True):
        input = _roll_along(input, amount, axis_of(axis, input.rank))
    return input


def _roll_along(input: Value, amount: Size, axis: int) -> Value:
    size = build.size_of(input, axis)
    if isinstance(size, int) and isinstance(amount, int):
        cut = -amount % size if size else 0
        parts = [[cut, size], [0, cut]] if cut else []
        pieces = [index.slice_(input, [axis], [begin], [end]) for begin, end in parts]
        return shape.concat(*pieces, axis=axis) if pieces else input
    model = input.model
    positions = build.arange_along(input, axis) - build.vector(model, [amount], negative=True)
    divisor = binary.max_(build.vector(model, [size]), model.constant([1], "int64"))
    return index.gather(input, binary.mod(positions, divisor), axis=axis)


@index.gather_elements.decomposes()
def _gather_elements(input: Value, indices: Value, *, axis: int) -> Value:
    at = axis_of(axis, input.rank)
    if input.rank == 1:
        return index.gather(input, count_from_front(indices, build.size_of(input, 0)), axis=0)
    places = _places_along(input, indices, at)
    return index.gather(build.flatten(input), places, axis=0)


@index.gather_nd.decomposes()
def _gather_nd(input: Value, indices: Value, *, batch_dims: int) -> Value:
    sizes = build.sizes_of(input)
    depth = batch_dims + int(indices.shape[-1])  # type: ignore[arg-type]  # the rule wants it known
    rows = build.reshape(input, [build.product(sizes[:depth]), *sizes[depth:]])
    columns = _columns(indices, sizes[batch_dims:depth])
    strides = [build.product(sizes[k + 1 : depth]) for k in range(depth)]
    places = _sum_of(columns, strides[batch_dims:])
    for axis in range(batch_dims):
        places = places + _times(_counts(places, axis), strides[axis])
    return index.gather(rows, places, axis=0)


@index.reverse_sequence.decomposes()
def _reverse_sequence(input: Value, lengths: Value, *, batch_axis: int, time_axis: int) -> Value:
    batch, time = axis_of(batch_axis, input.rank), axis_of(time_axis, input.rank)
    order = [batch, time, *(a for a in range(input.rank) if a not in (batch, time))]
    back = tuple(int(a) for a in np.argsort(order))
    x = shape.transpose(input, perm=tuple(order))
    length = shape.unsqueeze(_whole(lengths), [1])
    step = build.arange_along(x, 1, length.precision)
    place = compare.where(step < length, length - step - 1, step)
    return shape.transpose(_take_rows(x, place), perm=back)


@index.scatter_nd.decomposes()
def _scatter_nd(input: Value, indices: Value, updates: Value, *, reduction: str) -> Value:
    rows, places, each = rows_and_places(input, indices, updates)
    return build.reshape(_place(rows, places, each, reduction), build.sizes_of(input))


@index.scatter_nd.decomposes(level=Level.ROUNDING)
def _scatter_nd_in_any_order(
    input: Value, indices: Value, updates: Value, *, reduction: str
) -> Value:
    rows, places, each = rows_and_places(input, indices, updates)
    return build.reshape(_place_each(rows, places, each, reduction), build.sizes_of(input))


@index.scatter_nd.decomposes(level=Level.ROUNDING)
def _scatter_nd_sums(input: Value, indices: Value, updates: Value, *, reduction: str) -> Value:
    """The sum over all updates, times 1 where the positions agree: a matrix product.

    A number that is not finite makes its whole column NaN.
    """
    if reduction != "add" or not input.is_float:
        raise Unsupported(f"updates {updates.type} by {reduction!r} at positions {indices.type}")
    rows, places, each = rows_and_places(input, indices, updates)
    width = build.product(build.sizes_of(rows)[1:])
    targets = shape.unsqueeze(_rows_of(rows, places), [1])
    same = compare.equal(targets, shape.unsqueeze(places, [0])).cast(input.precision)
    sums = linear.mat_mul(same, build.reshape(each, [build.size_of(each, 0), width]))
    return input + build.reshape(sums, build.sizes_of(input))


@index.scatter_elements.decomposes()
def _scatter_elements(
    input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Value:
    if 0 in indices.shape:
        return input
    at = axis_of(axis, input.rank)
    flat, places, each = elements_and_places(input, indices, updates, axis=axis)
    known = _fold_positions(places)
    if known is None and reduction == "none" and _covers(input, indices, at):
        return _scatter_along(input, indices, updates, at)
    placed = _place(flat, places, each, reduction)
    return build.reshape(placed, build.sizes_of(input))


@index.scatter_elements.decomposes(level=Level.ROUNDING)
def _scatter_elements_in_any_order(
    input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Value:
    flat, places, each = elements_and_places(input, indices, updates, axis=axis)
    return build.reshape(_place_each(flat, places, each, reduction), build.sizes_of(input))


def elements_and_places(
    input: Value, indices: Value, updates: Value, *, axis: int
) -> tuple[Value, Value, Value]:
    """The elements of the input and the updates of SCATTER_ELEMENTS as vectors, and which element
    each update is for."""
    places = _places_along(input, indices, axis_of(axis, input.rank))
    return build.flatten(input), build.flatten(places), build.flatten(updates)


def rows_and_places(input: Value, indices: Value, updates: Value) -> tuple[Value, Value, Value]:
    """The input and the updates of SCATTER_ND as rows, and which row each update is for."""
    depth = indices.shape[-1]
    if not isinstance(depth, int) or depth == 0:
        raise Unsupported(f"updates {updates.type} of the whole tensor, at {indices.type}")
    sizes = build.sizes_of(input)
    strides = [build.product(sizes[k + 1 : depth]) for k in range(depth)]
    places = build.flatten(_sum_of(_columns(indices, sizes[:depth]), strides))
    rows = build.reshape(input, [build.product(sizes[:depth]), *sizes[depth:]])
    return rows, places, build.reshape(updates, [build.size_of(places, 0), *sizes[depth:]])


def _place(rows: Value, places: Value, each: Value, reduction: str) -> Value:
    """Updates at their places, as if one after another."""
    known = _fold_positions(places)
    if known is not None:
        return _place_known(rows, known, each, reduction)
    if reduction == "none":
        return _place_last(rows, places, each)
    if not rows.is_integer and reduction in ("add", "mul"):
        raise NotConstant(f"updates by {reduction!r} in order, at positions computed by the model")
    return _place_each(rows, places, each, reduction)


def count_from_front(indices: Value, size: Size) -> Value:
    """Positions along an axis of `size`, of which those below 0 counted from its end.

    Raises BadInput for known ones outside of the axis: among all elements in one row they would be
    those of another row. Positions that the model computes have to lie inside.
    """
    positions = _whole(indices)
    known = positions.known
    if known is not None and isinstance(size, int):
        outside = (known < -size) | (known >= size)
        if outside.any():
            raise BadInput(f"position {known[outside][0]} along an axis of {size}")
    if known is not None and not (known < 0).any():
        return positions
    if isinstance(size, int):
        far = positions + size
    else:  # a vector of one
        count = size if positions.rank else shape.reshape(size, [])
        far = positions + count.cast(positions.precision)
    return compare.where(positions < 0, far, positions)


def _whole(indices: Value) -> Value:
    return indices if indices.precision in WHOLE else build.int64(indices)


def _fold_positions(places: Value) -> np.ndarray | None:
    """Where all places are known: what they are computed from is constant."""
    known = Folder().constant_of(places)
    return None if known is None else known.astype(np.int64)


def _times(value: Value, size: Size) -> Value:
    if isinstance(size, int):
        return value if size == 1 else value * size
    return value * shape.reshape(size, []).cast(value.precision)


def _counts(beside: Value, axis: int) -> Value:
    """0, 1, ... along one axis, in the precision of `beside` and broadcasting with it."""
    return build.arange_along(beside, axis, beside.precision, aligned=True)


def _sum_of(columns: Sequence[Value], strides: Sequence[Size]) -> Value:
    total = _times(columns[0], strides[0])
    for column, stride in zip(columns[1:], strides[1:], strict=True):
        total = total + _times(column, stride)
    return total


def _columns(indices: Value, sizes: Sequence[Size]) -> list[Value]:
    """The entries of the vectors along the last axis, counted from the front."""
    last = indices.rank - 1
    columns = []
    for k, size in enumerate(sizes):
        entry = indices
        if len(sizes) > 1:
            entry = index.slice_(indices, [last], [k], [k + 1])
        columns.append(count_from_front(shape.squeeze(entry, [last]), size))
    return columns


def _places_along(input: Value, indices: Value, axis: int) -> Value:
    """Where each index points among all elements of the input."""
    sizes = build.sizes_of(input)
    places = _times(count_from_front(indices, sizes[axis]), build.product(sizes[axis + 1 :]))
    for other in range(input.rank):
        if other != axis and indices.shape[other] != 1:
            stride = build.product(sizes[other + 1 :])
            places = places + _times(_counts(indices, other).cast(places.precision), stride)
    return places


def _take_rows(x: Value, places: Value) -> Value:
    """The rows x[b, places[b, t]] for every b and t."""
    batch, time, *rest = build.sizes_of(x)
    rows = build.reshape(x, [build.times(batch, time), *rest])
    return index.gather(rows, places + _times(_counts(places, 0), time), axis=0)


def _rows_of(rows: Value, places: Value) -> Value:
    """The numbers of all rows, as far as comparing each with each place is reasonable."""
    count, updates = rows.shape[0], places.shape[0]
    known = not isinstance(count, Expr) and not isinstance(updates, Expr)
    if known and count * updates > MOST_PAIRS:  # type: ignore[operator]
        raise Unsupported(f"{updates} updates of {count} places, over {MOST_PAIRS} pairs")
    return build.arange_along(rows, 0, places.precision)


def _place_last(rows: Value, places: Value, each: Value) -> Value:
    """Rows replaced by the last update of each."""
    if places.shape[0] == 0:
        return rows
    numbers = shape.unsqueeze(_rows_of(rows, places), [1])
    behind = _from(build.arange_along(places, 0, places.precision), build.size_of(rows, 0))
    same = compare.equal(numbers, shape.unsqueeze(places, [0]))
    winner = compare.where(same, shape.unsqueeze(behind, [0]), numbers)
    chosen = _choose_last(winner, numbers, places.shape[0])
    return index.gather(shape.concat(rows, each, axis=0), chosen, axis=0)


def _choose_last(winner: Value, numbers: Value, count: Dim) -> Value:
    """The largest along the last axis; the place itself where that holds nothing."""
    chosen = reduce.reduce_max(winner, [-1], keepdim=False)
    if not isinstance(count, Expr):
        return chosen
    return binary.max_(chosen, shape.squeeze(numbers, [-1]))


def _from(counts: Value, first: Size) -> Value:
    """Counts that begin at `first`."""
    return counts + (
        first if isinstance(first, int) else shape.reshape(first, []).cast(counts.precision)
    )


COMBINED: dict[str, Callable[[Value, Value], Value]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "max": binary.max_,
    "min": binary.min_,
}


TOTALS: dict[str, Callable[..., Value]] = {
    "add": reduce.reduce_sum,
    "mul": reduce.reduce_prod,
    "max": reduce.reduce_max,
    "min": reduce.reduce_min,
}
NOTHING: dict[str, Callable[[Value], Any]] = {
    "add": lambda x: 0,
    "mul": lambda x: 1,
    "max": lambda x: reduce.lowest(x.dtype),
    "min": lambda x: reduce.highest(x.dtype),
}
"""What changes nothing."""


def _place_known(rows: Value, places: np.ndarray, each: Value, reduction: str) -> Value:
    """Updates at places that are known: one GATHER, or one for each time that a place occurs."""
    count = rows.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"the places of {rows.type}")
    if reduction == "none":
        source = np.arange(count)
        source[places] = count + np.arange(places.size)  # the last of equal places stays
        return index.gather(shape.concat(rows, each, axis=0), source, axis=0)
    if rows.precision == Precision.BOOL8:
        raise Unsupported(f"updates of truth values by {reduction!r}")
    order = np.argsort(places, kind="stable")
    inverse, number = np.unique(places[order], return_inverse=True), np.empty(places.size, int)
    first = np.searchsorted(places[order], inverse[0])
    number[order] = np.arange(places.size) - first[inverse[1]]
    rounds = int(number.max(initial=-1)) + 1
    if rounds > MOST_ROUNDS:
        raise Unsupported(f"{rounds} updates of one place, over {MOST_ROUNDS}")
    result = rows
    for turn in range(rounds):
        mine = np.flatnonzero(number == turn)
        update, touched = np.zeros(count, np.int64), np.zeros(count, np.bool_)
        update[places[mine]], touched[places[mine]] = mine, True
        combined = COMBINED[reduction](result, index.gather(each, update, axis=0))
        mask = rows.model.constant(touched.reshape(-1, *(1,) * (rows.rank - 1)))
        result = combined if touched.all() else compare.where(mask, combined, result)
    return result


def _place_each(rows: Value, places: Value, each: Value, reduction: str) -> Value:
    """Each row combined with all of its updates at once."""
    if reduction not in NOTHING:
        raise Unsupported(f"updates {each.type} in any order, of which the last is to stay")
    if rows.precision == Precision.BOOL8:
        raise Unsupported(f"updates of truth values by {reduction!r}")
    width = [d for d in (*rows.shape, *places.shape) if not isinstance(d, Expr)]
    if np.prod(width, dtype=np.float64) > MOST_PAIRS:
        raise Unsupported(f"{each.type} into {rows.type}, over {MOST_PAIRS} pairs")
    more = rows.rank - 1
    numbers = shape.unsqueeze(_rows_of(rows, places), list(range(1, 2 + more)))
    beside = shape.unsqueeze(places, [0, *range(2, 2 + more)])
    nothing = NOTHING[reduction](rows)
    mine = compare.where(compare.equal(numbers, beside), shape.unsqueeze(each, [0]), nothing)
    total = TOTALS[reduction](mine, [1], keepdim=False)
    return COMBINED[reduction](rows, total)


def _covers(input: Value, indices: Value, axis: int) -> bool:
    """Whether the indices have the sizes of the input, but along one axis."""
    return all(
        a == axis or m == n for a, (m, n) in enumerate(zip(input.shape, indices.shape, strict=True))
    )


def _scatter_along(input: Value, indices: Value, updates: Value, axis: int) -> Value:
    """Each place along the axis compared with each index beside it; the last that agrees wins."""
    sizes = [d for d in (*indices.shape, input.shape[axis]) if not isinstance(d, Expr)]
    if np.prod(sizes, dtype=np.float64) > MOST_PAIRS:
        raise Unsupported(f"{updates.type} into {input.type}, over {MOST_PAIRS} pairs")
    places = count_from_front(indices, build.size_of(input, axis))
    counts = build.arange_along(input, axis, places.precision, aligned=True)
    numbers = shape.unsqueeze(counts, [-1])
    if numbers.rank <= input.rank:
        numbers = shape.unsqueeze(numbers, list(range(input.rank + 1 - numbers.rank)))
    beside = shape.transpose(shape.unsqueeze(places, [axis]), perm=_last(axis + 1, input.rank + 1))
    behind = _from(build.arange_along(indices, axis, places.precision), build.size_of(input, axis))
    winner = compare.where(compare.equal(beside, numbers), behind, numbers)
    chosen = _choose_last(winner, numbers, indices.shape[axis])
    return index.gather_elements(shape.concat(input, updates, axis=axis), chosen, axis=axis)


def _last(axis: int, rank: int) -> tuple[int, ...]:
    return (*(a for a in range(rank) if a != axis), axis)
