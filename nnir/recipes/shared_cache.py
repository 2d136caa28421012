"""Caches of fixed room that keys of several steps share, and of which beams have parts."""

from __future__ import annotations

from typing import NamedTuple

from .. import build
from ..errors import BadType
from ..model import Value
from ..ops import compare, generate, index, shape


class Extended(NamedTuple):
    """The whole cache with what is new, and what of it is seen: its first `total` rows."""

    key: Value
    value: Value
    seen_key: Value
    seen_value: Value
    total: Value


def extend_shared(
    key: Value,
    value: Value,
    past_key: Value | None,
    past_value: Value | None,
    count: Value,
    beams: Value | None,
) -> Extended:
    """Keys and values [batch, heads, time, n] written behind the first `count` of a cache.

    `beams` [batch / beams, beams, room] says from which beam of its sample each of those is read.
    """
    if past_key is None or past_value is None:
        raise BadType("attention with the length of a past and no keys and values of it")
    before = build.flatten(build.int64(count))
    total = before + build.vector(key.model, [build.size_of(key, 2)])
    pairs = (past_key, key), (past_value, value)
    keys, values = (_write_behind(past, new, before) for past, new in pairs)
    read = (x if beams is None else _follow(x, beams, before) for x in (keys, values))
    seen_keys, seen_values = (index.slice_(x, [2], [0], total) for x in read)
    return Extended(keys, values, seen_keys, seen_values, total)


def _write_behind(past: Value, new: Value, before: Value) -> Value:
    """A cache in which new rows lie from `before` on; all others stay."""
    places = shape.unsqueeze(before + build.arange_along(new, 2), [0, 1, 3])
    sizes = build.vector(past.model, build.sizes_of(new))
    return index.scatter_elements(past, shape.expand(places, sizes), new, axis=2)


def _follow(cache: Value, beams: Value, before: Value) -> Value:
    """A cache whose first `before` rows come from the beams that are said."""
    model, sizes = cache.model, build.sizes_of(cache)
    groups = build.vector(model, [build.size_of(beams, 0), build.size_of(beams, 1), *sizes[1:]])
    apart = shape.reshape(cache, groups)
    at = shape.expand(shape.unsqueeze(build.int64(beams), [2, 4]), groups)
    chosen = build.reshape(index.gather_elements(apart, at, axis=1), sizes)
    rows = generate.range_([0], build.vector(model, [build.size_of(cache, 2)]), [1])
    is_past = shape.unsqueeze(rows < before, [0, 1, 3])
    return compare.where(is_past, chosen, cache)
