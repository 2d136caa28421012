"""ATen's segment_reduce: one result for each run of rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.recipes.promotion import Number, to_value
from nnir.types import Precision

from ...table import Table

table = Table()
Place = Callable[[Value, Value, str], Value]
"""Places updates in a tensor, with a reduction."""

NEUTRAL: dict[str, float] = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
REDUCERS = {
    "sum": (reduce.reduce_sum, binary.add),
    "mean": (reduce.reduce_sum, binary.add),
    "prod": (reduce.reduce_prod, binary.mul),
    "max": (reduce.reduce_max, binary.max_),
    "min": (reduce.reduce_min, binary.min_),
}


@table.convert("aten.segment_reduce.default")
def segment_reduce(
    data: Value,
    reduce: str,
    *,
    lengths: Value | None = None,
    indices: Value | None = None,
    offsets: Value | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Number | None = None,
) -> Value:
    """Each segment keeps its own rows, the others become what changes nothing."""
    if reduce not in NEUTRAL or indices is not None:
        raise Unsupported(f"segment_reduce with reduce={reduce!r} and indices {indices!r}")
    place = axis_of(axis, data.rank)
    starts, ends = _bounds(lengths, offsets)
    steps = build.vector(data.model, [build.size_of(data, place)])
    rows = generate.range_([0], steps, [1])
    begun = shape.unsqueeze(starts, [starts.rank]) <= rows
    inside = begun & (shape.unsqueeze(ends, [ends.rank]) > rows)
    behind = data.rank - 1 - place
    mask = shape.unsqueeze(inside, [inside.rank] * behind) if behind else inside
    kind, model = data.precision, data.model
    neutral = to_value(NEUTRAL[reduce], kind, model)
    kept = compare.where(mask, shape.unsqueeze(data, [place]), neutral)
    fold, join = REDUCERS[reduce]
    total = fold(kept, [place + 1], keepdim=False)
    if initial is not None:
        total = join(total, to_value(initial, kind, model))
    if reduce != "mean":
        return total
    count = (ends - starts).cast(kind)
    count = shape.unsqueeze(count, [count.rank] * behind) if behind else count
    if initial is None:
        return total / count
    empty = compare.equal(count, to_value(0, kind, model))
    return compare.where(empty, total, total / count)


def _bounds(lengths: Value | None, offsets: Value | None) -> tuple[Value, Value]:
    """Where each segment begins and ends."""
    if offsets is not None:
        whole = offsets.cast(Precision.INT64)
        last = np.iinfo(np.int64).max
        return (
            index.slice_(whole, [whole.rank - 1], [0], [-1]),
            index.slice_(whole, [whole.rank - 1], [1], [last]),
        )
    if lengths is None:
        raise Unsupported("segment_reduce without lengths and offsets")
    counts = unary.cast(lengths, dtype=Precision.INT64)
    ends = reduce.cum_sum(counts)
    return ends - counts, ends
