"""RESIZE of sizes that are only known while running: the graph computes places and weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import axes_of, contents
from ..dim import Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, compare, generate, index, linear, reduce, resize, sampling, shape, unary
from ..types import Precision
from .resampling import (
    CROPS,
    DOUBLE,
    INT,
    MOST,
    blendable,
    constant_scales,
    plane_target,
    product_along,
    round_back,
    weights_along,
)


def resize_nearest_while_running(
    input: Value, shape: Value | None, scales: Value | None, *, align_corners: bool
) -> Value:
    """RESIZE_NEAREST of sizes that are only known while running, by places in integers."""
    target = plane_target(input, shape, scales)
    for axis in (2, 3):
        size, out = input.size(axis), _number(target, axis - 2)
        top, bottom = _line(out) * size, binary.max_(out, out.scalar(1))
        if align_corners:
            bottom = binary.max_((out - 1) * 2, out.scalar(2))
            top = _line(out) * 2 * (size - 1) + bottom / out.scalar(2)
        input = index.gather(input, top / bottom, axis=axis)
    return input


def _number(vector: Value, k: int) -> Value:
    """One element of a vector, of rank 0."""
    return index.gather(vector, k, axis=0)


def _line(end: Value) -> Value:
    """0, 1, ... below a number, in its precision."""
    return generate.range_(end.scalar(0), end, end.scalar(1))


def resize_while_running(
    input: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    antialias: bool,
    axes: tuple[int, ...] | None,
    cubic_coeff_a: float,
    exclude_outside: bool,
    extrapolation_value: float,
    keep_aspect_ratio_policy: str,
    precision: Precision = DOUBLE,
) -> Value:
    """RESIZE of sizes that are only known while running: the graph computes places and weights, as
    `nnir.ops.sampling` does, in `precision`; those of axes that are known are constants.

    In FLOAT32 places of nearest elements are quotients of integers: the ratio of the sizes has to
    be the scale, or the scales whole numbers.
    """
    rule = coordinate_transformation_mode
    how = sampling.Filter(mode, rule, nearest_mode, antialias, exclude_outside, cubic_coeff_a)
    named = axes_of(axes if axes is not None else range(input.rank), input.rank)
    is_exact = mode == "nearest"
    result = input if is_exact else blendable(input)
    own = index.gather(build.shape_of(input), list(named), axis=0)
    make = _Resampler(how, precision)
    if is_exact and sizes is None and (factors := _repeats(how, scales)) is not None:
        return _repeat(input, named, factors)
    known = {} if rule == CROPS else _changes(input, named, scales, sizes, keep_aspect_ratio_policy)
    for axis, change in known.items():
        result = _resample(result, axis, how, *change)
    left = [(k, axis) for k, axis in enumerate(named) if axis not in known]
    if precision != DOUBLE and (is_exact or rule == CROPS):
        target = make.whole_sizes(own, scales, sizes, keep_aspect_ratio_policy)
        for k, axis in left:
            n, out = (_number(v, k) for v in (own, target))
            result = index.gather(result, make.nearest_by_sizes(n, out), axis=axis)
        return result
    steps, target = make.scaling(own, scales, sizes, keep_aspect_ratio_policy)
    bounds = None if roi is None or rule != CROPS else roi.cast(precision)
    lost = []
    for k, axis in left:
        n, out, scale = (_number(v, k).cast(precision) for v in (own, target, steps))
        ends = None if bounds is None else [_number(bounds, k + m) for m in (0, len(named))]
        at = make.positions(n, out, scale, ends)
        if is_exact:
            result = index.gather(result, make.nearest(at, n), axis=axis)
        else:
            result = _columns_along(result, axis, make.matrix(at, n, scale).cast(result.precision))
        if rule == CROPS:
            mask = (at < 0) | (at > n - 1)
            behind = list(range(1, input.rank - axis))
            lost.append(shape.unsqueeze(mask, behind) if behind else mask)
    for mask in lost:
        result = compare.where(mask, extrapolation_value, result)
    return round_back(result, input.precision)


def _changes(
    input: Value, axes: Sequence[int], scales: Value | None, sizes: Value | None, policy: str
) -> dict[int, tuple[int, int, float]]:
    """Of axes of which all is known: the sizes before and after, and the scale."""
    given = None if sizes is None else contents(sizes)
    factors = None if scales is None else constant_scales(scales)
    if sizes is not None and policy != "stretch":  # one scale for all axes, of open sizes too
        return {}
    found = {}
    for k, axis in enumerate(axes):
        size, wanted = input.shape[axis], None if given is None else given[k]
        if isinstance(size, Expr) or isinstance(wanted, Expr) or (wanted is None and not factors):
            continue
        ends = None if wanted is None else [wanted], None if factors is None else [factors[k]]
        (out,), (step,) = resize.resolve_sizes((size,), (0,), *ends, policy)
        if size * out <= MOST:
            found[axis] = size, out, step
    return found


def _resample(x: Value, axis: int, how: sampling.Filter, size: int, out: int, step: float) -> Value:
    """One axis by constant places or weights."""
    if size == out and step == 1:
        return x
    if how.mode == "nearest":
        near, _, _ = sampling.weights(how, size, out, step)
        return index.gather(x, near[:, 0].astype(np.int64), axis=axis)
    return product_along(x, axis, weights_along(how, size, out, step).astype(x.dtype))


REPEATED = {
    ("asymmetric", "floor"),
    ("half_pixel", "round_prefer_floor"),
    ("half_pixel", "round_prefer_ceil"),
}
"""Rules by which a scale that is a whole number repeats each element so many times."""


def _are_whole(factors: Sequence[float]) -> bool:
    """Whether scales are whole numbers from 1 on."""
    return all(f == int(f) > 0 for f in factors)


def _repeats(how: sampling.Filter, scales: Value | None) -> list[int] | None:
    """How often each element of an axis is repeated, where that is all; else None."""
    factors = None if scales is None else constant_scales(scales)
    if factors is None or (how.coordinates, how.nearest) not in REPEATED:
        return None
    return [int(f) for f in factors] if _are_whole(factors) else None


def _repeat(x: Value, axes: Sequence[int], factors: Sequence[int]) -> Value:
    """Each element of axes so many times."""
    for axis, factor in zip(axes, factors, strict=True):
        if factor > 1:
            line = _line(x.size(axis) * factor)
            x = index.gather(x, line / line.scalar(factor), axis=axis)
    return x


def _columns_along(x: Value, axis: int, columns: Value) -> Value:
    """A matrix [size, out] that one axis is multiplied by."""
    order = [*(a for a in range(x.rank) if a != axis), axis]
    product = linear.mat_mul(shape.transpose(x, perm=tuple(order)), columns)
    return shape.transpose(product, perm=tuple(int(a) for a in np.argsort(order)))


class _Resampler:
    """Places and weights along one axis, whose sizes and scale are numbers of the graph."""

    def __init__(self, how: sampling.Filter, precision: Precision) -> None:
        self.how = how
        self.precision = precision

    def scaling(
        self, own: Value, scales: Value | None, sizes: Value | None, policy: str
    ) -> tuple[Value, Value]:
        """Scales and sizes of the axes, whose sizes are `own`."""
        real = own.cast(self.precision)
        if sizes is None:
            if scales is None:
                raise Unsupported("a resize without scales and sizes")
            factors = scales.cast(self.precision)
            return factors, unary.floor(factors * real)
        wanted = sizes.cast(self.precision)
        factors = wanted / real
        if policy == "stretch":
            return factors, wanted
        extreme = reduce.reduce_min if policy == "not_larger" else reduce.reduce_max
        factors = factors * 0 + extreme(factors, [0], keepdim=True)
        return factors, unary.floor(factors * real + 0.5)

    def whole_sizes(
        self, own: Value, scales: Value | None, sizes: Value | None, policy: str
    ) -> Value:
        """Sizes whose ratios are the scales; an error of ours where they may not be."""
        if self.how.coordinates == CROPS or (sizes is not None and policy != "stretch"):
            raise Unsupported(f"places in integers, {policy}, {self.how}")
        if sizes is not None:
            return build.int64(sizes)
        factors = None if scales is None else constant_scales(scales)
        if factors is None or not _are_whole(factors):
            raise NotConstant(f"the scales of sizes that are not known, by {self.how}")
        return own * own.model.constant(factors, np.int64)

    def positions(
        self, n: Value, out: Value, scale: Value, region: Sequence[Value] | None
    ) -> Value:
        """Where in an axis of `n` the `out` results lie."""
        at = _line(out.cast(INT)).cast(self.precision)
        length, centre = scale * n, (at + 0.5) / scale
        is_single = compare.equal(length, 1)
        steps = compare.where(is_single, length, length - 1)
        match self.how.coordinates:
            case "align_corners":
                return compare.where(is_single, at * 0, at * (n - 1) / steps)
            case "asymmetric":
                return at / scale
            case "pytorch_half_pixel":
                return compare.where(compare.equal(out, 1), 0, centre - 0.5)
            case "half_pixel_symmetric":
                return n * 0.5 * (1 - out / length) + centre - 0.5
            case "tf_crop_and_resize":
                start, end = region or (n.scalar(0), n.scalar(1))
                span = at * (end - start) * (n - 1) / steps
                middle = (start + end) * 0.5 * (n - 1)
                return compare.where(is_single, middle, span + start * (n - 1))
        return centre - 0.5

    def nearest(self, at: Value, n: Value) -> Value:
        """Indices of the nearest elements."""
        match self.how.nearest:
            case "round_prefer_ceil":
                near = unary.floor(at + 0.5)
            case "floor":
                near = unary.floor(at)
            case "ceil":
                near = unary.ceil(at)
            case _:
                near = unary.ceil(at - 0.5)
        return _clamp(near, n).cast(INT)

    def nearest_by_sizes(self, n: Value, out: Value) -> Value:
        """Indices of the nearest elements, in integers; the scale is the ratio of the sizes."""
        line, bottom = _line(out), out * 2
        match self.how.coordinates:
            case "half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric":
                top = (line * 2 + 1) * n - out
                if self.how.coordinates == "pytorch_half_pixel":
                    top = compare.where(compare.equal(out, 1), 0, top)
            case "asymmetric":
                top = line * 2 * n
            case "align_corners":
                top = line * 2 * (n - 1)
                bottom = binary.max_(out - 1, out.scalar(1)) * 2
            case _:
                raise Unsupported(f"places in integers, {self.how}")
        rounding = {"floor": (1, 0), "ceil": (1, bottom - 1), "round_prefer_ceil": (2, bottom)}
        factor, more = rounding.get(self.how.nearest, (2, bottom - 1))
        whole = binary.max_(top * factor + more, top.scalar(0))  # what is below 0 is bounded by it
        return binary.min_(whole / (bottom * factor), n - 1)

    def matrix(self, at: Value, n: Value, scale: Value) -> Value:
        """Weights [n, out]; those of elements outside go to the border."""
        how = self.how
        shrink = binary.min_(scale, scale.scalar(1)) if how.antialias else scale.scalar(1)
        reach = unary.ceil(2 / shrink + 1).cast(INT)
        first, behind = -reach, n.cast(INT) + reach
        taps = generate.range_(first, behind, first.scalar(1)).cast(self.precision)
        rows = shape.unsqueeze(taps, [1])
        x = abs(rows - at) * shrink
        factors = self.cubic(x) if how.mode == "cubic" else binary.max_(1 - x, x.scalar(0))
        if how.exclude_outside:
            factors = compare.where((rows < 0) | (rows > n - 1), 0, factors)
        if how.antialias or how.exclude_outside:
            total = reduce.reduce_sum(factors, [0], keepdim=True)
            factors = factors / compare.where(compare.equal(total, 0), 1, total)
        places = shape.unsqueeze(_line(n.cast(INT)).cast(self.precision), [1])
        home = compare.equal(places, _clamp(taps, n))
        return linear.mat_mul(home.cast(self.precision), factors)

    def cubic(self, x: Value) -> Value:
        """R. Keys, 1981."""
        a = self.how.cubic_coeff_a
        near = (x * (a + 2) - (a + 3)) * x * x + 1
        far = ((x * a - 5 * a) * x + 8 * a) * x - 4 * a
        return compare.where(x <= 1, near, compare.where(x < 2, far, 0))


def _clamp(at: Value, n: Value) -> Value:
    """Places inside of an axis of `n`."""
    return binary.max_(binary.min_(at, n - 1), at.scalar(0))
