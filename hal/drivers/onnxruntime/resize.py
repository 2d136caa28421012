"""Resizing and sampling.

Where all sizes are known, RESIZE becomes gathers and weighted sums of what the reference computes;
else ONNX Runtime's own kernel serves as far as it follows ONNX, and `resampling` the rest.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from nnir.broadcast import ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize, sampling
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from ...resizing import Axis, Corners, Resizing
from .emitter import Emitter, Ref, require_size
from .resampling import resample

table = Lowerings[Ref]()
FEW = 4


def _wide(g: Emitter, input: Value) -> Ref:
    """The precision to interpolate in."""
    kept = (Precision.FLOAT32, Precision.FLOAT64)
    return g.cast(input, input.precision if input.precision in kept else Precision.FLOAT32)


def _fit(g: Emitter, result: Ref, precision: Precision) -> Ref:
    """Integers are rounded and clamped to what the type holds."""
    if precision.is_integer:
        bounds = np.iinfo(precision.dtype)
        limits = [g.number(b, result) for b in (bounds.min, bounds.max)]
        result = g.node("Clip", g.node("Round", result), *limits)
    return result


def _target(g: Emitter, input: Value, shape: Value | None, scales: Value | None) -> Ref:
    """The new H and W. The ratio of the sizes counts, never the scales, as Resize would have it."""
    if shape is not None:
        return g.cast(shape, Precision.INT64)
    if scales is None:
        raise NoLowering("a resize without shape and scales")
    own = g.node("Shape", input, start=2).cast(Precision.FLOAT64)
    return g.node("Floor", own * g.cast(scales, Precision.FLOAT64)).cast(Precision.INT64)


def _nearest(g: Emitter, input: Value, target: Ref, *, align_corners: bool) -> Ref:
    """Gathers at places in exact integers, for sizes that are only known while running."""
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    result = g.take(input)
    for axis in (2, 3):
        size = g.size(input, axis)
        out = g.node("Gather", target, g.constant(axis - 2, np.int64))
        at = g.node("Range", zero, out, one)
        if align_corners:
            steps = g.node("Max", out - 1, one)
            near = (at * 2 * (size - 1) + steps) / (steps * 2)
        else:
            near = at * size / g.node("Max", out, one)
        result = g.node("Gather", result, near, axis=axis)
    return result


@table.lower(resize.resize_nearest)
def resize_nearest(
    g: Emitter,
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
) -> Ref:
    sizes = resize.static_sizes(input, shape, scales)
    if sizes is None or _is_empty(sizes):
        target = _target(g, input, shape, scales)
        return _nearest(g, input, target, align_corners=align_corners)
    result = g.take(input)
    for axis, (size, out) in enumerate(sizes, start=2):
        require_size(out)
        near = resize.nearest_positions(size, out, align_corners=align_corners)
        result = _pick(g, result, near, axis)
    return result


def _pick(g: Emitter, data: Ref, places: np.ndarray, axis: int) -> Ref:
    """Entries of an axis at known places."""
    return g.node("Gather", data, g.constant(places.astype(np.int64)), axis=axis)


@table.lower(resize.resize_linear, how=Corners)
def resize_linear(
    g: Emitter, input: Value, shape: Value | None, scales: Value | None, *, how: Corners
) -> Ref:
    sizes = resize.static_sizes(input, shape, scales)
    if sizes is None or _is_empty(sizes) or _is_native(input, sizes, how.rule):
        target = _target(g, input, shape, scales)
        if sizes is not None and _is_empty(sizes):
            return _nearest(g, input, target, align_corners=False)
        lead = g.node("Shape", input, start=0, end=2)
        some = g.node("Max", target, g.constant(1, np.int64))  # Resize refuses to make nothing
        result = g.node(
            "Resize",
            *(_float32(g, input), None, None, g.node("Concat", lead, some, axis=0)),
            mode="linear",
            coordinate_transformation_mode=how.rule,
        )
        if sizes is None:
            result = g.node("Slice", result, g.ints(0, 0), target, g.ints(2, 3))
        return _fit(g, result, input.precision)
    result = _wide(g, input)
    filter = sampling.Filter("linear", how.rule, "", False, False, 0.0)
    for axis, (size, out) in enumerate(sizes, start=2):
        require_size(size * out)
        near, factors, _ = sampling.weights(filter, size, out, out / size)
        result = _along(g, result, axis, input.rank, near, factors)
    return _fit(g, result, input.precision)


def _is_empty(sizes: Sequence[tuple[int, int]]) -> bool:
    return any(0 in pair for pair in sizes)


def _is_native(input: Value, sizes: Sequence[tuple[int, int]], coordinates: str) -> bool:
    whole = all(out % size == 0 for size, out in sizes)
    return whole and coordinates != "align_corners" and input.precision == Precision.FLOAT32


def _float32(g: Emitter, input: Value) -> Ref:
    if input.precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime interpolates FLOAT64 only where the sizes are known")
    return g.cast(input, Precision.FLOAT32)


def _along(
    g: Emitter, data: Ref, axis: int, rank: int, near: np.ndarray, factors: np.ndarray
) -> Ref:
    """Weighted sums of neighbours along an axis: a few gathers, or a product with a matrix."""
    kind = data.precision.dtype
    if near.shape[1] <= FEW:
        weights = factors.astype(kind).reshape(*near.shape, *(1,) * (rank - axis - 1))
        terms = [
            _pick(g, data, near[:, k], axis) * g.constant(weights[:, k])
            for k in range(near.shape[1])
        ]
        return functools.reduce(operator.add, terms) if terms else data
    last = int(near.max(initial=0)) + 1
    matrix = np.ascontiguousarray(sampling.matrix_of(near, factors, last).T, kind)
    perm = [k for k in range(rank) if k != axis] + [axis]
    cut = [g.ints(v) for v in (0, last, axis)]
    moved = g.node("Transpose", g.node("Slice", data, *cut), perm=perm)
    product = g.node("MatMul", moved, g.constant(matrix))
    return g.node("Transpose", product, perm=np.argsort(perm).tolist())


@table.lower(resize.resize, how=Resizing)
def resize_(
    g: Emitter,
    input: Value,
    roi: Value | None,
    scales: Value | None,
    sizes: Value | None,
    *,
    how: Resizing,
) -> Ref:
    named = how.axes_of(input.rank)
    plan = how.plan(input, roi, scales, sizes)
    if plan is not None and len(plan) == len(named):
        return _static(g, input, how, plan)
    wide = g.cast(input, input.precision) if how.is_nearest else _wide(g, input)
    if sizes is not None and _follows_onnx(input, how, named):
        result = g.node(
            "Resize",
            *(wide, None, None, g.int64(sizes)),
            axes=[2, 3],
            cubic_coeff_a=how.cubic_coeff_a,
            mode=how.mode,
            coordinate_transformation_mode=how.coordinate_transformation_mode,
        )
    else:
        given = roi, scales, sizes, how.keep_aspect_ratio_policy, how.extrapolation_value
        result = resample(g, input, wide, how.filter, named, *given)
    return result if how.is_nearest else _fit(g, result, input.precision)


def _follows_onnx(input: Value, how: Resizing, axes: Sequence[int]) -> bool:
    """Whether ONNX Runtime's kernel does what ONNX says, for sizes at run time."""
    stretches = how.keep_aspect_ratio_policy == "stretch"
    plain = not how.antialias and not how.exclude_outside and stretches
    rules = ("half_pixel", "asymmetric", "align_corners")
    image = input.rank == 4 and tuple(axes) == (2, 3) and input.precision != Precision.FLOAT64
    return plain and how.coordinate_transformation_mode in rules and image and not how.is_nearest


def _static(g: Emitter, input: Value, how: Resizing, plan: Sequence[Axis]) -> Ref:
    exact = how.is_nearest
    result = g.cast(input, input.precision) if exact else _wide(g, input)
    lost: np.ndarray | None = None
    for axis, size, out, scale, region in plan:
        if size == out and scale == 1 and region in (None, (0.0, 1.0)):
            continue
        require_size(size * out)
        near, factors, outside = sampling.weights(how.filter, size, out, scale, region)
        if exact:
            result = _pick(g, result, near[:, 0], axis)
        else:
            result = _along(g, result, axis, input.rank, near, factors)
        if outside.any():
            mask = outside.reshape(-1, *(1,) * (input.rank - axis - 1))
            lost = mask if lost is None else lost | mask
    if lost is not None:
        result = g.where(g.constant(lost), how.extrapolation_value, result)
    return result if exact else _fit(g, result, input.precision)


@table.lower(resize.grid_sample, resize.grid_sample_3d)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Ref:
    if input.rank == 5 and mode == InterpolateMode.BICUBIC:
        raise NoLowering("onnxruntime has no cubic GridSample of volumes")
    if grid.precision == Precision.FLOAT64:
        raise NoLowering(f"onnxruntime has no GridSample of {input.type} with {grid.type}")
    return g.single(
        "GridSample",
        *(input, grid),
        align_corners=align_corners,
        mode=resize.KINDS[mode],
        padding_mode=resize.BORDERS[pad_mode],
    )


@table.lower(resize.affine_grid)
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Ref:
    known = ints(size)
    if align_corners and (known is None or 1 in known[2:]):
        raise NoLowering(
            "onnxruntime's AffineGrid has the corner of a single pixel, not its centre"
        )
    return g.node("AffineGrid", _wide(g, theta), g.int64(size), align_corners=align_corners)
