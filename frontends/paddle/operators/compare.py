"""Paddle's comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare, reduce
from nnir.types import Precision

from ...table import Table
from .binary import close
from .unary import with_inplace

table = Table()


COMPARISONS: dict[str, Operator] = {
    "equal": compare.equal,
    "not_equal": compare.not_equal,
    "greater_equal": compare.greater_equal,
    "greater_than": compare.greater,
    "less_equal": compare.less_equal,
    "less_than": compare.less,
}
table.same(with_inplace(COMPARISONS))


def all_true(x: Value) -> Value:
    """Whether every element holds; a tensor without axes is its own answer."""
    return reduce.reduce_min(x, [], keepdim=False) if x.rank else x


@table.convert("equal_all")
def equal_all(x: Value, y: Value) -> Value:
    """Tensors of different shapes are not equal; floats are that lie nearer than 1e-15."""
    if x.rank != y.rank or any(
        a != b and isinstance(a, int) and isinstance(b, int)
        for a, b in zip(x.shape, y.shape, strict=True)
    ):
        return x.model.constant(False)
    same = compare.equal(x, y)
    if x.is_float:
        same = same | (abs(x - y) < 1e-15)
    return all_true(same)


@table.convert("allclose")
def allclose(x: Value, y: Value, rtol: float, atol: float, equal_nan: bool) -> Value:
    return all_true(close(x, y, rtol, atol, equal_nan))


@table.convert("where", "where_")
def where(condition: Value, x: Value, y: Value) -> Value:
    return compare.where(condition.cast(Precision.BOOL8), x, y)
