"""TensorFlow's tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import compare, generate, shape

from ..table import Table

table = Table()


@table.convert("Fill")
def fill(dims: Index, value: Value) -> Value:
    return generate.fill(build.int64(dims), value)


def like(x: Value, number: int) -> Value:
    """A tensor of the sizes and the type of `x` with one number everywhere."""
    element = x.model.constant(number, x.dtype)
    if not x.rank:
        return element
    if x.is_static:
        return generate.fill(x.model.constant(np.array(x.shape, np.int64)), element)
    return generate.fill_like(x, element)


@table.convert("OnesLike")
def ones_like(x: Value) -> Value:
    return like(x, 1)


@table.convert("ZerosLike")
def zeros_like(x: Value) -> Value:
    return like(x, 0)


@table.convert("Range")
def range_(start: Index, limit: Index, delta: Index) -> Value:
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
