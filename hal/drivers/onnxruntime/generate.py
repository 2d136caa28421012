"""Tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

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
    """Floats are start + i * step; ONNX Runtime's own Range adds up the rounding errors."""
    first, last, by = (scalar(g, v) for v in (start, end, step))
    if start.precision == Precision.UINT64:
        raise NoLowering("range of uint64")
    if not start.is_float:
        whole = (v.cast(Precision.INT64) for v in (first, last, by))
        return g.node("Range", *whole)
    wide = Precision.FLOAT64 if start.precision == Precision.FLOAT64 else Precision.FLOAT32
    first, last, by = (v.cast(wide) for v in (first, last, by))
    span = (last - first).cast(Precision.FLOAT64)
    count = g.node("Ceil", span / by.cast(Precision.FLOAT64)).cast(Precision.INT64)
    steps = g.node("Range", *(g.constant(0, np.int64), count, g.constant(1, np.int64)))
    return steps.cast(wide) * by + first
