"""Operators that select or place elements by position."""

from __future__ import annotations

from collections.abc import Sequence
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
from .shape import int32
from .static import numbers

table = Lowerings[Ref]()
LARGEST = np.iinfo(np.int32).max
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


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Value | None, starts: Value, ends: Value, steps: Value | None
) -> Ref:
    count = length_of(starts)
    where = tuple(range(count)) if axes is None else ints(axes)
    by = (1,) * count if steps is None else ints(steps)
    if where is None or by is None:
        raise NoLowering("litert slices along known axes in known steps only")
    ref, along = g.take(input), [axis_of(a, input.rank) for a in where]
    known = [contents(v) for v in (starts, ends)]
    if any(k is None or any(isinstance(d, Expr) for d in k) for k in known):
        return _cut_computed(g, ref, along, (starts, ends), by)
    return _cut(g, ref, along, *known, by)


def _cut(g: Emitter, ref: Ref, axes: Sequence[int], *bounds: Any) -> Ref:
    """From known starts to known ends, in steps."""
    begin, end, by = ([n] * ref.rank for n in (0, 0, 1))
    open_begin = open_end = (1 << ref.rank) - 1
    shape = tuple(result_shape(g)[a] for a in ref.order)
    for axis, *given in zip(axes, *bounds, strict=True):
        place = ref.place(axis)
        size = ref.tensor.shape[place]
        start, stop, by[place] = slice(*given).indices(size) if isinstance(size, int) else given
        begin[place], end[place] = (int(np.clip(n, -LARGEST, LARGEST)) for n in (start, stop))
        open_begin &= ~(1 << place)
        if stop >= 0 or isinstance(size, Expr):
            open_end &= ~(1 << place)
    starts, ends, is_plain = g.ints(*begin), g.ints(*end), all(s == 1 for s in by)
    if is_plain and shape == ref.tensor.shape:
        return ref
    if is_plain and not any(isinstance(d, Expr) for d in ref.tensor.shape):
        return g.move("SLICE", [ref], shape, ref.order, starts, g.ints(*shape))
    return _stride(g, ref, starts, ends, by, open_begin, open_end)


def _stride(
    g: Emitter, ref: Ref, begin: Ref, end: Ref, by: Sequence[int], begin_mask: int, end_mask: int
) -> Ref:
    shape = tuple(result_shape(g)[a] for a in ref.order)
    masks = {"begin_mask": begin_mask, "end_mask": end_mask}
    return g.move("STRIDED_SLICE", [ref], shape, ref.order, begin, end, g.ints(*by), **masks)


def _cut_computed(
    g: Emitter, ref: Ref, axes: Sequence[int], bounds: Sequence[Value], steps: Sequence[int]
) -> Ref:
    """Between bounds that are only known while running, which are put among zeros."""
    by, source = [1] * ref.rank, [len(axes)] * ref.rank
    for number, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        source[ref.place(axis)], by[ref.place(axis)] = number, step
    rows = [g.reshape(int32(g, bound), (len(axes),)) for bound in bounds]
    if source != list(range(len(axes))):
        zero, where = g.ints(0), g.ints(*source)
        longer = [g.one("CONCATENATION", [r, zero], INT32, (len(axes) + 1,), axis=0) for r in rows]
        rows = [g.one("GATHER", [r, where], INT32, (ref.rank,), axis=0) for r in longer]
    begin, end = rows
    mask = sum(1 << place for place, number in enumerate(source) if number == len(axes))
    return _stride(g, ref, begin, end, by, mask, mask)


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
    ref = ref if input.precision == BOOL else ref.unequal(0)
    rank, count = result_shape(g)
    return g.one("WHERE", [ref], Precision.INT64, (count, rank), (1, 0))


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Value, *, batch_axis: int, time_axis: int
) -> Ref:
    ref = g.take(input)
    batch, time = (ref.place(axis_of(a, input.rank)) for a in (batch_axis, time_axis))
    fields, counts = {"batch_dim": batch, "seq_dim": time}, int32(g, lengths)
    return g.move("REVERSE_SEQUENCE", [ref], ref.tensor.shape, ref.order, counts, **fields)
