"""Tensors of which a file holds only some elements, and where these lie.

Axes are gone through in an order of their own. Each is dense, where every place is there, or lists
its places for each of those of the axes before; an axis may be cut into blocks, whose inside is an
axis behind the others. Source: `SparsityParameters` in TFLite's schema.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.errors import BadFile
from nnir.formats.flatbuffer import Table
from nnir.formats.tflite.schema import SparseAxisTable, SparsityTable

DENSE, LISTED = 0, 1
WIDTHS = {1: "<i4", 2: "<u2", 3: "u1"}
"""The types of lists of places by their number in the union."""
SPARE = 1 << 20
MOST = 100
"""A tensor may have so many elements for each of the file's bytes, and `SPARE` more."""


def places_of(table: Table, sizes: Sequence[int], held: int) -> np.ndarray:
    """Where the elements that a file holds lie in the flat tensor, in the order of the file.

    Each level has at most `held` places: so many the file can list or hold the elements of.
    """
    order = table.integers(SparsityTable.TRAVERSAL_ORDER)
    blocks = table.integers(SparsityTable.BLOCK_MAP)
    axes = table.tables(SparsityTable.DIM_METADATA)
    rank = len(sizes)
    is_fit = sorted(order) == list(range(rank + len(blocks))) and len(axes) == len(order)
    if not is_fit or any(not 0 <= b < rank for b in blocks):
        raise BadFile(f"sparse axes {order} with blocks of {blocks} in a tensor of {list(sizes)}")
    most = min(held, int(np.prod(sizes, dtype=object)))
    place, walked = np.zeros(1, np.int64), np.zeros((1, 0), np.int64)
    for axis in axes:
        rows, place, along = _step(axis, place, most)
        walked = np.concatenate([walked[rows], along[:, None]], axis=1)
    return _flat(walked, order, blocks, axes, sizes)


def _step(axis: Table, place: np.ndarray, most: int) -> tuple[np.ndarray, ...]:
    """One axis further: which place each new one follows, its number and its place on the axis."""
    kind = axis.number(SparseAxisTable.FORMAT, "b")
    if kind == DENSE:
        size = int(axis.number(SparseAxisTable.DENSE_SIZE, "i"))
        if not 0 <= size * len(place) <= most:
            raise BadFile(
                f"a sparse axis of {size} behind {len(place)} places, of which {most} fit"
            )
        rows = np.repeat(np.arange(len(place)), size)
        along = np.tile(np.arange(size), len(place))
        return rows, place[rows] * size + along, along
    if kind != LISTED:
        raise BadFile(f"a sparse axis of the kind {kind}: 0 and 1 are known")
    ends = _list(axis, SparseAxisTable.ARRAY_SEGMENTS_TYPE)
    found = _list(axis, SparseAxisTable.ARRAY_INDICES_TYPE)
    is_inside = not len(place) or place.max() + 1 < len(ends)
    if not is_inside or (np.diff(ends) < 0).any() or ends.min(initial=0) < 0:
        raise BadFile(f"a sparse axis of {len(found)} places in {len(ends) - 1} rows")
    counts = ends[place + 1] - ends[place]
    if ends.max(initial=0) > len(found) or counts.sum() > most:
        raise BadFile(f"a sparse axis of {len(found)} places lists {counts.sum()}")
    rows = np.repeat(np.arange(len(place)), counts)
    first = np.repeat(ends[place] - np.cumsum(counts) + counts, counts)
    number = first + np.arange(len(rows))
    return rows, number, found[number]


def _list(axis: Table, slot: int) -> np.ndarray:
    """A list of whole numbers, whose type stands before it."""
    kind, table = axis.number(slot, "B"), axis.table(slot + 1)
    if kind not in WIDTHS or table is None:
        raise BadFile(f"a sparse axis whose places are of the kind {kind}")
    return table.array(0, WIDTHS[kind]).astype(np.int64)


def _flat(
    walked: np.ndarray,
    order: Sequence[int],
    blocks: Sequence[int],
    axes: Sequence[Table],
    sizes: Sequence[int],
) -> np.ndarray:
    """Places along all axes as places in the flat tensor."""
    rank = len(sizes)
    where = [walked[:, order.index(a)] for a in range(rank)]
    for k, axis in enumerate(blocks):
        level = order.index(rank + k)
        size = int(axes[level].number(SparseAxisTable.DENSE_SIZE, "i"))
        where[axis] = where[axis] * size + walked[:, level]
    if any((w < 0).any() or (w >= n).any() for w, n in zip(where, sizes, strict=True)):
        raise BadFile(f"elements outside of a sparse tensor of {list(sizes)}")
    return np.ravel_multi_index(where, tuple(sizes)) if rank else np.zeros(len(walked), np.int64)
