"""Operators that select or place elements by position."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnir.broadcast import length_of
from nnir.decompositions.index import elements_and_places, rows_and_places
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from ...operands import Axis, Known
from .emitter import Emitter, Operand, Plain, Ref, Taken, result_shape
from .shape import Sizes, int32
from .static import numbers

table = Lowerings[Ref]()
INT32 = Precision.INT32


def natural(g: Emitter, indices: Operand, lengths: Ref) -> Ref:
    """INT32 positions that count from the front."""
    small = int32(g, g.plain(indices))
    known, sizes = small.constant, lengths.constant
    if known is None or (sizes is None and (known < 0).any()):
        return g.where(small < 0, small + lengths, small)
    return small if sizes is None else g.constant(np.where(known < 0, known + sizes, known))


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: Axis) -> Ref:
    ref = g.plain(input) if indices.rank > 1 else g.take(input)
    where = natural(g, indices, g.reshape(g.sizes([input.shape[axis]]), ()))
    order = {0: ref.without([axis])[1], 1: ref.order}.get(indices.rank)
    return g.move("GATHER", [ref], where, order=order, axis=ref.place(axis))


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Taken, axes: Known | None, starts: Value, ends: Value, steps: Known | None
) -> Ref:
    places = [input.place(a) for a in axes or range(length_of(starts))]
    by = dict(zip(places, steps or (1,) * len(places), strict=True))
    shape, is_plain = result_shape(g, input.order), set(by.values()) <= {1}
    if is_plain and shape == input.tensor.shape:
        return input
    rows = [_lay_out(g, bound, places, input.rank) for bound in (starts, ends)]
    known, is_static = rows[0].constant, input.is_static and g.operation.outputs[0].is_static
    if is_plain and known is not None and is_static:
        pairs = zip(known.tolist(), numbers(input.tensor.shape), strict=True)
        begin = g.ints(*(slice(start, None).indices(size)[0] for start, size in pairs))
        return g.move("SLICE", [input], begin, g.ints(*shape))
    mask = sum(1 << k for k in range(input.rank) if k not in by)
    rows.append(g.ints(*(by.get(k, 1) for k in range(input.rank))))
    return g.move("STRIDED_SLICE", [input], *rows, begin_mask=mask, end_mask=mask)


def _lay_out(g: Emitter, bound: Value, places: list[int], rank: int) -> Ref:
    """Bounds at the places of their axes, among zeros."""
    row = int32(g, g.reshape(bound, (len(places),)))
    source = [places.index(k) if k in places else len(places) for k in range(rank)]
    if row.constant is not None:
        return g.ints(*np.append(row.constant, 0)[source])
    if places == [*range(rank)]:
        return row
    longer = g.vector("CONCATENATION", [row, g.ints(0)], len(places) + 1, axis=0)
    return g.vector("GATHER", [longer, g.ints(*source)], rank, axis=0)


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Plain, indices: Value) -> Ref:
    (depth,) = numbers(indices.shape[-1:])
    return g.move("GATHER_ND", [input], natural(g, indices, g.sizes(input.shape[:depth])))


@table.lower(index.scatter_nd, index.scatter_elements, implied=["axis"])
def scatter(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    """The last update of each row, or the sum of all, in its place; known places are decomposed."""
    axis = g.operation.attributes.get("axis")
    locate = rows_and_places if axis is None else partial(elements_and_places, axis=axis)
    rows, places, each = g.compose(locate, input, indices, updates)
    kind, (count, *width), (number,) = rows.tensor.precision, rows.shape, numbers(places.shape)
    is_sum = reduction == "add" and kind in (Precision.FLOAT32, INT32)
    is_open = places.constant is None and (is_sum or reduction == "none")
    g.need(is_open, f"has no kernel that scatters {kind.name} by {reduction!r}")
    targets, total = int32(g, places), g.reshape(g.ints(count), ())
    if is_sum:
        operands = [g.plain(each), targets, total]
        sums = g.one("UNSORTED_SEGMENT_SUM", operands, kind, rows.shape)
        made = g.where(sums.equal(0), rows, rows + sums)
    else:
        last = g.vector("UNSORTED_SEGMENT_MAX", [g.ints(*range(number)), targets, total], count)
        found = g.elementwise("MAXIMUM", last, 0)
        new = g.move("GATHER", [g.plain(each)], found, shape=rows.shape, axis=0)
        made = g.where(g.reshape(last >= 0, (count, *(1,) * len(width))), new, rows)
    return g.reshape(made, result_shape(g))


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Plain) -> Ref:
    g.need(input.rank, "has no positions in a tensor of rank 0")
    mask = input if input.precision == Precision.BOOL8 else input.unequal(0)
    return g.one("WHERE", [mask], Precision.INT64, order=(1, 0))


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Taken, lengths: Sizes, *, batch_axis: int, time_axis: int
) -> Ref:
    batch, time = input.place(batch_axis), input.place(time_axis)
    return g.move("REVERSE_SEQUENCE", [input], lengths, batch_dim=batch, seq_dim=time)
