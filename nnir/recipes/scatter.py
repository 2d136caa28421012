"""Updates placed by position."""

from __future__ import annotations

from typing import Literal

from .. import build
from ..broadcast import axis_of
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
    none = generate.fill(build.int64(size), updates.scalar(0))
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


def write_blocks(
    past_cache: Value,
    update: Value,
    write_indices: Value | None = None,
    *,
    mode: Literal["linear", "circular"] = "linear",
    axis: int = -2,
) -> Value:
    """A cache with a block written along `axis`, in each sample from a position [batch] on."""
    place = axis_of(axis, past_cache.rank)
    where = shape.unsqueeze(build.arange_along(update, place), [0])
    if write_indices is not None:
        where = shape.unsqueeze(build.int64(write_indices), [1]) + where
    if mode == "circular":
        where = where % past_cache.size(place)
    others = [a for a in range(1, past_cache.rank) if a != place]
    where = shape.expand(shape.unsqueeze(where, others), build.shape_of(update))
    return index.scatter_elements(past_cache, where, update, axis=place)
