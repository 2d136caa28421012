"""Operators that select or place elements by position."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...orders import identity
from .binary import extreme
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


def _static(name: str, *values: Value) -> None:
    for value in values:
        if not value.is_static:
            raise NoLowering(f"{name} of {value.type} needs known sizes on litert")


def _grid(shape: Ints, sizes: Ints, axis: int) -> np.ndarray:
    """The flat position of every index but for its own axis."""
    strides = np.cumprod((1, *sizes[:0:-1]))[::-1]
    total: Any = 0
    for a, (n, stride) in enumerate(zip(shape, strides, strict=True)):
        if a != axis:
            line = np.arange(n, dtype=np.int64) * stride
            total = total + line.reshape(-1, *(1,) * (len(shape) - a - 1))
    return np.broadcast_to(np.asarray(total), shape).astype(np.int32)


def _flat_positions(g: Emitter, input: Value, indices: Value, axis: int) -> Ref:
    """Where the elements lie in the flattened input."""
    sizes, shape = numbers(input.shape), numbers(indices.shape)
    if math.prod(sizes) >= 1 << 31:
        raise NoLowering(f"litert counts no elements of {input.type} in 32 bits")
    stride = math.prod(sizes[axis + 1 :])
    own = g.plain(natural(g, indices, sizes[axis]))
    scaled = own if stride == 1 else own * stride
    return g.plain(scaled + g.constant(_grid(shape, sizes, axis)))


def _rows(g: Emitter, input: Value, indices: Value, batch_dims: int) -> tuple[Ref, int, int]:
    """Vectors of positions as numbers of rows; how many rows there are, and how long one is."""
    _static("positions", input)
    (depth,) = numbers(indices.shape[-1:])
    sizes = numbers(input.shape)
    head = sizes[: batch_dims + depth]
    count, length = math.prod(head), math.prod(sizes[batch_dims + depth :])
    if count * max(length, 1) >= 1 << 31:
        raise NoLowering(f"litert counts no elements of {input.type} in 32 bits")
    shape = indices.shape[:-1]
    number: Dim = 1
    for size in shape:
        number = number * size
    own = np.array(sizes[batch_dims : batch_dims + depth], np.int32)
    ref = g.plain(indices)
    data = ref.tensor.data
    if data is not None:
        whole = data.astype(np.int64)
        small = g.constant(np.where(whole < 0, whole + own, whole).astype(np.int32))
    else:
        small = int32(g, ref)
        small = g.where(small < 0, small + g.constant(own), small)
    strides = np.cumprod((1, *own[:0:-1]))[::-1].astype(np.int32)
    scaled = small * g.constant(strides)
    from .reduce import reduce_axes

    flat = reduce_axes(g, "SUM", scaled, (indices.rank - 1,), keepdim=False)
    if batch_dims:
        steps = np.arange(math.prod(head[:batch_dims]), dtype=np.int32) * int(np.prod(own))
        offsets = steps.reshape(*head[:batch_dims], *(1,) * (len(shape) - batch_dims))
        flat = flat + g.constant(offsets)
    return g.reshape(flat, (number,)), count, length


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Value, indices: Value, *, batch_dims: int) -> Ref:
    if not batch_dims and not (input.is_static and indices.is_static):
        return _native_gather(g, input, indices)
    rows, count, length = _rows(g, input, indices, batch_dims)
    flat = g.reshape(input, (count, length))
    shape = (rows.shape[0], length)
    found = g.move("GATHER", [flat], shape, (0, 1), rows, axis=0)
    return g.reshape(found, result_shape(g))


def _native_gather(g: Emitter, input: Value, indices: Value) -> Ref:
    (depth,) = numbers(indices.shape[-1:])
    sizes = input.shape[:depth]
    small = int32(g, g.plain(indices))
    small = g.where(small < 0, small + g.sizes(sizes), small)
    target = result_shape(g)
    return g.move("GATHER_ND", [g.plain(input)], target, identity(len(target)), g.plain(small))


SEGMENTS = {
    "add": ("UNSORTED_SEGMENT_SUM", "ADD"),
    "mul": ("UNSORTED_SEGMENT_PROD", "MUL"),
    "max": ("UNSORTED_SEGMENT_MAX", "MAXIMUM"),
    "min": ("UNSORTED_SEGMENT_MIN", "MINIMUM"),
}


def _place_rows(
    g: Emitter, flat: Ref, rows: Ref, updates: Ref, count: int, length: int, reduction: str
) -> Ref:
    """[count, length] with the rows of `updates` [n, length] put in, or combined."""
    total = g.constant(count, np.int32)
    last = _segments(g, "UNSORTED_SEGMENT_MAX", _number_rows(g, rows), rows, total, (count,))
    hit = g.reshape(last >= 0, (count, 1))
    if reduction == "none":
        found = g.elementwise("MAXIMUM", last, 0)
        new = g.move("GATHER", [updates], (count, length), (0, 1), found, axis=0)
        return g.where(hit, new, flat)
    segment, combine = SEGMENTS[reduction]
    kind = flat.tensor.precision
    if reduction == "mul" and kind == Precision.FLOAT32:
        raise NoLowering("litert multiplies scattered floats in another order, which rounds")
    if kind not in (Precision.FLOAT32, INT32):
        raise NoLowering(f"litert combines no scattered {kind.name}")
    made = _segments(g, segment, updates, rows, total, (count, length))
    if kind == INT32 or reduction == "add":
        return g.where(hit, g.elementwise(combine, flat, made), flat)
    nan = updates.unequal(updates).cast(INT32)
    some = _segments(g, "UNSORTED_SEGMENT_MAX", nan, rows, total, (count, length))
    made = g.where(some > 0, np.nan, made)
    return g.where(hit, extreme(g, combine, flat, made), flat)


def _number_rows(g: Emitter, rows: Ref) -> Ref:
    """0, 1, ... for every row."""
    number = rows.shape[0]
    if isinstance(number, int):
        return g.constant(np.arange(number, dtype=np.int32))
    bounds = [g.constant(0, np.int32), g.reshape(g.size(number), ()), g.constant(1, np.int32)]
    return g.one("RANGE", bounds, INT32, (number,))


def _segments(g: Emitter, name: str, data: Ref, rows: Ref, count: Ref, shape: Any) -> Ref:
    return g.one(name, [data, rows, count], data.tensor.precision, shape)


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Ref:
    _static("scatter_elements", input, indices)
    along = axis_of(axis, input.rank)
    count, number = _count(input), _count(indices)
    if not number:
        return g.take(input)
    rows = g.reshape(_flat_positions(g, input, indices, along), (number,))
    flat = g.reshape(input, (count, 1))
    made = _place_rows(g, flat, rows, g.reshape(updates, (number, 1)), count, 1, reduction)
    return g.reshape(made, input.shape)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    _static("scatter_nd", input)
    if 0 in updates.shape:
        return g.take(input)
    rows, count, length = _rows(g, input, indices, 0)
    flat = g.reshape(input, (count, length))
    rest = g.reshape(updates, (rows.shape[0], length))
    made = _place_rows(g, flat, rows, rest, count, length, reduction)
    return g.reshape(made, input.shape)


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
