"""Operators that select or place elements by position."""

from __future__ import annotations

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
    known = indices.known
    at = g.int64(indices, flat=False)
    if known is not None and (not known.size or int(known.min()) >= 0):
        return at
    size = g.size(input, axis)
    return g.where(at < 0, at + size, at)


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
    known = indices.known
    at = g.int64(indices, flat=False)
    if known is not None and (not known.size or int(known.min()) >= 0):
        return at
    sizes = g.part(g.dims(input), first, first + depth)
    return g.where(at < 0, at + sizes, at)


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


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Ref:
    wide, place = _wide(input, reduction), axis_of(axis, input.rank)
    made = g.node(
        "ScatterElementsUpdate",
        g.cast(input, wide),
        _positive(g, input, indices, place),
        g.cast(updates, wide),
        g.scalar(place),
        reduction=_kind(input, reduction),
        use_init_val=True,
    )
    if input.is_float and reduction in ("max", "min"):
        made = _lost(
            g,
            made,
            input,
            updates,
            lambda x, u: g.node(
                "ScatterElementsUpdate",
                x,
                _positive(g, input, indices, place),
                u,
                g.scalar(place),
                reduction="max",
                use_init_val=True,
            ),
        )
    return _back(g, made, input)


def _lost(g: Emitter, made: Ref, input: Value, updates: Value, place: Any) -> Ref:
    """NaN where one is combined, which OpenVINO's largest and smallest pass over."""
    marks = [g.node("IsNaN", v).cast(Precision.FLOAT32) for v in (input, updates)]
    found: Ref = place(*marks)
    return g.where(found > 0.5, g.constant(np.float32(np.nan)), made)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    wide, depth = _wide(input, reduction), int(indices.shape[-1])  # type: ignore[arg-type]
    at = _vectors(g, input, indices, 0, depth)
    kind = _kind(input, reduction)
    made = g.node("ScatterNDUpdate", g.cast(input, wide), at, g.cast(updates, wide), reduction=kind)
    if input.is_float and reduction in ("max", "min"):
        made = _lost(
            g,
            made,
            input,
            updates,
            lambda x, u: g.node("ScatterNDUpdate", x, at, u, reduction="max"),
        )
    return _back(g, made, input)


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    if not input.rank:
        found = g.node("NonZero", g.reshape(input, [1]), output_type="i64")
        return g.part(found, 0, 0)
    return g.node("NonZero", input, output_type="i64")


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Value, *, batch_axis: int, time_axis: int
) -> Ref:
    batch, time = axis_of(batch_axis, input.rank), axis_of(time_axis, input.rank)
    long = g.int64(lengths).cast(Precision.INT32)
    return g.node("ReverseSequence", input, long, batch_axis=batch, seq_axis=time)
