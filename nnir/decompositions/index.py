"""Elements taken and placed by position: GATHER from all elements in one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import build
from ..broadcast import axis_of
from ..build import Size
from ..decomposition import Level
from ..dim import Expr
from ..errors import NotConstant, Unsupported
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
    depth = indices.shape[-1]
    if not isinstance(depth, int) or depth == 0:
        raise Unsupported(f"updates {updates.type} of the whole tensor, at {indices.type}")
    sizes = build.sizes_of(input)
    rows = build.reshape(input, [build.product(sizes[:depth]), *sizes[depth:]])
    strides = [build.product(sizes[k + 1 : depth]) for k in range(depth)]
    places = build.flatten(_sum_of(_columns(indices, sizes[:depth]), strides))
    each = build.reshape(updates, [build.size_of(places, 0), *sizes[depth:]])
    known = places.known if places.known is not None else _folded(places)
    if known is not None:
        placed = _place_known(rows, known.astype(np.int64), each, reduction)
    elif reduction == "none":
        placed = _place_last(rows, places, each)
    else:
        raise NotConstant(f"updates by {reduction!r} at positions computed by the model")
    return build.reshape(placed, sizes)


@index.scatter_nd.decomposes(level=Level.ROUNDING)
def _scatter_nd_sums(input: Value, indices: Value, updates: Value, *, reduction: str) -> Value:
    """The sum over all updates, times 1 where the positions agree: a matrix product."""
    depth = indices.shape[-1]
    if reduction != "add" or not isinstance(depth, int) or depth == 0 or not input.is_float:
        raise Unsupported(f"updates {updates.type} by {reduction!r} at positions {indices.type}")
    sizes = build.sizes_of(input)
    strides = [build.product(sizes[k + 1 : depth]) for k in range(depth)]
    places = build.flatten(_sum_of(_columns(indices, sizes[:depth]), strides))
    count, row = build.product(sizes[:depth]), build.product(sizes[depth:])
    each = build.reshape(updates, [build.size_of(places, 0), row])
    targets = _rows_of(build.reshape(input, [count, row]), places)
    same = compare.equal(shape.unsqueeze(targets, [1]), shape.unsqueeze(places, [0]))
    return input + build.reshape(linear.mat_mul(same.cast(input.precision), each), sizes)


@index.scatter_elements.decomposes()
def _scatter_elements(
    input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Value:
    at = axis_of(axis, input.rank)
    places = build.flatten(_places_along(input, indices, at))
    known = places.known if places.known is not None else _folded(places)
    if known is None:
        return _scatter_along(input, indices, updates, at, reduction)
    rows, each = build.flatten(input), build.flatten(updates)
    placed = _place_known(rows, known.astype(np.int64), each, reduction)
    return build.reshape(placed, build.sizes_of(input))


def count_from_front(indices: Value, size: Size) -> Value:
    """Positions along an axis of `size`, of which those below 0 counted from its end."""
    positions = _whole(indices)
    known = positions.known
    if known is not None and not (known < 0).any():
        return positions
    far = positions + (size if isinstance(size, int) else size.cast(positions.precision))
    return compare.where(positions < 0, far, positions)


def _whole(indices: Value) -> Value:
    return indices if indices.precision in WHOLE else build.int64(indices)


def _folded(value: Value) -> np.ndarray | None:
    """What a value is where all that it is computed from is known."""
    from ..folding import Folder

    return Folder().constant_of(value)


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
            entry = index.slice_(indices, [last], [k], [k + 1], [1])
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
    numbers = shape.unsqueeze(_rows_of(rows, places), [1])
    behind = _times_one(build.arange_along(places, 0, places.precision), build.size_of(rows, 0))
    same = compare.equal(numbers, shape.unsqueeze(places, [0]))
    winner = compare.where(same, shape.unsqueeze(behind, [0]), numbers)
    chosen = reduce.reduce_max(winner, [1], keepdim=False)
    return index.gather(shape.concat(rows, each, axis=0), chosen, axis=0)


def _times_one(counts: Value, first: Size) -> Value:
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


def _scatter_along(
    input: Value, indices: Value, updates: Value, axis: int, reduction: str
) -> Value:
    """Each place along the axis compared with each index beside it."""
    if reduction != "none":
        raise NotConstant(f"updates by {reduction!r} at positions computed by the model")
    others = [a for a in range(input.rank) if a != axis]
    if any(input.shape[a] != indices.shape[a] for a in others):
        raise NotConstant(f"positions {indices.type} computed by the model into {input.type}")
    sizes = [*indices.shape, input.shape[axis]]
    if not any(isinstance(d, Expr) for d in sizes) and np.prod(sizes) > MOST_PAIRS:  # type: ignore[arg-type]
        raise Unsupported(f"{updates.type} into {input.type}, over {MOST_PAIRS} pairs")
    places = count_from_front(indices, build.size_of(input, axis))
    numbers = shape.unsqueeze(_counts(input, axis).cast(places.precision), [-1])
    if numbers.rank <= input.rank:
        numbers = shape.unsqueeze(numbers, list(range(input.rank + 1 - numbers.rank)))
    beside = shape.transpose(shape.unsqueeze(places, [axis]), perm=_last(axis + 1, input.rank + 1))
    behind = _times_one(
        build.arange_along(indices, axis, places.precision), build.size_of(input, axis)
    )
    winner = compare.where(compare.equal(beside, numbers), behind, numbers)
    chosen = reduce.reduce_max(winner, [-1], keepdim=False)
    return index.gather_elements(shape.concat(input, updates, axis=axis), chosen, axis=axis)


def _last(axis: int, rank: int) -> tuple[int, ...]:
    return (*(a for a in range(rank) if a != axis), axis)
