"""Updates placed by position."""

from __future__ import annotations

from .. import build
from ..errors import BadType
from ..model import Index, Value
from ..ops import generate, index, shape


def scatter_updates(x: Value, indices: Value, updates: Value, reduction: str) -> Value:
    """SCATTER_ND; vectors of no entries mean the whole tensor for each update."""
    if indices.shape[-1] != 0:
        return index.scatter_nd(x, indices, updates, reduction=reduction)
    raise BadType(f"updates {updates.type} at {indices.type}, which name no axis")


def sum_updates(indices: Value, updates: Value, size: Value) -> Value:
    """Updates at their places in zeros of a shape; what is placed twice is added up."""
    none = generate.fill(build.int64(size), updates.model.constant(0, updates.dtype))
    return scatter_updates(none, indices, updates, "add")


def fill_sparse(
    sparse_indices: Value,
    output_shape: Index,
    sparse_values: Value,
    default_value: Value,
) -> Value:
    """One value for all positions, or one for each."""
    where = sparse_indices
    if where.rank < 2:
        where = build.reshape(where, [build.size_of(where, 0) if where.rank else 1, 1])
    values = sparse_values
    if not values.rank:
        values = shape.expand(values, build.vector(where.model, [build.size_of(where, 0)]))
    return scatter_updates(
        generate.fill(build.int64(output_shape), default_value), where, values, "none"
    )
