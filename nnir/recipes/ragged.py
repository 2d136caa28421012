"""Rows of different lengths: vectors of their bounds, and the values of all rows one after another.

Row k has the values from `splits[k]` on, up to `splits[k + 1]`, which is not included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..errors import BadType
from ..model import Value
from ..ops import binary, compare, generate, index, reduce, shape, unary

LAST = np.iinfo(np.int64).max


def splits_of(lengths: Value) -> Value:
    """The bounds of rows of these lengths, as int64."""
    if lengths.rank != 1:
        raise BadType(f"lengths of rows {lengths.type}, not a vector")
    zero = lengths.model.constant(np.zeros(1, np.int64))
    return shape.concat(zero, reduce.cum_sum(build.int64(lengths), [0]), axis=0)


def row_lengths(splits: Value) -> Value:
    """How many values each row has."""
    return index.slice_(splits, [0], [1], [LAST]) - index.slice_(splits, [0], [0], [-1])


def row_ids(splits: Value, count: build.Size) -> Value:
    """The row of each of `count` values, as int64: as many bounds as lie at or before it."""
    bounds = build.int64(splits)
    inner = index.slice_(bounds, [0], [1], [LAST])
    model = splits.model
    none = generate.fill(build.vector(model, [build.plus(count, 1)]), model.constant(0, np.int64))
    ones = generate.fill_like(inner, model.constant(1, np.int64))
    passed = index.scatter_nd(none, shape.unsqueeze(inner, [1]), ones, reduction="add")
    return index.slice_(reduce.cum_sum(passed, [0]), [0], [0], build.vector(model, [count]))


def splits_of_ids(ids: Value, rows: build.Size) -> Value:
    """The bounds of rows from the row of each value; the numbers of rows rise."""
    model = ids.model
    none = generate.fill(build.vector(model, [rows]), model.constant(0, np.int64))
    ones = generate.fill_like(build.int64(ids), model.constant(1, np.int64))
    counts = index.scatter_nd(none, shape.unsqueeze(build.int64(ids), [1]), ones, reduction="add")
    return splits_of(counts)


def row_count(splits: Value) -> build.Size:
    """How many rows there are."""
    return build.minus(build.size_of(splits, 0), 1)


def ranges(starts: Value, lengths: Value, steps: Value | None = None) -> tuple[Value, Value]:
    """The bounds and the values of rows that count from `starts` on, by 1 or by `steps`."""
    splits = splits_of(lengths)
    last = index.slice_(splits, [0], [-1], [LAST])
    count: build.Size = int(last.known[0]) if last.known is not None else last
    owner = row_ids(splits, count)
    places = generate.range_([0], build.vector(starts.model, [count]), [1])
    inner = places - index.gather(splits, owner, axis=0)
    inner = inner.cast(starts.precision)
    if steps is not None:
        inner = inner * index.gather(steps, owner, axis=0)
    return splits, index.gather(starts, owner, axis=0) + inner


def gather_rows(nested: Sequence[Value], rows: Value) -> tuple[list[Value], Value]:
    """The bounds of chosen rows at each level, and which values they have in the end."""
    found = []
    for splits in nested:
        bounds = build.int64(splits)
        starts = index.gather(bounds, rows, axis=0)
        after = index.gather(bounds, rows + 1, axis=0)
        chosen, rows = ranges(starts, after - starts)
        found.append(chosen)
    return found, rows


def longest(splits: Value) -> Value:
    """The length of the longest row, as a vector of one; 0 where there is none."""
    zero = splits.model.constant(np.zeros(1, np.int64))
    every = shape.concat(zero, build.int64(row_lengths(splits)), axis=0)
    return reduce.reduce_max(every, [0], keepdim=True)


def to_dense(
    nested: Sequence[Value], values: Value, default: Value, sizes: Sequence[build.Size | None]
) -> Value:
    """All rows in one tensor: cut where they are too long, filled with `default` where short.

    `sizes`: of the rows and each level below, None where the longest row says it.
    """
    model = values.model
    rows = build.size_of(values, 0)
    default = shape.expand(default, build.vector(model, build.sizes_of(values)[1:]))
    spare = shape.unsqueeze(default, [0])
    outermost = row_count(nested[0])
    wanted = sizes[0]
    places = count_to(model.constant(0, np.int64), outermost if wanted is None else wanted)
    alive = None if wanted is None else places < _scalar(places, outermost)
    made = [outermost if wanted is None else wanted]
    for splits, size in zip(nested, sizes[1:], strict=True):
        width: build.Size = longest(splits) if size is None else size
        made.append(width)
        bounds = build.int64(splits)
        if alive is not None:
            places = compare.where(alive, places, 0)
            bounds = shape.concat(bounds, model.constant(np.zeros(1, np.int64)), axis=0)
        starts = index.gather(bounds, places, axis=0)
        lengths = index.gather(bounds, places + 1, axis=0) - starts
        if alive is not None:
            lengths = compare.where(alive, lengths, 0)
        columns = count_to(starts, width)
        starts, lengths = (shape.unsqueeze(v, [starts.rank]) for v in (starts, lengths))
        alive = columns < lengths
        places = starts + columns
    if alive is None:
        return index.gather(values, places, axis=0)
    chosen = compare.where(alive, places, _scalar(places, rows))
    return index.gather(shape.concat(values, spare, axis=0), chosen, axis=0)


def _scalar(like: Value, size: build.Size) -> Value:
    return shape.reshape(build.vector(like.model, [size]), [])


def count_to(like: Value, size: build.Size) -> Value:
    """0, 1, ... as many as a size says."""
    if isinstance(size, int):
        return like.model.constant(build.arange(size).astype(np.int64))
    return generate.range_([0], build.vector(like.model, [size]), [1])


def coordinates(nested: Sequence[Value], values: Value) -> list[Value]:
    """For each value where it stands at each level, from the outermost row on."""
    columns: list[Value] = []
    for level, splits in enumerate(nested):
        below = nested[level + 1] if level + 1 < len(nested) else None
        count = build.size_of(values, 0) if below is None else row_count(below)
        owner = row_ids(splits, count)
        columns = [index.gather(c, owner, axis=0) for c in columns] if columns else [owner]
        starts = index.gather(build.int64(splits), owner, axis=0)
        columns.append(count_to(owner, count) - starts)
    return columns


def flat_outer(rows: Value) -> tuple[list[Value], Value]:
    """The bounds of the outer axes of positions, which are rows of one length, and all of them."""
    model = rows.model
    sizes = build.sizes_of(rows)
    splits = []
    for axis in range(rows.rank - 1):
        outer = build.product(sizes[: axis + 1])
        steps = count_to(rows, build.plus(outer, 1))
        splits.append(steps * build.vector(model, [sizes[axis + 1]]))
    return splits, build.flatten(build.int64(rows)) if rows.rank else build.int64(rows)


def lengths_between(starts: Value, limits: Value, steps: Value) -> Value:
    """How many numbers from `starts` up to `limits`, which are not included, there are."""
    if starts.is_float:
        count = unary.ceil((limits - starts) / steps)
        return build.int64(binary.max_(count, 0))
    distance = compare.where(steps > 0, limits - starts, starts - limits)
    size = abs(steps)
    inside = binary.max_(distance, 0)
    if steps.known is not None and bool((np.abs(steps.known) == 1).all()):
        return build.int64(inside)
    return build.int64((inside + size - 1) / size)  # neither is negative
