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
    return g.reshape(value, []) if value.rank else g.take(value)


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
    """OpenVINO counts away from the end too."""
    known = [v.known for v in (start, end, step)]
    if all(k is not None for k in known):
        return g.constant(generate.range_.reference(*known))
    if start.is_float or start.precision == Precision.UINT32:
        raise NoLowering(f"openvino has ranges of integers up to INT64, not of {start.type}")
    first, last, by = (scalar(g, v).cast(Precision.INT64) for v in (start, end, step))
    away = (last - first < 0).unequal(by < 0)
    made = g.node("Range", first, g.where(away, first, last), by, output_type="i64")
    return wrap(g, made, start.precision)
