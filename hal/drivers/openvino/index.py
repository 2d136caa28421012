"""Operators that select or place elements by position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.broadcast import axis_of, ints, length_of
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index, shape, unary
from nnir.types import Precision

from ...lowering import Lowerings
from .elements import HALF, NARROW
from .emitter import Emitter, Ref
from .integers import wrap

table = Lowerings[Ref]()
SAME = (unary.assign, shape.reshape, shape.reshape_exact, shape.unsqueeze, shape.squeeze)
"""Operators that hand on the elements as they are."""


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    place = axis_of(axis, input.rank)
    _limit(g, input.shape[place], indices)
    return g.gather(input, g.int64(indices, flat=False), place)


def _limit(g: Emitter, size: Dim, indices: Value) -> None:
    """Indices that are an input are checked before each run: outside OpenVINO takes a 0."""
    source = indices
    while source.producer is not None and source.producer.operator in SAME:
        inner = source.producer.inputs[0]
        if inner is None:
            break
        source = inner
    if source.producer is None and source.constant is None and isinstance(size, int):
        g.root.limits[source] = min(size, g.root.limits.get(source, size))


@table.lower(index.roll)
def roll(g: Emitter, input: Value, shifts: Value, axes: Value | None) -> Ref:
    if axes is None:
        flat = g.node("Roll", g.reshape(input, [-1]), g.int64(shifts), g.ints(0))
        return g.reshape(flat, g.dims(input))
    known = ints(axes)
    if known is None:
        raise NoLowering("openvino: roll with axes that are only known while running")
    if not known:
        return g.take(input)  # OpenVINO's Roll by nothing gives what lies in memory
    return g.node("Roll", input, g.int64(shifts), g.ints(*known))


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Value | None, starts: Value, ends: Value, steps: Value | None
) -> Ref:
    count = length_of(starts)
    if not count:
        return g.take(input)
    by = g.ints(*[1] * count) if steps is None else g.int64(steps)
    where = g.ints(*range(count)) if axes is None else g.int64(axes)
    return g.node("Slice", input, g.int64(starts), g.int64(ends), by, where)


def _positive(g: Emitter, input: Value, indices: Value, axis: int) -> Ref:
    """Positions along an axis counted from the front."""
    return _from_front(g, indices, lambda: g.size(input, axis))


def _from_front(g: Emitter, indices: Value, sizes: Callable[[], Ref]) -> Ref:
    """Positions counted from the front; the sizes are asked for where some may be below 0."""
    known = indices.known
    at = g.int64(indices, flat=False)
    if known is not None and (not known.size or int(known.min()) >= 0):
        return at
    return g.where(at < 0, at + sizes(), at)


@table.lower(index.gather_elements)
def gather_elements(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    place = axis_of(axis, input.rank)
    return g.node("GatherElements", input, _positive(g, input, indices, place), axis=place)


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Value, indices: Value, *, batch_dims: int) -> Ref:
    depth = int(indices.shape[-1])  # type: ignore[arg-type]
    at = _vectors(g, input, indices, batch_dims, depth)
    return g.node("GatherND", input, at, batch_dims=batch_dims)


def _vectors(g: Emitter, input: Value, indices: Value, first: int, depth: int) -> Ref:
    """Vectors of positions counted from the front."""
    return _from_front(g, indices, lambda: g.part(g.dims(input), first, first + depth))


REDUCTIONS = {"none": "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}


def _wide(input: Value, reduction: str) -> Precision:
    """The precision to combine in."""
    if input.precision in HALF:
        return Precision.FLOAT32
    narrow = input.precision in NARROW or input.precision == Precision.BOOL8
    return Precision.INT32 if narrow and reduction != "none" else input.precision


def _kind(input: Value, reduction: str) -> str:
    if input.precision == Precision.BOOL8:
        reduction = {"add": "max", "mul": "min"}.get(reduction, reduction)
    return REDUCTIONS[reduction]


def _back(g: Emitter, result: Value | Ref, input: Value) -> Ref:
    if input.precision == Precision.BOOL8:
        return g.cast(result, Precision.BOOL8)
    return wrap(g, g.take(result), input.precision)


def _scatter(
    g: Emitter, input: Value, updates: Value, reduction: str, place: Callable[[Ref, Ref, str], Ref]
) -> Ref:
    """The updates put in, or combined; NaN where one is, which largest and smallest pass over."""
    wide = _wide(input, reduction)
    made = place(g.cast(input, wide), g.cast(updates, wide), _kind(input, reduction))
    if input.is_float and reduction in ("max", "min"):
        first, second = (g.node("IsNaN", v).cast(Precision.FLOAT32) for v in (input, updates))
        made = g.where(place(first, second, "max") > 0.5, np.nan, made)
    return _back(g, made, input)


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Ref:
    along = axis_of(axis, input.rank)
    at = _positive(g, input, indices, along)

    def place(x: Ref, new: Ref, kind: str) -> Ref:
        how: dict[str, Any] = {"reduction": kind, "use_init_val": True}
        return g.node("ScatterElementsUpdate", x, at, new, g.scalar(along), **how)

    return _scatter(g, input, updates, reduction, place)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    at = _vectors(g, input, indices, 0, int(indices.shape[-1]))  # type: ignore[arg-type]

    def place(x: Ref, new: Ref, kind: str) -> Ref:
        return g.node("ScatterNDUpdate", x, at, new, reduction=kind)

    return _scatter(g, input, updates, reduction, place)


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    if not input.rank:
        found = g.node("NonZero", g.reshape(input, [1]), output_type="i64")
        return g.part(found, 0, 0)
    if 0 in input.shape:  # kernels behind it divide by zero, which ends the process
        raise NoLowering(f"openvino: positions in {input.type}")
    return g.node("NonZero", input, output_type="i64")


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Value, *, batch_axis: int, time_axis: int
) -> Ref:
    batch, time = axis_of(batch_axis, input.rank), axis_of(time_axis, input.rank)
    long = g.int64(lengths).cast(Precision.INT32)
    return g.node("ReverseSequence", input, long, batch_axis=batch, seq_axis=time)
