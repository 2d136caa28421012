"""TensorFlow's operators that place elements by position."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.ops import shape
from nnir.recipes.scatter import fill_sparse, scatter_updates, sum_updates

from ...table import Table
from .index import require_errors

table = Table()


@table.convert("ScatterNd")
def scatter_nd(
    indices: Value, updates: Value, shape: Index, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return sum_updates(indices, updates, shape)


@table.convert("TensorScatterUpdate")
def tensor_scatter_update(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(tensor, indices, updates, "none")


@table.convert("TensorScatterAdd")
def tensor_scatter_add(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(tensor, indices, updates, "add")


@table.convert("ScatterNdNonAliasingAdd")
def scatter_nd_add(
    input: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(input, indices, updates, "add")


@table.convert("TensorScatterSub")
def tensor_scatter_sub(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(tensor, indices, negative(updates), "add")


def negative(x: Value) -> Value:
    """-x; unsigned integers wrap."""
    if x.is_integer and x.precision.name.startswith("U"):
        return 0 - x
    return -x


@table.convert("TensorScatterMin")
def tensor_scatter_min(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(tensor, indices, updates, "min")


@table.convert("TensorScatterMax")
def tensor_scatter_max(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return scatter_updates(tensor, indices, updates, "max")


def _rows(x: Value, i: Value, v: Value, reduction: str) -> Value:
    """Rows of `x` replaced or combined."""
    return scatter_updates(x, shape.unsqueeze(i, [1]), v, reduction)


@table.convert("InplaceUpdate")
def inplace_update(x: Value, i: Value, v: Value) -> Value:
    return _rows(x, i, v, "none")


@table.convert("InplaceAdd")
def inplace_add(x: Value, i: Value, v: Value) -> Value:
    return _rows(x, i, v, "add")


@table.convert("InplaceSub")
def inplace_sub(x: Value, i: Value, v: Value) -> Value:
    return _rows(x, i, negative(v), "add")


@table.convert("SparseToDense")
def sparse_to_dense(
    sparse_indices: Value,
    output_shape: Index,
    sparse_values: Value,
    default_value: Value,
    *,
    validate_indices: bool = True,
) -> Value:
    return fill_sparse(sparse_indices, output_shape, sparse_values, default_value)
