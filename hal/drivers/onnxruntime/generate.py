"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .shape import dims

table = Lowerings[Ref]()


def scalar(g: Emitter, value: Value) -> Ref:
    """One element as rank 0."""
    return g.reshape(value) if value.rank else g.take(value)


@table.lower(generate.fill)
def fill(g: Emitter, shape: Value, value: Value) -> Ref:
    return g.node("Expand", scalar(g, value), g.int64(shape))


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Value) -> Ref:
    return g.node("Expand", scalar(g, value), dims(g, input))


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Ref:
    if start.is_float or start.precision == Precision.UINT64:
        raise NoLowering(f"onnxruntime has ranges of integers up to INT64, not of {start.type}")
    return g.node("Range", *(scalar(g, v).cast(Precision.INT64) for v in (start, end, step)))
