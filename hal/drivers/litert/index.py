"""Operators that select or place elements by position."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.decompositions.index import elements_and_places, rows_and_places
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Operand, Ref, result_shape
from .shape import int32, part
from .static import numbers

table = Lowerings[Ref]()
INT32, BOOL = Precision.INT32, Precision.BOOL8


def natural(g: Emitter, indices: Operand, size: Dim) -> Ref:
    """INT32 positions that count from the front."""
    ref = g.take(indices)
    data = ref.tensor.data
    if data is not None and isinstance(size, int):
        whole = data.astype(np.int64)
        found = np.where(whole < 0, whole + size, whole).astype(np.int32)
        return Ref(g.constant(found).tensor, ref.order, INT32, g)
    small = int32(g, ref)
    length = g.reshape(g.sizes((size,)), ())
    return g.where(small < 0, small + length, small)


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    along = axis_of(axis, input.rank)
    where = g.plain(natural(g, indices, input.shape[along]))
    ref = g.take(input)
    if indices.rank > 1:
        ref = g.plain(ref)
    place = ref.place(along)
    head, tail = ref.tensor.shape[:place], ref.tensor.shape[place + 1 :]
    shape = (*head, *where.shape, *tail)
    added = indices.rank - 1
    order: list[int] = []
    for a in ref.order:
        if a == along:
            order += range(along, along + indices.rank)
        else:
            order.append(a + added if a > along else a)
    return g.move("GATHER", [ref], shape, tuple(order), where, axis=place)


def _count(input: Value) -> int:
    return math.prod(numbers(input.shape))


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Value | None, starts: Value, ends: Value, steps: Value | None
) -> Ref:
    count = length_of(starts)
    where = tuple(range(count)) if axes is None else ints(axes)
    by = (1,) * count if steps is None else ints(steps)
    if where is None or by is None:
        raise NoLowering("litert slices along known axes in known steps only")
    places = [axis_of(a, input.rank) for a in where]
    known = contents(starts), contents(ends)
    if any(k is None or any(isinstance(d, Expr) for d in k) for k in known):
        return _slice_computed(g, input, places, starts, ends, by)
    first, last = ([int(d) for d in k or ()] for k in known)  # type: ignore[arg-type]
    return _cut(g, g.take(input), places, first, last, by)


def _cut(
    g: Emitter, ref: Ref, axes: list[int], starts: list[int], ends: list[int], steps: Any
) -> Ref:
    """Known bounds."""
    rank = ref.rank
    begin, end, by = [0] * rank, [0] * rank, [1] * rank
    open_begin = open_end = (1 << rank) - 1
    shape = list(ref.tensor.shape)
    target = result_shape(g)
    for axis, start, stop, step in zip(axes, starts, ends, steps, strict=True):
        place = ref.place(axis)
        size = ref.tensor.shape[place]
        shape[place] = target[axis]
        if isinstance(size, int):
            start, stop, step = slice(start, stop, step).indices(size)
        begin[place], by[place] = _clamp(start), step
        open_begin &= ~(1 << place)
        if not (isinstance(size, int) and stop < 0):
            end[place] = _clamp(stop)
            open_end &= ~(1 << place)
    if tuple(shape) == ref.tensor.shape and all(s == 1 for s in by):
        return ref
    if all(s == 1 for s in by) and all(isinstance(d, int) for d in ref.tensor.shape):
        bounds = g.ints(*begin), g.ints(*shape)
        return g.move("SLICE", [ref], tuple(shape), ref.order, *bounds)
    vectors = [g.ints(*v) for v in (begin, end, by)]
    return g.move(
        "STRIDED_SLICE",
        [ref],
        tuple(shape),
        ref.order,
        *vectors,
        begin_mask=open_begin,
        end_mask=open_end,
    )


def _clamp(bound: int) -> int:
    limits = np.iinfo(np.int32)
    return int(min(max(bound, limits.min + 1), limits.max))


def _slice_computed(
    g: Emitter, input: Value, axes: list[int], starts: Value, ends: Value, steps: Any
) -> Ref:
    """Bounds that are only known while running, one axis after the other."""
    ref = g.take(input)
    target = result_shape(g)
    first, last = (g.reshape(int32(g, v), (len(axes),)) for v in (starts, ends))
    for k, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        place = ref.place(axis)
        shape = list(ref.tensor.shape)
        shape[place] = target[axis]
        vectors = [_spread(g, part(g, v, 0, k, 1), place, ref.rank) for v in (first, last)]
        by = [1] * ref.rank
        by[place] = step
        mask = ((1 << ref.rank) - 1) & ~(1 << place)
        ref = g.move(
            "STRIDED_SLICE",
            [ref],
            tuple(shape),
            ref.order,
            *vectors,
            g.ints(*by),
            begin_mask=mask,
            end_mask=mask,
        )
    return ref


def _spread(g: Emitter, bound: Ref, place: int, rank: int) -> Ref:
    """One bound among zeros."""
    if rank == 1:
        return bound
    hit = np.zeros(rank, np.int32)
    hit[place] = 1
    return bound * g.constant(hit)


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Value, indices: Value) -> Ref:
    (depth,) = numbers(indices.shape[-1:])
    small = int32(g, g.plain(indices))
    small = g.where(small < 0, small + g.sizes(input.shape[:depth]), small)
    target = result_shape(g)
    return g.move("GATHER_ND", [g.plain(input)], target, identity(len(target)), g.plain(small))


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    return _place_rows(g, reduction, *g.compose(rows_and_places, input, indices, updates))


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Ref:
    locate = partial(elements_and_places, axis=axis)
    return _place_rows(g, reduction, *g.compose(locate, input, indices, updates))


def _place_rows(g: Emitter, reduction: str, rows: Ref, places: Ref, updates: Ref) -> Ref:
    """The last update of each row, or the sum of all, in its place; known places are decomposed."""
    kind, (count, *width), (number,) = rows.tensor.precision, rows.shape, numbers(places.shape)
    is_sum = reduction == "add" and kind in (Precision.FLOAT32, INT32)
    if places.constant is not None or not (is_sum or reduction == "none"):
        raise NoLowering(f"litert has no kernel that scatters {kind.name} by {reduction!r}")
    targets, total = int32(g, places), g.ints(count)
    order = g.constant(np.arange(number, dtype=np.int32))
    last = g.one("UNSORTED_SEGMENT_MAX", [order, targets, g.reshape(total, ())], INT32, (count,))
    if is_sum:
        operands = [g.plain(updates), targets, g.reshape(total, ())]
        new = rows + g.one("UNSORTED_SEGMENT_SUM", operands, kind, rows.shape)
    else:
        found = g.elementwise("MAXIMUM", last, 0)
        new = g.move("GATHER", [g.plain(updates)], rows.shape, identity(rows.rank), found, axis=0)
    hit = g.reshape(last >= 0, (count, *(1,) * len(width)))
    return g.reshape(g.where(hit, new, rows), result_shape(g))


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    if not input.rank:
        raise NoLowering("litert has no positions in a tensor of rank 0")
    ref = g.plain(input)
    if input.precision != BOOL:
        ref = ref.unequal(0)
    rank, count = result_shape(g)
    return g.one("WHERE", [ref], Precision.INT64, (count, rank), (1, 0))


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Value, *, batch_axis: int, time_axis: int
) -> Ref:
    ref = g.take(input)
    places = [ref.place(axis_of(a, input.rank)) for a in (batch_axis, time_axis)]
    counts = int32(g, lengths)
    return g.move(
        "REVERSE_SEQUENCE",
        [ref],
        ref.tensor.shape,
        ref.order,
        counts,
        batch_dim=places[0],
        seq_dim=places[1],
    )
