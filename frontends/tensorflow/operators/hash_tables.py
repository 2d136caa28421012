"""TensorFlow's hash tables of numbers, whose contents are known while converting."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, index, shape

from ...source import Contents
from ...table import Table
from ...translate import Translator

table = Table()
DENSE = 4
"""Keys that fill at least one in so many places between the lowest and the highest."""


def _contents(handle: Any) -> Contents:
    if not isinstance(handle, Contents):
        raise Unsupported("a table that branches or loops give, or that is an input")
    return handle


@table.convert("LookupTableFindV2")
def lookup_table_find(table_handle: Any, keys: Value, default_value: Value) -> Value:
    """The value under each key, the default where there is none."""
    held = _contents(table_handle)
    if keys.dtype != held.keys.dtype or not keys.is_integer:
        raise BadType(f"keys {keys.type} of a table with keys of {held.keys.dtype}")
    if default_value.dtype != held.values.dtype:
        raise BadType(f"a default {default_value.type} of a table of {held.values.dtype}")
    inner = held.values.shape[1:]
    size = [*build.sizes_of(keys), *inner]
    wide = shape.expand(default_value, build.vector(keys.model, size))
    if not held.keys.size:
        return wide
    order = np.argsort(held.keys, kind="stable")
    ordered, values = held.keys[order], keys.model.constant(held.values[order])
    low, high = int(ordered[0]), int(ordered[-1])
    search = _by_place if high - low < max(DENSE * ordered.size, 64) else _by_halves
    places, is_there = search(keys, ordered)
    found = index.gather(values, places, axis=0)
    if inner:
        is_there = shape.unsqueeze(is_there, list(range(keys.rank, keys.rank + len(inner))))
    return compare.where(is_there, found, wide)


def _by_place(keys: Value, ordered: np.ndarray) -> tuple[Value, Value]:
    """Where keys stand among those that are close together: a table of all between them."""
    low, high = int(ordered[0]), int(ordered[-1])
    where = np.full(high - low + 1, -1, np.int64)
    where[ordered.astype(np.int64) - low] = np.arange(ordered.size)
    inside = binary.min_(binary.max_(keys, low), high)
    spots = build.int64(inside - low)
    places = index.gather(keys.model.constant(where), spots, axis=0)
    is_there = compare.equal(inside, keys) & (places >= 0)
    return binary.max_(places, 0), is_there


def _by_halves(keys: Value, ordered: np.ndarray) -> tuple[Value, Value]:
    """Where keys stand among any: half of those that are left goes with each step."""
    model = keys.model
    count = 1 << int(ordered.size).bit_length()  # the highest key fills the line up
    line = model.constant(np.concatenate([ordered, np.full(count - ordered.size, ordered[-1])]))
    places = build.int64(keys) * 0
    step = count // 2
    while step:
        middle = places + step
        reaches = index.gather(line, middle, axis=0) <= keys
        places = compare.where(reaches, middle, places)
        step //= 2
    places = binary.min_(places, ordered.size - 1)
    return places, compare.equal(index.gather(line, places, axis=0), keys)


@table.convert("LookupTableSizeV2")
def lookup_table_size(table_handle: Any, *, translator: Translator) -> Value:
    """How many keys there are."""
    return translator.model.constant(np.int64(_contents(table_handle).keys.size))
