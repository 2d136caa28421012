"""Operators that select or place elements by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import axis_of, length_of
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .shape import part

table = Lowerings[Ref]()


table.native(index.gather, "Gather", "axis")
table.native(index.gather_elements, "GatherElements", "axis")
table.native(index.gather_nd, "GatherND", "batch_dims")


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Value | None, starts: Value, ends: Value, steps: Value | None
) -> Ref:
    if not length_of(starts):
        return g.node("Identity", input)
    bounds = [g.int64(v) for v in (starts, ends, axes, steps)]
    return g.node("Slice", input, *bounds)


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Ref:
    return _scatter(g, "ScatterElements", input, indices, updates, reduction, axis=axis)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    return _scatter(g, "ScatterND", input, indices, updates, reduction)


REDUCED = {
    Precision.FLOAT16: Precision.FLOAT32,
    Precision.BFLOAT16: Precision.FLOAT32,
    Precision.BOOL8: Precision.INT32,
}
"""Types that ONNX Runtime moves, but does not combine."""


def _scatter(
    g: Emitter,
    op: str,
    input: Value,
    indices: Value,
    updates: Value,
    reduction: str,
    **attributes: Any,
) -> Ref:
    kind = input.precision
    wide = kind if reduction == "none" else REDUCED.get(kind, kind)
    operands = g.cast(input, wide), g.int64(indices), g.cast(updates, wide)
    return g.node(op, *operands, reduction=reduction, **attributes)


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    """Rank 0 has no rows; ONNX Runtime gives it one."""
    narrow = input.is_float and input.precision != Precision.FLOAT32
    whole = g.cast(input, Precision.BOOL8) if narrow else input
    found = g.node("NonZero", whole)
    return found if input.rank else part(g, found, 0, 0)


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Value, *, batch_axis: int, time_axis: int
) -> Ref:
    """ONNX has the two axes in front."""
    batch, time = axis_of(batch_axis, input.rank), axis_of(time_axis, input.rank)
    narrow = input.precision == Precision.BFLOAT16
    whole = g.cast(input, Precision.FLOAT32) if narrow else input
    perm = [batch, time, *(a for a in range(input.rank) if a not in (batch, time))]
    front = g.node("Transpose", whole, perm=perm)
    done = g.node("ReverseSequence", front, g.int64(lengths), batch_axis=0, time_axis=1)
    return g.node("Transpose", done, perm=np.argsort(perm).tolist())
