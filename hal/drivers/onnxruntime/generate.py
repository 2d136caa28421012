"""Tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .shape import dims, int64

table = Lowerings[Ref]()


def scalar(g: Emitter, value: Value) -> Ref:
    """One element as rank 0."""
    return g.node("Reshape", value, g.ints()) if value.rank else g.take(value)


@table.lower(generate.fill)
def fill(g: Emitter, shape: Value, value: Value) -> Ref:
    return g.node("Expand", scalar(g, value), int64(g, shape))


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
        whole = (g.cast(v, Precision.INT64) for v in (first, last, by))
        return g.cast(g.node("Range", *whole), start.precision)
    wide = Precision.FLOAT64 if start.precision == Precision.FLOAT64 else Precision.FLOAT32
    first, last, by = (g.cast(v, wide) for v in (first, last, by))
    span = g.cast(g.node("Sub", last, first), Precision.FLOAT64)
    count = g.node("Ceil", g.node("Div", span, g.cast(by, Precision.FLOAT64)))
    zero, one = (g.constant(n, np.int64) for n in (0, 1))
    steps = g.cast(g.node("Range", zero, g.cast(count, Precision.INT64), one), wide)
    return g.cast(g.node("Add", g.node("Mul", steps, by), first), start.precision)
