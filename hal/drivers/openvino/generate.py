"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from .emitter import Emitter, Ref
from .forms import Scalar, Sizes, Table
from .integers import wrap

table = Table()


@table.lower(generate.fill)
def fill(g: Emitter, shape: Sizes, value: Scalar) -> Ref:
    return g.broadcast(value, shape)


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Scalar) -> Ref:
    return g.broadcast(value, g.dims(input))


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Ref:
    """OpenVINO counts away from the end too."""
    known = [v.known for v in (start, end, step) if v.known is not None]
    if len(known) == 3:
        return g.constant(generate.range_.reference(*known))
    g.need(
        start.is_integer and start.precision != Precision.UINT32,
        f"has ranges of integers up to INT64, not of {start.type}",
    )
    first, last, by = (g.one(v).cast(Precision.INT64) for v in (start, end, step))
    away = (last - first < 0).unequal(by < 0)
    made = g.node("Range", first, g.where(away, first, last), by, output_type="i64")
    return wrap(g, made, start.precision)
