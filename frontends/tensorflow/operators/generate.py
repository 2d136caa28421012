"""TensorFlow's tensors made from numbers and sizes."""

from __future__ import annotations

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, generate, shape
from nnir.recipes.generate import constant_like
from nnir.recipes.promotion import HALVES

from ...table import Table

table = Table()


@table.convert("Fill")
def fill(dims: Index, value: Value) -> Value:
    return generate.fill(build.int64(dims), value)


@table.convert("OnesLike")
def ones_like(x: Value) -> Value:
    return constant_like(x, 1)


@table.convert("ZerosLike")
def zeros_like(x: Value) -> Value:
    return constant_like(x, 0)


@table.convert("Range")
def range_(start: Index, limit: Index, delta: Index) -> Value:
    if start.precision in HALVES:
        raise Unsupported(f"Range of {start.type}, whose numbers TensorFlow counts in that type")
    return generate.range_(start, limit, delta)


@table.convert("LinSpace")
def lin_space(start: Value, stop: Value, num: int) -> Value:
    """`num` numbers; the last one is `stop` exactly."""
    if num < 1:
        raise BadType(f"LinSpace of {num} numbers")
    model, kind = start.model, start.dtype
    first, last = (shape.reshape(v, [1]) for v in (start, stop))
    if num == 1:
        return first
    places = build.arange(num)
    step = (last - first) / model.constant(num - 1, kind)
    line = first + step * model.constant(places.astype(kind))
    return compare.where(model.constant(places < num - 1), line, last)
