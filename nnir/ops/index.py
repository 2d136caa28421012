"""Operators that select or place elements by position."""

from __future__ import annotations

import numpy as np

from ..broadcast import axes_of, axis_of, contents, ints, length_of, text
from ..dim import Dim, Expr, ceil_div, differ, is_natural, maximum, minimum
from ..model import Index, Value
from ..numeric import at_positions, wide
from ..operator import Pattern, operator, require
from ..types import Precision, TensorType
from .rules import carry_data, common_dim, fresh, require_integers

FAR = 1 << 30
"""From here on a bound of SLICE means "to the end", whatever the axis."""


@at_positions()
def _gather(input: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    return np.take(input, indices.astype(np.int64), axis)


@operator(pattern=Pattern.MOVEMENT, code=30, reference=_gather, content=carry_data(_gather))
def gather(input: Value, indices: Index, *, axis: int = 0) -> TensorType:
    """Take entries along an axis.

    Types: any; `indices` holds integers.
    Shapes: the shape of `indices` takes the place of the axis.
    Edges: negative indices count from the end; one outside [-size, size) fails while running.
    """
    require_integers(indices, "the indices of gather")
    place = axis_of(axis, input.rank)
    check_bounds(indices, input.shape[place], "gather")
    shape = (*input.shape[:place], *indices.shape, *input.shape[place + 1 :])
    return input.type.with_shape(shape)


def check_bounds(indices: Value, size: Dim, what: str) -> None:
    """BadType where indices that are known now lie outside an axis."""
    known = indices.constant
    if known is not None and known.size and not isinstance(size, Expr):
        fits = -size <= int(known.min()) and int(known.max()) < size
        require(fits, f"{what} with indices outside an axis of {size}")


def _roll(input: np.ndarray, shifts: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    amounts = tuple(int(s) for s in shifts.flat)
    if axes is None:
        return np.roll(input, amounts[0])
    return np.roll(input, amounts, tuple(int(a) for a in axes.flat))


@operator(pattern=Pattern.MOVEMENT, code=71, reference=_roll)
def roll(input: Value, shifts: Index, axes: Index | None = None) -> TensorType:
    """Shift elements cyclically: element i moves to (i + shift) mod size.

    Types: any; `shifts` and `axes` hold integers.
    Shapes: as many shifts as axes; without `axes` one shift rolls the flattened tensor.
    """
    require_integers(shifts, "the shifts of roll")
    require_integers(axes, "the axes of roll")
    count = 1 if axes is None else length_of(axes)
    require(length_of(shifts) == count, f"roll by {shifts.type} on {count} axes")
    for axis in ints(axes) or ():
        axis_of(axis, input.rank)
    return input.type


def _channel_shuffle(input: np.ndarray, *, group: int) -> np.ndarray:
    n, c, *rest = input.shape
    return input.reshape(n, group, c // group, *rest).swapaxes(1, 2).reshape(input.shape)


@operator(pattern=Pattern.MOVEMENT, code=11, reference=_channel_shuffle)
def channel_shuffle(input: Value, *, group: int) -> TensorType:
    """Interleave groups of channels: out[k * group + g] = in[g * (C / group) + k] on axis 1.

    Types: any.
    Shapes: at least rank 2; `group` divides the number of channels.
    """
    require(input.rank >= 2 and group > 0, f"channel_shuffle of {input.type} by {group}")
    channels = input.shape[1]
    fits = isinstance(channels, Expr) or channels % group == 0
    require(fits, f"channel_shuffle of {channels} channels by {group}")
    return input.type


@at_positions()
def _slice(
    input: np.ndarray,
    axes: np.ndarray | None,
    starts: np.ndarray,
    ends: np.ndarray,
    steps: np.ndarray | None = None,
) -> np.ndarray:
    count = starts.size
    where = range(count) if axes is None else [int(a) for a in axes.flat]
    by = [1] * count if steps is None else [int(s) for s in steps.flat]
    cut: list[slice] = [slice(None)] * input.ndim
    for axis, start, end, step in zip(where, starts.flat, ends.flat, by, strict=True):
        first, stop, step = slice(int(start), int(end), step).indices(input.shape[axis])
        cut[axis] = slice(first, None if stop < 0 else stop, step)
    return input[tuple(cut)]


@operator(pattern=Pattern.MOVEMENT, code=76, reference=_slice, content=carry_data(_slice))
def slice_(
    input: Value, axes: Index | None, starts: Index, ends: Index, steps: Index | None = None
) -> TensorType:
    """Elements from `starts` up to `ends`, not included, in `steps`, on some axes.

    Types: any; the others hold integers.
    Shapes: one start, end and step (1 when absent) per axis; absent `axes` are the first ones.
    Edges: bounds are those of Python's slices: a negative one counts from the end, one too far is
    clipped, an empty range gives size 0; a negative step walks backwards.
    """
    for value in (axes, starts, ends, steps):
        require_integers(value, "the bounds of slice")
    count = length_of(starts)
    where = tuple(range(count)) if axes is None else ints(axes)
    if where is None:
        return input.type.with_shape(fresh(input, input.rank))
    places = axes_of(where, input.rank)
    first, last = contents(starts), contents(ends)
    by = (1,) * count if steps is None else ints(steps)
    given = {len(b) for b in (places, first, last, by) if b is not None}
    require(len(given) <= 1, f"slice of {input.type} with {given} bounds")
    require(by is None or 0 not in by, "slice with step 0")
    shape = list(input.shape)
    for i, place in enumerate(places):
        length = None
        if first is not None and last is not None and by is not None:
            length = _length(shape[place], first[i], last[i], by[i])
        shape[place] = input.model.fresh() if length is None else length
    return input.type.with_shape(tuple(shape))


def _length(size: Dim, start: Dim, end: Dim, step: int) -> Dim | None:
    """How many elements a slice keeps, where that can be said."""
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        return len(range(*slice(start, end, step).indices(size)))
    if step < 0:
        whole = start in (-1, size - 1) or (isinstance(start, int) and start >= FAR)
        to_the_front = isinstance(end, int) and end <= -FAR
        return ceil_div(size, -step) if whole and to_the_front else None
    first, last = _clip_bound(start, size), _clip_bound(end, size)
    if first is None or last is None:
        return None
    return ceil_div(last if first == 0 else maximum(last - first, 0), step)


def _clip_bound(bound: Dim, size: Dim) -> Dim | None:
    """A bound of a slice that walks forwards, clipped to [0, size]."""
    if isinstance(bound, Expr):
        if bound == size:
            return size
        return minimum(bound, size) if is_natural(bound) else None
    if bound >= FAR:
        return size
    if bound < 0:
        return 0 if bound <= -FAR else maximum(size + bound, 0)
    return minimum(bound, size) if bound else 0


def _along(indices: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """Positions in all axes for `indices` along one."""
    grid = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices.astype(np.int64)
    return tuple(grid)


@at_positions()
def _gather_elements(input: np.ndarray, indices: np.ndarray, *, axis: int) -> np.ndarray:
    return np.asarray(input[_along(indices, axis)])


@operator(pattern=Pattern.MOVEMENT, code=1300, reference=_gather_elements)
def gather_elements(input: Value, indices: Index, *, axis: int = 0) -> TensorType:
    """Take one element per index: its own position, but for `axis`, where the index says it.

    Types: any; `indices` holds integers.
    Shapes: that of `indices`, which has the input's rank and nowhere but on `axis` larger sizes.
    Edges: negative indices count from the end.
    """
    require_integers(indices, "the indices of gather_elements")
    require(indices.rank == input.rank, f"gather_elements of {input.type} at {indices.type}")
    check_bounds(indices, input.shape[axis_of(axis, input.rank)], "gather_elements")
    return input.type.with_shape(indices.shape)


@at_positions()
def _gather_nd(input: np.ndarray, indices: np.ndarray, *, batch_dims: int) -> np.ndarray:
    grid = np.ogrid[tuple(slice(n) for n in input.shape[:batch_dims])] if batch_dims else ()
    trailing = indices.ndim - 1 - batch_dims
    batch = [g.reshape(g.shape + (1,) * trailing) for g in grid]
    return np.asarray(input[(*batch, *np.moveaxis(indices, -1, 0).astype(np.int64))])


@operator(pattern=Pattern.MOVEMENT, code=1301, reference=_gather_nd)
def gather_nd(input: Value, indices: Index, *, batch_dims: int = 0) -> TensorType:
    """Take slices at positions given by the vectors along the last axis of `indices`.

    Types: any; `indices` holds integers.
    Shapes: the first `batch_dims` axes are common to both; a vector of n entries selects in the n
    axes after those.
    Edges: negative indices count from the end.
    """
    require_integers(indices, "the indices of gather_nd")
    depth = _depth(indices, input.rank - batch_dims, "gather_nd")
    require(0 <= batch_dims < max(indices.rank, 1), f"gather_nd with batch_dims {batch_dims}")
    batch = tuple(
        common_dim(pair, "gather_nd")
        for pair in zip(input.shape[:batch_dims], indices.shape[:batch_dims], strict=True)
    )
    rest = (*indices.shape[batch_dims:-1], *input.shape[batch_dims + depth :])
    return input.type.with_shape(batch + rest)


def _depth(indices: Value, rank: int, what: str) -> int:
    """The length of the vectors along the last axis."""
    depth = indices.shape[-1] if indices.rank else None
    known = isinstance(depth, int)
    require(known and 0 < depth <= rank, f"{what} in {rank} axes at {indices.type}")  # type: ignore[operator]
    return int(depth)  # type: ignore[arg-type]


REDUCTIONS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@at_positions()
def _place(
    result: np.ndarray, where: tuple[np.ndarray, ...], updates: np.ndarray, reduction: str
) -> np.ndarray:
    if reduction == "none":
        result[where] = updates
    elif result.dtype == np.bool_:  # no ufunc takes bools at repeated positions for mul and add
        same = {"add": "max", "mul": "min"}.get(reduction, reduction)
        REDUCTIONS[same].at(result, where, updates)
    else:
        REDUCTIONS[reduction].at(result, where, updates)
    return result


@wide
def _scatter_elements(
    input: np.ndarray,
    indices: np.ndarray,
    updates: np.ndarray,
    *,
    axis: int,
    reduction: str,
) -> np.ndarray:
    return _place(input.copy(), _along(indices, axis), updates, reduction)


def _check_scatter(input: Value, indices: Value, updates: Value, reduction: str, what: str) -> None:
    require_integers(indices, f"the indices of {what}")
    same = updates.precision == input.precision
    require(same, f"{what} of {updates.type} into {input.type}")
    require(reduction in ("none", *REDUCTIONS), f"{what} with reduction {reduction!r}")


@operator(pattern=Pattern.MOVEMENT, code=1302, reference=_scatter_elements)
def scatter_elements(
    input: Value, indices: Index, updates: Value, *, axis: int = 0, reduction: str = "none"
) -> TensorType:
    """A copy of `input` with one element per index replaced or combined.

    Types: any, one for `input` and `updates`; `indices` holds integers.
    Shapes: `indices` and `updates` have one shape, of the input's rank.
    Edges: `reduction` is none, add, mul, max or min; with none the last of equal indices wins.
    """
    _check_scatter(input, indices, updates, reduction, "scatter_elements")
    fits = indices.rank == input.rank == updates.rank
    require(fits, f"scatter_elements of {updates.type} at {indices.type} into {input.type}")
    for pair in zip(indices.shape, updates.shape, strict=True):
        common_dim(pair, "scatter_elements")
    place = axis_of(axis, input.rank)
    for k, (count, size) in enumerate(zip(indices.shape, input.shape, strict=True)):
        inside = k == place or not differ(maximum(count, size), size)
        require(inside, f"scatter_elements at {indices.type} into {input.type}, which is smaller")
    check_bounds(indices, input.shape[place], "scatter_elements")
    return input.type


@wide
def _scatter_nd(
    input: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, reduction: str
) -> np.ndarray:
    where = tuple(np.moveaxis(indices, -1, 0).astype(np.int64))
    return _place(input.copy(), where, updates, reduction)


@operator(pattern=Pattern.MOVEMENT, code=1303, reference=_scatter_nd)
def scatter_nd(
    input: Value, indices: Index, updates: Value, *, reduction: str = "none"
) -> TensorType:
    """A copy of `input` with slices replaced or combined, see GATHER_ND for their positions.

    Types: any, one for `input` and `updates`; `indices` holds integers.
    Shapes: `updates` has the shape that GATHER_ND gives for `indices`.
    Edges: `reduction` is none, add, mul, max or min; with none the last of equal positions wins.
    """
    _check_scatter(input, indices, updates, reduction, "scatter_nd")
    depth = _depth(indices, input.rank, "scatter_nd")
    wanted = (*indices.shape[:-1], *input.shape[depth:])
    require(len(wanted) == updates.rank, f"scatter_nd of {updates.type}, not {text(wanted)}")
    for pair in zip(wanted, updates.shape, strict=True):
        common_dim(pair, "scatter_nd")
    return input.type


def _non_zero(input: np.ndarray) -> np.ndarray:
    found = np.array(np.nonzero(np.atleast_1d(input)), np.int64)
    return found if input.ndim else found[:0]


@operator(pattern=Pattern.MOVEMENT, code=1304, reference=_non_zero)
def non_zero(input: Value) -> TensorType:
    """The positions of the elements that are not zero, in order of storage.

    Types: any; the result is INT64.
    Shapes: [rank, count], one column per element; the count is known only while running.
    Edges: NaN is not zero; rank 0 gives [0, count].
    """
    return TensorType(Precision.INT64, (input.rank, input.model.fresh()))


@at_positions()
def _reverse_sequence(
    input: np.ndarray, lengths: np.ndarray, *, batch_axis: int, time_axis: int
) -> np.ndarray:
    batch_axis, time_axis = batch_axis % input.ndim, time_axis % input.ndim
    steps = np.arange(input.shape[time_axis])
    until = lengths.astype(np.int64)[:, None]
    source = np.where(steps < until, until - 1 - steps, steps)
    if time_axis < batch_axis:
        source = source.T
    others = tuple(a for a in range(input.ndim) if a not in (batch_axis, time_axis))
    return np.take_along_axis(input, np.expand_dims(source, others), time_axis)


@operator(pattern=Pattern.MOVEMENT, code=1305, reference=_reverse_sequence)
def reverse_sequence(
    input: Value, lengths: Index, *, batch_axis: int = 0, time_axis: int = 1
) -> TensorType:
    """Reverse the first `lengths[b]` steps of every sequence b; the rest stays.

    Types: any; `lengths` holds integers.
    Shapes: one length per entry of `batch_axis`.
    """
    require_integers(lengths, "the lengths of reverse_sequence")
    batch, time = axis_of(batch_axis, input.rank), axis_of(time_axis, input.rank)
    require(batch != time, f"reverse_sequence with both axes {batch}")
    require(lengths.rank == 1, f"reverse_sequence with lengths {lengths.type}")
    common_dim((input.shape[batch], lengths.shape[0]), "reverse_sequence")
    return input.type
