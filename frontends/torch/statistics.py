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
from nnir.ops import binary, compare, generate, index, reduce, shape, sort, unary
from nnir.ops.reduce import highest
from nnir.types import Precision

from ..table import Table
from .blend import lerp
from .halves import once_rounded
from .promotion import Number
from .running import diff
from .unary import is_nan

table = Table()


def ordered(x: Value, axis: int) -> tuple[Value, Value]:
    """The elements in ascending order, NaN last, and where they were."""
    values, places = sort.top_k(x, x.size(axis), axis=axis, largest=False)
    return values, places


def count_nan(x: Value, axis: int) -> Value:
    """How many elements along an axis are NaN; the axis stays."""
    mask = is_nan(x).cast(Precision.INT64)
    return reduce.reduce_sum(mask, [axis], keepdim=True)


def _middle(x: Value, axis: int, *, without_nan: bool) -> tuple[Value, Value]:
    """The lower median and where it is: of what is not NaN, or the first NaN."""
    values, places = ordered(x, axis)
    size = x.size(axis)
    half = (size - 1) / 2
    if x.is_float:
        bad = count_nan(x, axis)
        left = size - bad
        if without_nan:
            at = binary.max_((left - 1) / 2, 0)
        else:
            at = compare.where(compare.equal(bad, 0), half, left)
        return _picked(values, at, axis), _picked(places, at, axis)
    place = build.reshape_to(half, build.vector(x.model, [1]))
    return index.gather(values, place, axis=axis), index.gather(places, place, axis=axis)


def _picked(x: Value, at: Value, axis: int) -> Value:
    return index.gather_elements(x, at, axis=axis)


def _medians(name: str, *, without_nan: bool) -> None:
    @table.convert(f"aten.{name}.default")
    def whole(self: Value) -> Value:
        flat = shape.reshape(self, [-1])
        value, _ = _middle(flat, 0, without_nan=without_nan)
        return build.reshape_to(value, build.vector(value.model, []))

    @table.convert(f"aten.{name}.dim")
    def along(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        axis = axis_of(dim, max(self.rank, 1))
        if not self.rank:
            return self, self.model.constant(0)
        found = _middle(self, axis, without_nan=without_nan)
        return dropped(found[0], axis, keepdim), dropped(found[1], axis, keepdim)


_medians("median", without_nan=False)
_medians("nanmedian", without_nan=True)


def dropped(x: Value, axis: int, keepdim: bool) -> Value:
    """An axis of size 1, kept or not."""
    return x if keepdim else shape.squeeze(x, [axis])


@table.convert("aten.mode.default")
def mode(self: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The smallest of the most frequent elements, found by comparing all pairs."""
    axis = axis_of(dim, max(self.rank, 1))
    if not self.rank:
        return self, self.model.constant(0)
    pairs = compare.equal(shape.unsqueeze(self, [axis]), shape.unsqueeze(self, [axis + 1]))
    counts = reduce.reduce_sum(pairs.cast(Precision.INT64), [axis], keepdim=False)
    most = compare.equal(counts, reduce.reduce_max(counts, [axis], keepdim=True))
    wide = self.cast(Precision.UINT8) if self.precision == Precision.BOOL8 else self
    rest = compare.where(most, wide, highest(wide.dtype))
    value = reduce.reduce_min(rest, [axis], keepdim=True)
    places = build.arange_along(self, axis, aligned=True)
    same = compare.where(compare.equal(wide, value), places, -1)
    place = reduce.reduce_max(same, [axis], keepdim=keepdim)
    return dropped(value, axis, keepdim).cast(self.precision), place


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
    values, _ = ordered(x, axis)
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
    return _placed(found, self, q, axis if dim is not None else None, keepdim)


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


def _placed(found: Value, self: Value, q: Value, axis: int | None, keepdim: bool) -> Value:
    """Quantiles on the last axis as PyTorch returns them: those of a vector come first."""
    if keepdim and self.rank:
        axes = [0] * self.rank if axis is None else [axis]
        found = shape.unsqueeze(found, axes)
    last = found.rank - 1
    if q.rank == 0:
        return dropped(found, last, keepdim=False)
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


def _bins(x: Value, low: Value, high: Value, count: int, weight: Value | None) -> Value:
    """How much lies in each of `count` bins of one width; the last one has its upper end."""
    inside = (x >= low) & (x <= high)
    steps = (x - low) * count / (high - low)
    at = binary.min_(unary.floor(steps), count - 1)
    return _counted(at, inside, x.model.constant(np.arange(count), x.dtype), weight)


def _counted(at: Value, inside: Value, bins: Value, weight: Value | None) -> Value:
    """How often each of some numbers occurs in `at`, where `inside` holds."""
    hits = compare.equal(shape.unsqueeze(at, [1]), shape.unsqueeze(bins, [0]))
    hits = hits & shape.unsqueeze(inside, [1])
    amounts = hits.cast(bins.precision if weight is None else weight.precision)
    if weight is not None:
        amounts = amounts * shape.unsqueeze(weight, [1])
    return reduce.reduce_sum(amounts, [0], keepdim=False)


def _ends(x: Value, low: float, high: float, margin: float) -> tuple[Value, Value]:
    """The range of a histogram: that of the elements where both ends are equal, never empty."""
    if low != high:
        return x.scalar(low), x.scalar(high)
    least, most = x.scalar(low), x.scalar(high)
    if x.shape[0] != 0:
        least, most = (f(x, [], keepdim=False) for f in (reduce.reduce_min, reduce.reduce_max))
    same, one = compare.equal(least, most), x.scalar(margin)
    return (
        compare.where(same, least - one, least),
        compare.where(same, most + one, most),
    )


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
    low, high = _ends(x, first, last, 0.5)
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
        return _bins(x, *_ends(x, float(min), float(max), 1), bins, None)

    return once_rounded(body, flat)


@table.convert("aten.bincount.default")
def bincount(self: Value, weights: Value | None = None, minlength: Index = 0) -> Value:  # type: ignore[assignment]
    """As many counts as the largest element, plus 1, says."""
    x = self.cast(Precision.INT64)
    least = minlength if isinstance(minlength, Value) else x.model.constant(minlength)
    largest = binary.max_(reduce.reduce_max(x, [], keepdim=False), -1)
    size = binary.max_(largest + 1, least)
    bins = generate.range_(x.model.constant(0), size, x.model.constant(1))
    if weights is not None and weights.precision != Precision.FLOAT32:
        weights = weights.cast(Precision.FLOAT64)
    return _counted(x, compare.equal(x, x), bins, weights)
