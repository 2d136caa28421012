"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.broadcast import length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .integers import wrap

table = Lowerings[Ref]()


def scalar(g: Emitter, value: Value) -> Ref:
    """One element as rank 0."""
    ref = g.reshape(value, []) if value.rank else g.ref(value)
    if ref is None:
        raise NoLowering("openvino: a number is missing")
    return ref


@table.lower(generate.fill)
def fill(g: Emitter, shape: Value, value: Value) -> Ref:
    if not length_of(shape):
        return scalar(g, value)
    return g.node("Broadcast", scalar(g, value), g.int64(shape), mode="numpy")


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Value) -> Ref:
    if not input.rank:
        return scalar(g, value)
    return g.node("Broadcast", scalar(g, value), g.dims(input), mode="numpy")


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Ref:
    """Floats are start + i * step."""
    first, last, by = (scalar(g, v) for v in (start, end, step))
    if start.precision == Precision.UINT32:
        raise NoLowering("openvino computes UINT32 as INT32: range")
    known = [v.known for v in (start, end, step)]
    if all(k is not None for k in known):
        return g.constant(generate.range_.reference(*known))
    if not start.is_float:
        first, last, by = (v.cast(Precision.INT64) for v in (first, last, by))
        span, zero = last - first, g.scalar(0)
        away = (span < zero).unequal(by < zero)
        last = g.where(away, first, last)  # OpenVINO counts such a way too
        return wrap(g, g.node("Range", first, last, by, output_type="i64"), start.precision)
    first, last, by = (v.cast(Precision.FLOAT32) for v in (first, last, by))
    span = (last - first) / by
    count = g.pair("Maximum", 0, g.node("Ceiling", span))
    return g.line(count.cast(Precision.INT64)).cast(Precision.FLOAT32) * by + first
