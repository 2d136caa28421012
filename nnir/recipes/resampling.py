"""RESIZE by the neighbours of each position, whose places and weights are known."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import axes_of, contents
from ..dim import Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import (
    activation,
    compare,
    index,
    linear,
    resize,
    sampling,
    shape,
    unary,
)
from ..types import Precision

FEW = 4
"""So many neighbours are taken one by one; more are a product with a matrix."""
MOST = 1 << 24
"""So many numbers a table of places or weights may have."""
PLANE = [2, 3]
ROUNDED = {"half_pixel": (False, 0), "pytorch_half_pixel": (False, 0)}
RULES = ROUNDED | {"align_corners": (True, 1), "asymmetric": (False, 1)}
"""Coordinate rules by the `align_corners` and `align_mode` of RESIZE_LINEAR."""
WHOLE = (0.0, 1.0)
"""The region that is a whole axis."""
CROPS = "tf_crop_and_resize"
INT, DOUBLE = Precision.INT64, Precision.FLOAT64


class Scaling:
    """The axes that a RESIZE changes: sizes before and after, where they are known.

    `regions` are the parts of axes that are resized, where a `roi` names them.
    """

    def __init__(
        self,
        input: Value,
        scales: Value | None,
        sizes: Value | None,
        axes: tuple[int, ...] | None,
        policy: str,
        roi: Value | None = None,
    ) -> None:
        named = axes_of(axes if axes is not None else range(input.rank), input.rank)
        given = None if sizes is None else contents(sizes)
        factors = None if scales is None else constant_scales(scales)
        if given is None and factors is None:
            raise NotConstant(f"the sizes that {input.type} is resized to")
        kept = [
            isinstance(input.shape[a], Expr)
            and (given[k] == input.shape[a] if given else factors is not None and factors[k] == 1)
            for k, a in enumerate(named)
        ]
        changed = [k for k, is_kept in enumerate(kept) if not is_kept]
        axes_ = [named[k] for k in changed]
        own = build.known_sizes(input, axes_)
        wanted = None if given is None else [given[k] for k in changed]
        if wanted and any(isinstance(d, Expr) for d in wanted):
            raise NotConstant(f"the sizes that {input.type} is resized to")
        every = [d if isinstance(d, int) else 1 for d in input.shape]
        steps = None if factors is None else [factors[k] for k in changed]
        out, scale = resize.resolve_sizes(every, axes_, wanted, steps, policy)  # type: ignore[arg-type]
        ends = _known_regions(roi, len(named))
        if any(ends[k] != WHOLE for k, is_kept in enumerate(kept) if is_kept):
            raise NotConstant(f"the size of what is taken of {input.type}")
        self.regions = {named[k]: ends[k] for k in changed}
        self.changes: dict[int, tuple[int, int, float]] = {
            axis: (size, end, step)
            for axis, size, end, step in zip(axes_, own, out, scale, strict=True)
            if size != end or step != 1 or self.regions[axis] != WHOLE
        }


def _known_regions(roi: Value | None, count: int) -> list[tuple[float, float]]:
    """Where the part of each axis begins and ends, of its length."""
    if roi is None or not roi.shape[0]:
        return [WHOLE] * count
    if roi.constant is None:
        raise NotConstant("the region that is resized")
    flat = [float(r) for r in roi.constant.reshape(-1)]
    return list(zip(flat[:count], flat[count:], strict=True))


def constant_scales(scales: Value) -> list[float] | None:
    """Scales that are known while converting."""
    return None if scales.constant is None else [float(s) for s in scales.constant.reshape(-1)]


def product_along(x: Value, axis: int, matrix: np.ndarray) -> Value:
    """A matrix [out, size] times the columns along one axis."""
    if axis == x.rank - 1:
        return linear.mat_mul(x, x.model.constant(np.ascontiguousarray(matrix.T)))
    if axis == x.rank - 2:
        return linear.mat_mul(x.model.constant(matrix), x)
    order = [*(a for a in range(x.rank) if a != axis), axis]
    moved = shape.transpose(x, perm=tuple(order))
    product = linear.mat_mul(moved, x.model.constant(np.ascontiguousarray(matrix.T)))
    return shape.transpose(product, perm=tuple(int(a) for a in np.argsort(order)))


def resize_as_linear(
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
) -> Value:
    """RESIZE_LINEAR, where it means the same."""
    rule = coordinate_transformation_mode
    is_plain = mode == "linear" and not antialias and not exclude_outside
    if not is_plain or rule == CROPS or not input.is_float or input.rank != 4:
        raise Unsupported(f"resize of {input.type} by {mode} and {rule} as RESIZE_LINEAR")
    stretched = sizes is not None and keep_aspect_ratio_policy == "stretch"
    is_plane = axes is not None and list(axes_of(axes, 4)) == PLANE
    if stretched and is_plane and rule in RULES and rule != "pytorch_half_pixel":
        align, kind = RULES[rule]
        return resize.resize_linear(input, sizes, align_corners=align, align_mode=kind)
    scaling = Scaling(input, scales, sizes, axes, keep_aspect_ratio_policy)
    how = sampling.Filter(mode, rule, nearest_mode, antialias, exclude_outside, cubic_coeff_a)
    weights = {a: weights_along(how, *change) for a, change in scaling.changes.items()}
    usual = None
    if set(weights) == set(PLANE):
        usual = _usual_rule([scaling.changes[a] for a in PLANE], [weights[a] for a in PLANE])
    if usual is None:
        raise Unsupported(f"resize of {input.type} by {rule}, which is not that of RESIZE_LINEAR")
    out = np.array([scaling.changes[a][1] for a in PLANE], np.int64)
    return resize.resize_linear(input, out, align_corners=usual[0], align_mode=usual[1])


def weights_along(how: sampling.Filter, size: int, out: int, step: float) -> np.ndarray:
    """What each element of the result takes of each of the input, [out, size]."""
    near, weight, _ = sampling.weights(how, size, out, step, None)
    return sampling.matrix_of(near, weight, size)


def _usual_rule(
    changes: Sequence[tuple[int, int, float]], weights: Sequence[np.ndarray]
) -> tuple[bool, int] | None:
    """The rule of RESIZE_LINEAR that has these weights."""
    for align, kind in dict.fromkeys(RULES.values()):
        rule = next(name for name, how in RULES.items() if how == (align, kind))
        how = sampling.Filter("linear", rule, "floor", False, False, 0.0)
        usual = [weights_along(how, n, m, m / n) for n, m, _ in changes]
        if all(np.allclose(a, b, atol=1e-12) for a, b in zip(usual, weights, strict=True)):
            return align, kind
    return None


def resize_by_neighbours(
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
) -> Value:
    """RESIZE where sizes and scales are known: neighbours at constant places, with constant
    weights."""
    rule = coordinate_transformation_mode
    region = roi if rule == CROPS else None
    scaling = Scaling(input, scales, sizes, axes, keep_aspect_ratio_policy, region)
    how = sampling.Filter(mode, rule, nearest_mode, antialias, exclude_outside, cubic_coeff_a)
    result, lost = input if mode == "nearest" else blendable(input), None
    for axis, change in scaling.changes.items():
        _require_table(*change[:2])
        near, factors, outside = sampling.weights(how, *change, scaling.regions[axis])
        result = _blend_along(result, axis, change[0], near, factors, exact=mode == "nearest")
        if outside.any():
            mask = outside.reshape(-1, *(1,) * (input.rank - axis - 1))
            lost = mask if lost is None else lost | mask
    if lost is not None:
        result = compare.where(result.model.constant(lost), extrapolation_value, result)
    return round_back(result, input.precision)


def resize_linear_to_sizes(
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Value:
    """RESIZE_LINEAR by scales, to the sizes that they give."""
    if shape is not None:
        raise Unsupported(f"{input.type} by scales, to sizes that are given")
    target = plane_target(input, shape, scales)
    return resize.resize_linear(input, target, align_corners=align_corners, align_mode=align_mode)


def resize_linear_by_neighbours(
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Value:
    """RESIZE_LINEAR of known sizes: weighted sums of two neighbours along each axis."""
    pairs = resize.static_sizes(input, shape, scales)
    if pairs is None:
        raise NotConstant(f"the sizes that {input.type} is resized to")
    result = blendable(input)
    for axis, (size, out) in enumerate(pairs, start=2):
        _require_table(size, out)
        table = resize.linear_weights(size, out, align_corners=align_corners, align_mode=align_mode)
        result = _blend_along(result, axis, size, *table, exact=False)
    return round_back(result, input.precision)


def _require_table(size: int, out: int) -> None:
    """Unsupported for too large a table, or one of neighbours among none."""
    if size * out > MOST:
        raise Unsupported(f"{out} elements of an axis of {size} by a table of so many weights")
    if out and not size:
        raise Unsupported(f"{out} elements of an axis of none")


def _blend_along(
    x: Value, axis: int, size: int, near: np.ndarray, factors: np.ndarray, *, exact: bool
) -> Value:
    """Weighted sums of neighbours along an axis: a few gathers, or a product with a matrix."""
    if exact:
        return _take(x, axis, size, near[:, 0])
    if near.shape[1] > FEW:
        return product_along(x, axis, sampling.matrix_of(near, factors, size).astype(x.dtype))
    column = (-1, *(1,) * (x.rank - axis - 1))
    terms = [
        _take(x, axis, size, near[:, k]) * x.model.constant(factors[:, k].reshape(column), x.dtype)
        for k in range(near.shape[1])
        if factors[:, k].any()
    ]
    return functools.reduce(operator.add, terms) if terms else _take(x, axis, size, near[:, 0])


def _take(x: Value, axis: int, size: int, near: np.ndarray) -> Value:
    """Entries of an axis at known places; as they are where these are all in order."""
    if np.array_equal(near, np.arange(size)):
        return x
    return index.gather(x, near.astype(np.int64), axis=axis)


def blendable(x: Value) -> Value:
    """Elements that can be averaged: halves in FLOAT32, and integers where that has them all."""
    if x.precision in (Precision.FLOAT32, DOUBLE):
        return x
    is_wide = not x.is_float and x.dtype.itemsize > 2
    return x.cast(DOUBLE if is_wide else Precision.FLOAT32)


def round_back(x: Value, precision: Precision) -> Value:
    """What was averaged in the precision of before; integers are rounded and clamped."""
    if precision.is_integer and not x.is_integer:
        low, high = np.iinfo(precision.dtype).min, np.iinfo(precision.dtype).max
        x = activation.clip(unary.round_(x), x.scalar(low), x.scalar(high))
    return x.cast(precision)


def plane_target(input: Value, shape: Value | None, scales: Value | None) -> Value:
    """The new H and W, by factors that are whole in integers."""
    if shape is not None:
        return build.int64(shape)
    if scales is None:
        raise Unsupported("a resize without shape and scales")
    own = index.slice_(build.shape_of(input), [0], [2], [4])
    factors = constant_scales(scales)
    if factors is not None and all(f == int(f) for f in factors):
        return own * own.model.constant(factors, np.int64)
    return unary.floor(own.cast(DOUBLE) * scales.cast(DOUBLE)).cast(INT)
