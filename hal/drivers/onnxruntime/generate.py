"""Tensors made from numbers and sizes."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import generate
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Scalar, Sizes, squeeze

table = Lowerings[Ref]()


@table.lower(generate.fill)
def fill(g: Emitter, shape: Sizes, value: Scalar) -> Ref:
    return g.node("Expand", value, shape)


@table.lower(generate.fill_like)
def fill_like(g: Emitter, input: Value, value: Scalar) -> Ref:
    return g.node("Expand", value, g.dims(input))


@table.lower(generate.range_)
def range_(g: Emitter, start: Value, end: Value, step: Value) -> Ref:
    if start.is_float or start.precision == Precision.UINT64:
        raise NoLowering(f"onnxruntime has ranges of integers up to INT64, not of {start.type}")
    return g.node("Range", *(g.int64(squeeze(g, v)) for v in (start, end, step)))
