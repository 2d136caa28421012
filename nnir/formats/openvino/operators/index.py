"""Operators that select or place elements by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End, Output
from ..operands import Axes, Line, Place, Places, Vector, Whole
from ..schema import Table
from ..shapes import OPEN, Dimension, PartialShape, merge, span
from ..values import INTERVALS, Bounds, move_first
from .elementwise import same_type
from .shape import axes_in, axis_of, length

table = Table()
I64 = TYPES["i64"]


def _gather(data: np.ndarray, at: np.ndarray, axis: np.ndarray, *, batch_dims: int) -> Any:
    if batch_dims:
        return np.full((), np.nan)
    places = at.astype(np.int64)
    size = data.shape[int(axis)]
    if places.size and (places.min() < -size or places.max() >= size):
        return np.full((), np.nan)
    return np.take(data, places, int(axis))


@table.kind("Gather", since=8, value=_gather)
def gather(data: Output, indices: Whole, axis: Axes, *, batch_dims: int = 0) -> End:
    known = axes_in(axis, len(data.shape), "Gather")
    if known is None:
        raise NoLowering("openvino: Gather along an axis that is only known while running")
    shape = [*data.shape[: known[0]], *indices.shape[batch_dims:], *data.shape[known[0] + 1 :]]
    return data.type, PartialShape(shape)


@table.kind("GatherElements", since=6)
def gather_elements(data: Output, indices: Places, *, axis: int) -> End:
    if len(data.shape) != len(indices.shape):
        raise NoLowering(f"openvino: GatherElements of [{data.shape}] at [{indices.shape}]")
    place = axis_of(axis, len(data.shape), "GatherElements")
    pairs = enumerate(zip(data.shape, indices.shape, strict=True))
    what = "data and positions of GatherElements"
    return data.type, PartialShape(i if k == place else merge(d, i, what) for k, (d, i) in pairs)


@table.kind("GatherND", since=8)
def gather_nd(data: Output, indices: Whole, *, batch_dims: int = 0) -> End:
    if len(indices.shape) <= batch_dims:
        raise NoLowering(f"openvino: GatherND of [{data.shape}] at [{indices.shape}]")
    depth = indices.shape[-1]
    if depth.is_dynamic:
        raise NoLowering("openvino: GatherND at vectors whose length is only known while running")
    if batch_dims + depth.low > len(data.shape):
        raise NoLowering(f"openvino: GatherND of [{data.shape}] at [{indices.shape}]")
    pairs = zip(data.shape[:batch_dims], indices.shape[:batch_dims], strict=True)
    first = [merge(a, b, "batches of GatherND") for a, b in pairs]
    rest = data.shape[batch_dims + depth.low :]
    return data.type, PartialShape([*first, *indices.shape[batch_dims:-1], *rest])


@table.kind("ScatterElementsUpdate", since=12)
def scatter_elements(
    data: Output,
    indices: Whole,
    updates: Output,
    axis: Axes,
    *,
    reduction: str = "none",
    use_init_val: bool = True,
) -> End:
    same_type("ScatterElementsUpdate", data, updates)
    if not len(data.shape) == len(indices.shape) == len(updates.shape):
        raise NoLowering(f"openvino: ScatterElementsUpdate of [{data.shape}] at [{indices.shape}]")
    for a, b in zip(indices.shape, updates.shape, strict=True):
        merge(a, b, "positions and updates of ScatterElementsUpdate")
    axes_in(axis, len(data.shape), "ScatterElementsUpdate")
    return data.type, data.shape


@table.kind("ScatterNDUpdate", since=15)
def scatter_nd(data: Output, indices: Places, updates: Output, *, reduction: str = "none") -> End:
    same_type("ScatterNDUpdate", data, updates)
    if not indices.shape:
        raise NoLowering("openvino: ScatterNDUpdate at one number, not at vectors")
    depth = indices.shape[-1]
    if depth.is_static:
        wanted = [*indices.shape[:-1], *data.shape[depth.low :]]
        if depth.low > len(data.shape) or len(wanted) != len(updates.shape):
            raise NoLowering(f"openvino: ScatterNDUpdate of [{data.shape}] at [{indices.shape}]")
        for a, b in zip(wanted, updates.shape, strict=True):
            merge(a, b, "slices and updates of ScatterNDUpdate")
    return data.type, data.shape


def _slice(
    data: np.ndarray, starts: np.ndarray, ends: np.ndarray, steps: np.ndarray, axes: np.ndarray
) -> np.ndarray:
    cut = [slice(None)] * data.ndim
    for start, end, step, axis in zip(starts, ends, steps, axes, strict=True):
        stop = int(end) if end > -1 << 30 or step > 0 else None
        cut[int(axis)] = slice(int(start), stop, int(step))
    return data[tuple(cut)]


@table.kind("Slice", since=8, value=_slice)
def slice_(data: Output, start: Vector, stop: Vector, step: Vector, axes: Vector) -> End:
    count, rank = length(start, "Slice"), len(data.shape)
    if {length(v, "Slice") for v in (stop, step, axes)} != {count}:
        raise NoLowering(f"openvino: Slice by vectors of {count} and other lengths")
    places = axes_in(axes, rank, "Slice")
    if places is None:
        return data.type, PartialShape([OPEN] * rank)
    if len(set(places)) < count:
        raise NoLowering(f"openvino: Slice along axes {places}, of which some are the same")
    made = list(data.shape)
    for k, place in enumerate(places):
        one = [None if v.bounds is None else _one(v.bounds, k) for v in (start, stop, step)]
        made[place] = _cut(data.shape[place], *one)
    return data.type, PartialShape(made)


def _one(bounds: Bounds, position: int) -> tuple[float, float]:
    low, high = (float(b.reshape(-1)[position]) for b in bounds)
    return low, high


Span = tuple[float, float] | None


def _cut(size: Dimension, start: Span, stop: Span, step: Span) -> Dimension:
    """The size of what a slice takes of an axis."""
    if step is None or step[0] != step[1]:
        return size.up_to()
    if not step[0]:
        raise NoLowering("openvino: Slice with a step of 0")
    by = int(step[0])
    if start is None or stop is None:
        return span(0, -(-size.high // abs(by)) if size.high < np.inf else np.inf)
    if size.is_dynamic and (start[0] < 0) != (stop[1] < 0):  # most somewhere between
        return size.up_to()
    counts = [
        _count(n, a, b, by) for n in (size.low, size.high) for a in set(start) for b in set(stop)
    ]
    mixed = any(s[0] < 0 <= s[1] for s in (start, stop))
    return span(0 if mixed else min(counts), max(counts))


def _count(size: float, start: float, stop: float, step: int) -> float:
    """How many elements a slice takes of `size`, as in NumPy."""
    low, high = (0.0, size) if step > 0 else (-1.0, size - 1)
    first, last = (
        min(max(v + size if v < 0 and size < np.inf else v, low), high)
        if not (v < 0 and size == np.inf)
        else np.inf
        for v in (start, stop)
    )
    if first == np.inf:
        return 0 if last < np.inf and step > 0 else np.inf
    if last == np.inf:
        return np.inf
    return max(0, -(-(last - first) // step)) if step > 0 else max(0, -((last - first) // -step))


@table.kind("NonZero", since=3)
def non_zero(data: Output, *, output_type: Type = I64) -> End:
    known = data.values()
    count = data.shape.count().up_to() if known is None else Dimension(sum(map(bool, known)))
    return output_type, PartialShape([len(data.shape) or OPEN, count if data.shape else OPEN])


@table.kind("Roll", since=7)
def roll(data: Output, shift: Place, axes: Place) -> End:
    if shift.shape:
        merge(shift.shape[0], axes.shape[0] if axes.shape else Dimension(1), "operands of Roll")
    axes_in(axes, len(data.shape), "Roll")
    return data.type, data.shape


@table.kind("ReverseSequence")
def reverse_sequence(data: Output, lengths: Line, *, batch_axis: int = 0, seq_axis: int = 1) -> End:
    place = axis_of(batch_axis, len(data.shape), "ReverseSequence")
    axis_of(seq_axis, len(data.shape), "ReverseSequence")
    count = merge(data.shape[place], lengths.shape[0], "data and lengths of ReverseSequence")
    return data.type, PartialShape(count if k == place else d for k, d in enumerate(data.shape))


INTERVALS.update({_gather: move_first, _slice: move_first})
