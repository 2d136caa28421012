"""ONNX pooling."""

from __future__ import annotations

from typing import Literal

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import pool, reduce
from nnir.recipes import distance
from nnir.recipes import pool as recipes

from ...table import Maybe, Table, Wanted
from .windows import Pooling, Stepping

table = Table()


@table.convert("AveragePool")
def average_pool(x: Value, *, count_include_pad: bool = False, how: Pooling) -> Value:
    return recipes.pool_means(x, how.over("AveragePool", x), include=count_include_pad)


@table.convert("MaxPool")
def max_pool(
    x: Value, *, storage_order: Literal[0, 1] = 0, how: Pooling, wanted: Wanted
) -> tuple[Value, ...]:
    at = how.over("MaxPool", x)
    values, *places = recipes.pool_maxima(x, at, positions=wanted > 1)
    if storage_order:
        places = [recipes.count_by_columns(x, v) for v in places]
    return values, *(recipes.count_in_tensor(x, v) for v in places)


@table.convert("LpPool")
def lp_pool(x: Value, *, p: float = 2, how: Pooling) -> Value:
    """Opset 1 may leave out the kernel, and then pools everything."""
    if not how.kernel_shape:
        return global_lp_pool(x, p=p)
    return pool.lp_pool(x, p=p, **how.over("LpPool", x).general())


@table.each({"GlobalAveragePool": reduce.reduce_mean, "GlobalMaxPool": reduce.reduce_max})
def global_pool(operator: Operator[Value], x: Value) -> Value:
    return operator(x, list(range(2, x.rank)), keepdim=True) if x.rank > 2 else x


@table.convert("GlobalLpPool")
def global_lp_pool(x: Value, *, p: float = 2) -> Value:
    if p < 1:
        raise Unsupported(f"GlobalLpPool with p={p!r}: 1 and above are norms")
    return distance.vector_norm(x, p, tuple(range(2, x.rank)), keepdim=True)


@table.convert("MaxUnpool", since=9)
def max_unpool(x: Value, i: Value, output_shape: Maybe = None, *, how: Stepping) -> Value:
    at = how.over("MaxUnpool", x)
    given = {"kernel_shape": at.kernel, "pads": at.pads, "strides": at.strides}
    return pool.max_unpool(x, i, output_shape, **given)
