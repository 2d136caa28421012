"""Operators that select or place elements by position."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import length_of
from nnir.dim import Dim
from nnir.model import Value
from nnir.ops import index, shape, unary
from nnir.types import Precision

from ...operands import Axis, Known
from ...quirks import report_met
from .elements import HALF, NARROW
from .emitter import Emitter, Ref
from .forms import Sizes, Table, corner
from .integers import wrap
from .quirks import SLICE_BEFORE_GATHER

table = Table()
SAME = (unary.assign, shape.reshape, shape.reshape_exact, shape.unsqueeze, shape.squeeze)
"""Operators that hand on the elements as they are."""


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: Axis) -> Ref:
    _limit(g, input.shape[axis], indices)
    at = g.int64(indices, flat=False)
    sizes = at.output.get_partial_shape()
    g.need(
        not any(d.is_static and d.get_length() == 0 for d in sizes),  # its kernel divides by that
        f"has no GATHER at {indices.type}, which are no positions at all",
    )
    return g.gather(input, at, axis)


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
def roll(g: Emitter, input: Value, shifts: Sizes, axes: Known | None) -> Ref:
    if axes is None:
        flat = g.node("Roll", g.reshape(input, [-1]), shifts, g.ints(0))
        return g.reshape(flat, g.dims(input))
    if not axes:
        return g.take(input)  # OpenVINO's Roll by nothing gives what lies in memory
    return g.node("Roll", input, shifts, g.ints(*axes))


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Sizes | None, starts: Value, ends: Sizes, steps: Sizes | None
) -> Ref:
    count = length_of(starts)
    if not count:
        return g.take(input)
    by = g.ints(*[1] * count) if steps is None else steps
    where = g.ints(*range(count)) if axes is None else axes
    return g.node("Slice", input, g.int64(starts), ends, by, where)


def _from_front(g: Emitter, indices: Value, sizes: Ref) -> Ref:
    """Positions on axes of these sizes, counted from the front."""
    known = indices.known
    at = g.int64(indices, flat=False)
    if known is not None and (not known.size or int(known.min()) >= 0):
        return at
    return g.where(at < 0, at + sizes, at)


def _vectors(g: Emitter, input: Value, indices: Value, first: int) -> Ref:
    """Vectors of positions, along the axes from the `first` on, counted from the front."""
    end = first + int(indices.shape[-1])  # type: ignore[arg-type]
    return _from_front(g, indices, g.part(g.dims(input), first, end))


@table.lower(index.gather_elements)
def gather_elements(g: Emitter, input: Value, indices: Value, *, axis: Axis) -> Ref:
    at = _from_front(g, indices, g.size(input, axis))
    data = corner(g, input, indices, axis)
    made = input.producer
    if made is not None and made.operator is index.slice_ and input.rank > 1:
        report_met(SLICE_BEFORE_GATHER)  # turned around it stays, as other axes need it
        last = g.size(input, axis) - 1
        data, at = g.gather(data, last - g.line(last + 1), axis), last - at
    return g.node("GatherElements", data, at, axis=axis)


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Value, indices: Value, *, batch_dims: int) -> Ref:
    at = _vectors(g, input, indices, batch_dims)
    return g.node("GatherND", input, at, batch_dims=batch_dims)


REDUCTIONS = {"add": "sum", "mul": "prod"}
OF_BITS = {"add": "max", "mul": "min"}
"""What combines truth values as integers."""


def _scatter(
    g: Emitter, op: str, input: Value, at: Ref, updates: Value, how: str, *axis: Ref, **given: bool
) -> Ref:
    """The updates put in, or combined; NaN where one is, which largest and smallest pass over."""
    is_bool, wide = input.precision == Precision.BOOL8, input.precision
    if wide in HALF:
        wide = Precision.FLOAT32
    elif how != "none" and (is_bool or wide in NARROW):
        wide = Precision.INT32

    def place(x: Ref, new: Ref, reduction: str) -> Ref:
        return g.node(op, x, at, new, *axis, outputs=1, reduction=reduction, **given)

    combine = (OF_BITS if is_bool else REDUCTIONS).get(how, how)
    made = place(g.cast(input, wide), g.cast(updates, wide), combine)
    if input.is_float and how in ("max", "min"):
        first, second = (g.node("IsNaN", v).cast(Precision.FLOAT32) for v in (input, updates))
        made = g.where(place(first, second, "max") > 0.5, np.nan, made)
    return wrap(g, made, input.precision)


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: Axis, reduction: str
) -> Ref:
    at, op = _from_front(g, indices, g.size(input, axis)), "ScatterElementsUpdate"
    return _scatter(g, op, input, at, updates, reduction, g.scalar(axis), use_init_val=True)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    at = _vectors(g, input, indices, 0)
    return _scatter(g, "ScatterNDUpdate", input, at, updates, reduction)


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    # kernels behind it divide by zero, which ends the process
    g.need(0 not in input.shape, f"has no positions in {input.type}")
    if not input.rank:
        return g.part(g.node("NonZero", g.reshape(input, [1]), output_type="i64"), 0, 0)
    return g.node("NonZero", input, output_type="i64")


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Sizes, *, batch_axis: Axis, time_axis: Axis
) -> Ref:
    long = lengths.cast(Precision.INT32)
    return g.node("ReverseSequence", input, long, batch_axis=batch_axis, seq_axis=time_axis)


@table.lower(index.channel_shuffle)
def channel_shuffle(g: Emitter, input: Value, *, group: int) -> Ref:
    return g.node("ShuffleChannels", input, axis=1, group=group)
