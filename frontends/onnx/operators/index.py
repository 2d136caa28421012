"""ONNX operators that select or place elements by position."""

from __future__ import annotations

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import compare, index
from nnir.ops import shape as ops
from nnir.recipes.diagonal import tril, triu
from nnir.recipes.index import one_hot_along
from nnir.recipes.scatter import write_blocks
from nnir.types import Precision

from ...table import REQUIRED, Maybe, Table

table = Table()
table.same(
    {
        "Gather": index.gather,
        "GatherElements": index.gather_elements,
        "GatherND": index.gather_nd,
        "NonZero": index.non_zero,
        "ScatterElements": index.scatter_elements,
        "ScatterND": index.scatter_nd,
        "TensorScatter": write_blocks,
    }
)
table.same({"ReverseSequence": index.reverse_sequence}, batch_axis=1, time_axis=0)
table.convert("Scatter", reduction="none")(index.scatter_elements)


@table.convert("Slice", since=10)
@table.convert("Slice", steps=None, attributes={"starts": REQUIRED, "ends": REQUIRED, "axes": None})
def slice_(
    data: Value,
    starts: Index,
    ends: Index,
    axes: Index | None = None,
    steps: Index | None = None,
) -> Value:
    return index.slice_(data, axes, starts, ends, steps)


@table.convert("Compress")
def compress(input: Value, condition: Value, *, axis: int | None = None) -> Value:
    """The positions of the true conditions, then the elements there."""
    if axis is None:
        input, axis = ops.flatten(input, start_axis=0, end_axis=-1), 0
    chosen = ops.squeeze(index.non_zero(condition), [0])
    return index.gather(input, chosen, axis=axis)


@table.convert("OneHot")
def one_hot(indices: Value, depth: Index, values: Value, *, axis: int = -1) -> Value:
    """Negative positions count from the end."""
    where, count = build.int64(indices), build.int64(depth)
    wrapped = compare.where(where < 0, where + ops.reshape(count, []), where)
    off, on = (index.gather(values, k, axis=0) for k in (0, 1))
    return one_hot_along(wrapped, count, on, off, axis=axis)


@table.convert("Trilu")
def trilu(input: Value, k: Maybe = None, *, upper: bool = True) -> Value:
    diagonal = 0 if k is None else ops.reshape(build.int64(k), [])
    return (triu if upper else tril)(input, diagonal)


@table.convert("EyeLike")
def eye_like(input: Value, *, k: int = 0, dtype: Precision | None = None) -> Value:
    if input.rank != 2:
        raise BadType(f"EyeLike of {input.type}, not a matrix")
    rows, columns = (build.arange_along(input, axis) for axis in (0, 1))
    diagonal = compare.equal(columns, ops.unsqueeze(rows, [1]) + k)
    return diagonal.cast(dtype or input.precision)
