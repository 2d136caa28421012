"""What ONNX Runtime had of its own before ONNX had it, in the words of that time."""

from __future__ import annotations

from typing import Literal

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import generate, index, linear, reduce, shape, unary
from nnir.recipes.layout import with_channels_first
from nnir.recipes.pool import pool_maxima
from nnir.recipes.resize import sample_grid
from nnir.recipes.shape import insert_axes, unfold
from nnir.recipes.uniques import distinct_elements
from nnir.types import Precision

from ...table import Maybe, Table
from .index import trilu
from .shape import pad
from .windows import Pooling

table = Table(prefix="com.microsoft::")
table.same({"GridSample": sample_grid, "Inverse": linear.inverse})
# in order of first occurrence; every NaN is another
table.convert("Unique", axis=(), kind=Precision.INT64)(distinct_elements)


@table.convert("Trilu")
def trilu_1(x: Value, k: Maybe = None, *, upper: bool = True) -> Value:
    return trilu(x, k, upper=upper)


@table.convert("ExpandDims")
def expand_dims(x: Value, axis: Value) -> Value:
    return insert_axes(x, build.flatten(build.int64(axis)))


@table.convert("Pad")
def pad_flat(
    data: Value,
    pads: Index,
    value: Maybe = None,
    *,
    mode: Literal["constant", "reflect", "edge", "wrap"] = "constant",
) -> Value:
    """The amounts, and the number that is put there, may lie in tensors of more axes."""
    number = None if value is None else shape.reshape(value, [])
    return pad(data, build.flatten(pads), number, mode=mode)


@table.convert("Range")
def range_by_one(start: Value, limit: Value, delta: Maybe = None) -> Value:
    return generate.range_(start, limit, start.scalar(1) if delta is None else delta)


@table.convert("GatherND")
def gather_nd(data: Value, indices: Index) -> Value:
    return index.gather_nd(data, build.int64(indices))


@table.convert("UnfoldTensor")
def unfold_tensor(input: Value, *, dim: int = -1, size: int, step: int = 1) -> Value:
    """Windows of an axis, along a last axis of their own."""
    return unfold(input, dim, size, step)


@table.convert("CDist")
def cdist(
    a: Value, b: Value, *, metric: Literal["euclidean", "sqeuclidean"] = "sqeuclidean"
) -> Value:
    """Distances of every row of one matrix to every row of another, or their squares."""
    if a.rank != 2 or b.rank != 2:
        raise BadType(f"CDist of {a.type} and {b.type}, not matrices")
    squares = unary.square(shape.unsqueeze(a, [1]) - shape.unsqueeze(b, [0]))
    total = reduce.reduce_sum(squares, [2], keepdim=False)
    return total if metric == "sqeuclidean" else unary.sqrt(total)


@table.convert("NhwcMaxPool")
def nhwc_max_pool(x: Value, *, how: Pooling) -> Value:
    def compute(image: Value) -> Value:
        return pool_maxima(image, how.over("NhwcMaxPool", image), positions=False)[0]

    return with_channels_first(x, "NHWC", compute)
