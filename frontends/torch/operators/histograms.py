"""ATen histograms over several axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import binary, compare, index, reduce, shape, unary
from nnir.types import Precision

from ...table import Items, Table

table = Table()
Result = tuple[Value, list[Value]]


@table.convert("aten.histogramdd.default")
def histogramdd(
    self: Value,
    bins: tuple[int, ...],
    range: tuple[float, ...] | None = None,
    weight: Value | None = None,
    density: bool = False,
) -> Result:
    if range is not None and len(range) != 2 * len(bins):
        raise BadType(f"histogramdd of {len(bins)} axes with range {range}")
    columns = _columns(self, len(bins))
    edges = []
    for k, (column, count) in enumerate(zip(columns, bins, strict=True)):
        ends = None if range is None else range[2 * k : 2 * k + 2]
        edges.append(_edges(column, count, ends))
    return count_points(columns, edges, weight, density=density)


@table.convert("aten.histogramdd.int_bins")
def histogramdd_int(
    self: Value,
    bins: int,
    range: tuple[float, ...] | None = None,
    weight: Value | None = None,
    density: bool = False,
) -> Result:
    axes = self.shape[-1]
    if isinstance(axes, Expr):
        raise NotConstant(f"histogramdd of {self.type}")
    return histogramdd(self, (bins,) * axes, range, weight, density)


@table.convert("aten.histogramdd.TensorList_bins")
def histogramdd_edges(
    self: Value,
    bins: Items,
    range: tuple[float, ...] | None = None,
    weight: Value | None = None,
    density: bool = False,
) -> Result:
    return count_points(_columns(self, len(bins)), list(bins), weight, density=density)


def _columns(x: Value, count: int) -> list[Value]:
    """The coordinates of all points along each axis."""
    if x.rank < 1 or x.shape[-1] != count:
        raise BadType(f"histogramdd of {x.type} with {count} axes")
    points = x if x.rank == 2 else build.reshape(x, [-1, count])
    return list(shape.unstack(points, axis=1, num=count))


def _edges(column: Value, count: int, ends: Sequence[float] | None) -> Value:
    """Evenly spaced edges between two numbers, or those of the coordinates."""
    kind = column.dtype
    if ends is not None:
        low, high = (column.model.constant(n, kind) for n in ends)
    elif column.shape[0] == 0:
        low, high = (column.model.constant(n, kind) for n in (0, 1))
    else:
        low, high = (f(column, [0], keepdim=False) for f in (reduce.reduce_min, reduce.reduce_max))
        away = column.model.constant(0.5, kind)
        same = compare.equal(low, high)
        low, high = (
            compare.where(same, low - away, low),
            compare.where(same, high + away, high),
        )
    step = (high - low) / column.model.constant(count, kind)
    steps = build.arange(count + 1)
    early = low + step * column.model.constant(steps.astype(kind))
    late = high - step * column.model.constant((count - steps).astype(kind))
    return compare.where(column.model.constant(steps < (count + 1) // 2), early, late)


def count_points(
    columns: Sequence[Value], edges: list[Value], weight: Value | None, *, density: bool
) -> Result:
    """Add every point's weight to its bin; the last bins have their upper ends too."""
    model, kind = columns[0].model, columns[0].dtype
    counts = [n - 1 for e in edges if isinstance(n := e.shape[0], int)]
    if len(counts) < len(edges):
        raise NotConstant("histogramdd with edges whose number is only known while running")
    place = inside = None
    for column, line, count in zip(columns, edges, counts, strict=True):
        behind = shape.unsqueeze(column, [1]) >= line
        passed = reduce.reduce_sum(unary.cast(behind, dtype=Precision.INT64), [1], keepdim=False)
        last = index.gather(line, model.constant(np.int64(-1)), axis=0)
        at = binary.min_(passed - 1, count - 1)
        fits = (at >= 0) & (column <= last)
        place = at if place is None else place * [count] + at
        inside = fits if inside is None else inside & fits
    one = model.constant(1, kind) if weight is None else shape.reshape(weight, [-1])
    amounts = compare.where(inside, one, model.constant(0, kind))
    spots = compare.where(inside, place, 0)
    none = model.constant(np.zeros(math.prod(counts), kind))
    total = index.scatter_nd(none, shape.unsqueeze(spots, [1]), amounts, reduction="add")
    found = shape.reshape_exact(total, counts)
    return (_dense(found, edges) if density else found), edges


def _dense(found: Value, edges: Sequence[Value]) -> Value:
    """The share of all weight per volume."""
    result = found / reduce.reduce_sum(found, [], keepdim=True)
    last = np.iinfo(np.int64).max
    for k, line in enumerate(edges):
        width = index.slice_(line, [0], [1], [last]) - index.slice_(line, [0], [0], [-1])
        behind = len(edges) - 1 - k
        result = result / (shape.unsqueeze(width, [1] * behind) if behind else width)
    return result
