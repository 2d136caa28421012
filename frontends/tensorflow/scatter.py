"""TensorFlow's operators that place elements by position."""

from __future__ import annotations

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import generate, index, shape

from ..table import Table
from .index import require_errors

table = Table()


def placed(x: Value, indices: Value, updates: Value, reduction: str) -> Value:
    """SCATTER_ND; vectors of no entries mean the whole tensor for each update."""
    if indices.shape[-1] != 0:
        return index.scatter_nd(x, indices, updates, reduction=reduction)
    raise BadType(f"updates {updates.type} at {indices.type}, which name no axis")


@table.convert("ScatterNd")
def scatter_nd(
    indices: Value, updates: Value, shape: Index, *, bad_indices_policy: str = ""
) -> Value:
    """What is placed twice is added up."""
    require_errors(bad_indices_policy)
    none = generate.fill(build.int64(shape), updates.model.constant(0, updates.dtype))
    return placed(none, indices, updates, "add")


@table.convert("TensorScatterUpdate")
def tensor_scatter_update(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(tensor, indices, updates, "none")


@table.convert("TensorScatterAdd")
def tensor_scatter_add(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(tensor, indices, updates, "add")


@table.convert("ScatterNdNonAliasingAdd")
def scatter_nd_add(
    input: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(input, indices, updates, "add")


@table.convert("TensorScatterSub")
def tensor_scatter_sub(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(tensor, indices, negative(updates), "add")


def negative(x: Value) -> Value:
    """-x; unsigned integers wrap."""
    if x.is_integer and x.precision.name.startswith("U"):
        result: Value = 0 - x
        return result
    return -x


@table.convert("TensorScatterMin")
def tensor_scatter_min(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(tensor, indices, updates, "min")


@table.convert("TensorScatterMax")
def tensor_scatter_max(
    tensor: Value, indices: Value, updates: Value, *, bad_indices_policy: str = ""
) -> Value:
    require_errors(bad_indices_policy)
    return placed(tensor, indices, updates, "max")


def _rows(x: Value, i: Value, v: Value, reduction: str) -> Value:
    """Rows of `x` replaced or combined."""
    if not i.rank:
        i = shape.reshape(i, [1])
        v = build.reshape(v, [1, *build.sizes_of(x)[1:]]) if v.rank < x.rank else v
    return placed(x, shape.unsqueeze(i, [1]), v, reduction)


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
    """One value for all positions, or one for each."""
    where = sparse_indices
    if where.rank < 2:
        where = build.reshape(where, [build.size_of(where, 0) if where.rank else 1, 1])
    values = sparse_values
    if not values.rank:
        values = shape.expand(values, build.vector(where.model, [build.size_of(where, 0)]))
    return placed(generate.fill(build.int64(output_shape), default_value), where, values, "none")
