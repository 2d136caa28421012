"""ATen medians, modes, quantiles and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, index, reduce, shape, unary
from nnir.recipes import statistics as statistics_recipes
from nnir.recipes.promotion import Number, round_once
from nnir.recipes.statistics import (
    count_nan,
    drop_axis,
    histogram_counts,
    histogram_ends,
    median_along,
    sort_axis,
)
from nnir.types import Precision

from ...table import Table
from .blend import lerp
from .cumulative import diff

table = Table()


def _medians(name: str, *, without_nan: bool) -> None:
    @table.convert(f"aten.{name}.default")
    def whole(self: Value) -> Value:
        flat = shape.reshape(self, [-1])
        value, _ = median_along(flat, 0, without_nan=without_nan)
        return build.reshape_to(value, build.vector(value.model, []))

    @table.convert(f"aten.{name}.dim")
    def along(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        axis = axis_of(dim, max(self.rank, 1))
        if not self.rank:
            return self, self.model.constant(0)
        found = median_along(self, axis, without_nan=without_nan)
        return drop_axis(found[0], axis, keepdim), drop_axis(found[1], axis, keepdim)


_medians("median", without_nan=False)
_medians("nanmedian", without_nan=True)


@table.convert("aten.mode.default")
def mode(self: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    return statistics_recipes.mode(self, dim, keepdim)


def _quantile(
    self: Value, q: Value, dim: int | None, keepdim: bool, interpolation: str, *, nan: bool
) -> Value:
    """Quantiles along an axis; those of a vector of `q` are a new first axis."""
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise Unsupported(f"quantile with interpolation={interpolation!r}")
    x, axis = self, 0
    if dim is None or not self.rank:
        x = shape.reshape(self, [-1])
    else:
        axis = axis_of(dim, self.rank)
    numbers = compare.where(compare.equal(x, x), x, math.inf)  # NaN has no order on all devices
    values, _ = sort_axis(numbers, axis)
    values = _last(values, axis)
    kept = count_nan(_last(x, axis), -1)
    kept = x.size(axis) - kept
    top = binary.max_((kept - 1).cast(x.precision), 0)
    ranks = top * q
    low, high = unary.floor(ranks), unary.ceil(ranks)
    if interpolation == "nearest":
        low = high = unary.round_(ranks)
    found = _between(values, ranks, low, high, interpolation)
    bad = compare.equal(kept, 0)
    if not nan:
        bad = kept < x.size(axis)
    found = compare.where(bad, math.nan, found)
    return _place_quantiles(found, self, q, axis if dim is not None else None, keepdim)


def _between(values: Value, ranks: Value, low: Value, high: Value, interpolation: str) -> Value:
    """The elements at ranks that may lie between two."""
    below, above = (
        index.gather_elements(values, at.cast(Precision.INT64), axis=values.rank - 1)
        for at in (low, high)
    )
    match interpolation:
        case "lower" | "nearest":
            made = below
        case "higher":
            made = above
        case _:
            half = interpolation == "midpoint"
            made = lerp(below, above, values.scalar(0.5) if half else ranks - low)
    return made


def _last(x: Value, axis: int) -> Value:
    """`x` with an axis moved to the end."""
    perm = [*(k for k in range(x.rank) if k != axis), axis]
    return x if axis == x.rank - 1 else shape.transpose(x, perm=tuple(perm))


def _place_quantiles(found: Value, self: Value, q: Value, axis: int | None, keepdim: bool) -> Value:
    """Quantiles on the last axis as PyTorch returns them: those of a vector come first."""
    if keepdim and self.rank:
        axes = [0] * self.rank if axis is None else [axis]
        found = shape.unsqueeze(found, axes)
    last = found.rank - 1
    if q.rank == 0:
        return drop_axis(found, last, keepdim=False)
    return shape.transpose(found, perm=(last, *range(last))) if last else found


def _quantiles(name: str, *, nan: bool) -> None:
    @table.convert(f"aten.{name}.scalar")
    def scalar(
        self: Value,
        q: float,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Value:
        return _quantile(self, self.scalar(q), dim, keepdim, interpolation, nan=nan)

    @table.convert(f"aten.{name}.default")
    def default(
        self: Value,
        q: Value,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Value:
        return _quantile(self, q, dim, keepdim, interpolation, nan=nan)


_quantiles("quantile", nan=False)
_quantiles("nanquantile", nan=True)


def _hits(x: Value, edges: Value) -> Value:
    """Which bin each element of a vector lies in; the last one has its upper end too."""
    starts, ends = (index.slice_(edges, [0], [a], [b]) for a, b in ((0, -1), (1, 1 << 62)))
    column = shape.unsqueeze(x, [1])
    hits = (column >= starts) & (column < ends)
    count = edges.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"a histogram with edges {edges.type}, whose number must be known")
    is_last = x.model.constant(np.arange(count - 1) == count - 2)
    return hits | compare.equal(column, ends) & is_last


def _histogram(x: Value, edges: Value, weight: Value | None, density: bool) -> Value:
    """How many elements lie in each bin, or the density of them."""
    amounts = _hits(x, edges).cast(x.precision)
    if weight is not None:
        amounts = amounts * shape.reshape(weight, [-1, 1])
    found = reduce.reduce_sum(amounts, [0], keepdim=False)
    if not density:
        return found
    total = reduce.reduce_sum(found, [0], keepdim=True)
    return found / (total * diff(edges, dim=0))


def _edges(x: Value, bins: int, range: Sequence[float] | None) -> Value:
    """The ends of bins of one width."""
    first, last = range or (0.0, 0.0)
    low, high = histogram_ends(x, first, last, 0.5)
    step = (high - low) / bins
    steps = np.arange(bins + 1)
    early = low + step * steps
    late = high - step * (bins - steps)
    return compare.where(x.model.constant(steps < (bins + 1) // 2), early, late)


@table.convert("aten.histogram.bins_tensor")
def histogram(
    self: Value, bins: Value, *, weight: Value | None = None, density: bool = False
) -> tuple[Value, Value]:
    return _histogram(shape.reshape(self, [-1]), bins, weight, density), bins


@table.convert("aten.histogram.bin_ct")
def histogram_of_range(
    self: Value,
    bins: int = 100,
    *,
    range: tuple[float, ...] | None = None,
    weight: Value | None = None,
    density: bool = False,
) -> tuple[Value, Value]:
    x = shape.reshape(self, [-1])
    edges = _edges(x, bins, range)
    return _histogram(x, edges, weight, density), edges


@table.convert("aten.histc.default")
def histc(self: Value, bins: int = 100, min: Number = 0, max: Number = 0) -> Value:
    if isinstance(min, complex) or isinstance(max, complex) or not self.is_float:
        raise Unsupported(f"histc of {self.type}, from {min!r} to {max!r}")
    flat = shape.reshape(self, [-1])

    def body(x: Value) -> Value:
        return histogram_counts(x, *histogram_ends(x, float(min), float(max), 1), bins, None)

    return round_once(body, flat)


@table.convert("aten.bincount.default")
def bincount(self: Value, weights: Value | None = None, minlength: Index = 0) -> Value:  # type: ignore[assignment]
    return statistics_recipes.bincount(self, weights, minlength)
