"""Operators that select or place elements by position."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import length_of
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from ...operands import Axis
from .emitter import Emitter, Ref, Sizes

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
    return g.node("Slice", input, *map(g.int64, (starts, ends, axes, steps)))


REDUCED = {
    Precision.FLOAT16: Precision.FLOAT32,
    Precision.BFLOAT16: Precision.FLOAT32,
    Precision.BOOL8: Precision.INT32,
}
"""Types that ONNX Runtime moves, but does not combine."""


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Sizes, updates: Value, *, axis: int, reduction: str
) -> Ref:
    x, y = _widen_both(g, reduction, input, updates)
    return g.node("ScatterElements", x, indices, y, axis=axis, reduction=reduction)


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Sizes, updates: Value, *, reduction: str) -> Ref:
    x, y = _widen_both(g, reduction, input, updates)
    return g.node("ScatterND", x, indices, y, reduction=reduction)


def _widen_both(g: Emitter, reduction: str, *operands: Value) -> list[Ref]:
    """Operands in a type that ONNX Runtime combines."""
    kind = operands[0].precision
    wide = kind if reduction == "none" else REDUCED.get(kind, kind)
    return [g.cast(v, wide) for v in operands]


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Ref:
    """Rank 0 has no rows; ONNX Runtime gives it one."""
    narrow = input.is_float and input.precision != Precision.FLOAT32
    whole = g.cast(input, Precision.BOOL8) if narrow else input
    found = g.node("NonZero", whole)
    return found if input.rank else g.part(found, 0, 0)


@table.lower(index.reverse_sequence)
def reverse_sequence(
    g: Emitter, input: Value, lengths: Sizes, *, batch_axis: Axis, time_axis: Axis
) -> Ref:
    """ONNX has the two axes in front."""
    narrow = input.precision == Precision.BFLOAT16
    whole = g.cast(input, Precision.FLOAT32) if narrow else input
    front = batch_axis, time_axis
    perm = [*front, *(a for a in range(input.rank) if a not in front)]
    turned = g.node("Transpose", whole, perm=perm)
    done = g.node("ReverseSequence", turned, lengths, batch_axis=0, time_axis=1)
    return g.node("Transpose", done, perm=np.argsort(perm).tolist())
