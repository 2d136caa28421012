"""Resizing by the standard's two rules where they are meant, else by positions and weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import axes_of
from ..decomposition import Level
from ..dim import Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, generate, index, linear, resize, sampling, shape
from ..recipes.resampling import (
    MOST,
    PLANE,
    ROUNDED,
    Scaling,
    constant_scales,
    product_along,
    resize_as_linear,
    weights_along,
)


@resize.resize.decomposes()
def _nearest(
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
    """Each element taken from its place: RESIZE_NEAREST, or GATHER along each axis."""
    if mode != "nearest" or coordinate_transformation_mode == "tf_crop_and_resize":
        raise Unsupported(f"resize by {mode} and {coordinate_transformation_mode} without rounding")
    repeated = _whole_scales(input, scales, axes, coordinate_transformation_mode)
    if repeated is not None and nearest_mode.startswith("round"):
        return resize.resize_nearest(input, None, np.array(repeated, np.float32))
    scaling = Scaling(input, scales, sizes, axes, keep_aspect_ratio_policy)
    how = sampling.Filter(mode, coordinate_transformation_mode, nearest_mode, False, False, 0.0)
    places = {
        axis: sampling.weights(how, *change, None)[0][:, 0].astype(np.int64)
        for axis, change in scaling.changes.items()
    }
    if input.rank == 4 and set(places) <= set(PLANE):
        out = [scaling.changes[a][1] if a in places else input.shape[a] for a in PLANE]
        for align in (False, True):
            usual = (
                resize.nearest_positions(n, m, align_corners=align)
                for n, m, _ in scaling.changes.values()
            )
            known = not any(isinstance(d, Expr) for d in out)
            if known and all(map(np.array_equal, usual, places.values())):
                return resize.resize_nearest(input, np.array(out, np.int64), align_corners=align)
    result = input
    for axis, place in places.items():
        result = index.gather(result, place, axis=axis)
    return result


def _whole_scales(
    input: Value, scales: Value | None, axes: tuple[int, ...] | None, rule: str
) -> list[float] | None:
    """Scales of a plane that repeat each element a whole number of times, for open sizes."""
    factors = None if scales is None else constant_scales(scales)
    if factors is None or input.rank != 4 or input.is_static or rule not in ROUNDED:
        return None
    named = axes_of(axes if axes is not None else range(4), 4)
    each = [1.0] * 4
    for axis, factor in zip(named, factors, strict=True):
        each[axis] = factor
    fits = each[:2] == [1, 1] and all(f >= 1 and f == int(f) for f in each)
    return each[2:] if fits else None


resize.resize.decomposes(level=Level.ROUNDING)(resize_as_linear)


@resize.resize.decomposes(level=Level.ROUNDING)
def _resize_by_weights(
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
    """A matrix product by constant weights along each axis."""
    rule = coordinate_transformation_mode
    if mode == "nearest" or rule == "tf_crop_and_resize" or not input.is_float:
        raise Unsupported(f"resize of {input.type} by {mode} and {rule} as sums of products")
    scaling = Scaling(input, scales, sizes, axes, keep_aspect_ratio_policy)
    how = sampling.Filter(mode, rule, nearest_mode, antialias, exclude_outside, cubic_coeff_a)
    result = input
    for axis, change in scaling.changes.items():
        result = product_along(result, axis, weights_along(how, *change).astype(input.dtype))
    return result


@resize.resize_nearest.decomposes()
def _resize_nearest(
    input: Value, shape: Value | None, scales: Value | None, *, align_corners: bool
) -> Value:
    for axis, (size, out) in enumerate(_plane_sizes(input, shape, scales), 2):
        near = resize.nearest_positions(size, out, align_corners=align_corners)
        if out != size or (near != np.arange(size)).any():
            input = index.gather(input, near, axis=axis)
    return input


@resize.resize_linear.decomposes(level=Level.ROUNDING)
def _resize_linear(
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Value:
    """A matrix product along each axis."""
    if not input.is_float:
        raise Unsupported(f"resize_linear of {input.type} as sums of products")
    for axis, (size, out) in enumerate(_plane_sizes(input, shape, scales), 2):
        near = resize.linear_weights(size, out, align_corners=align_corners, align_mode=align_mode)
        matrix = sampling.matrix_of(*near, size)
        if matrix.size > MOST:
            raise Unsupported(f"{out} sums over {size} elements by a matrix")
        input = product_along(input, axis, matrix.astype(input.dtype))
    return input


def _plane_sizes(input: Value, shape: Value | None, scales: Value | None) -> list[tuple[int, int]]:
    """The sizes of H and W before and after; NotConstant where one is not known."""
    sizes = resize.static_sizes(input, shape, scales)
    if sizes is None:
        raise NotConstant(f"the sizes that {input.type} is resized to")
    return sizes


@resize.affine_grid.decomposes(level=Level.ROUNDING)
def _affine_grid(theta: Value, size: Value, *, align_corners: bool) -> Value:
    """The grid of no change, a constant where its size is known, times the matrices."""
    spatial = build.elements(size)[2:]
    count = len(spatial)
    known = [n for n in spatial if isinstance(n, int)]
    if len(known) == count:
        still, sizes = np.eye(count, count + 1)[None], np.array((1, 1, *known))
        plain = resize.affine_grid.reference(still, sizes, align_corners=align_corners)
        base = np.concatenate([plain[0], np.ones((*known, 1))], axis=-1)
        points = theta.model.constant(base.reshape(-1, count + 1).astype(theta.dtype))
    else:
        points = _points(theta, spatial, align_corners=align_corners)
    grid = linear.mat_mul(points, shape.transpose(theta, perm=(0, 2, 1)))
    return build.reshape(grid, [build.size_of(theta, 0), *spatial, count])


def _points(theta: Value, spatial: Sequence[build.Size], *, align_corners: bool) -> Value:
    """Rows of the coordinates of all pixels, the last axis first, and a one."""
    full = build.vector(theta.model, [*spatial, 1])
    columns = [generate.fill(full, theta.model.constant(1, theta.dtype))]
    for axis, part in enumerate(spatial):
        size = shape.reshape(build.vector(theta.model, [part]), []).cast(theta.precision)
        line = generate.range_([0], build.vector(theta.model, [part]), [1]).cast(theta.precision)
        steps = binary.max_(size - 1, size.scalar(1)) if align_corners else size
        at = (2 * line + 1 - size) / steps
        spread = shape.unsqueeze(at, list(range(1, len(spatial) - axis + 1)))
        columns.insert(0, shape.expand(spread, full))
    return build.reshape(shape.concat(*columns, axis=-1), [-1, len(spatial) + 1])
