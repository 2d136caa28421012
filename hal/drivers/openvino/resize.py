"""Resizing and sampling.

Where all sizes are known, resizing becomes gathers and weighted sums of what the reference
computes, or OpenVINO's Interpolate where that does the same; else Interpolate as far as it follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize, sampling
from nnir.types import Precision

from ...lowering import Lowerings
from ...resizing import Axis, Corners, Resizing
from .emitter import Emitter, Operand, Ref, require_size
from .integers import bounds_of
from .resampling import resample

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32
FEW = 4


def _fit(g: Emitter, result: Ref, precision: Precision) -> Ref:
    """Integers are rounded and clamped to what the type holds."""
    if precision.is_integer:
        if precision.dtype.itemsize > 2:
            raise NoLowering(f"openvino: interpolation of {precision.name} in float32")
        low, high = bounds_of(precision)
        result = g.node("Round", result, mode="half_to_even")
        result = g.node("Clamp", result, min=float(low), max=float(high))
    return result.cast(precision)


def _interpolate(
    g: Emitter, x: Operand, sizes: Operand, axes: Sequence[int], coordinates: str, **more: Any
) -> Ref:
    """OpenVINO's operator by sizes."""
    given: dict[str, Any] = {
        "mode": "linear_onnx",
        "shape_calculation_mode": "sizes",
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": "round_prefer_floor",
        "antialias": False,
        "pads_begin": [0],
        "pads_end": [0],
        "cube_coeff": -0.75,
    }
    return g.node("Interpolate", x, sizes, g.ints(*axes), **(given | more))


def _target(g: Emitter, input: Value, shape: Value | None, scales: Value | None) -> Ref:
    """The new H and W, for sizes that are only known while running."""
    if shape is not None:
        return g.int64(shape)
    if scales is None or scales.constant is None:
        raise NoLowering("openvino: a resize by scales that are only known while running")
    factors = scales.constant.reshape(-1).astype(np.float64)
    if not np.all(factors == np.floor(factors)):
        raise NoLowering(f"openvino: unknown sizes times {factors.tolist()}")
    own = g.part(g.dims(input), 2, 4)
    return own * g.ints(*factors.astype(np.int64).tolist())


def _nearest(g: Emitter, input: Value, target: Ref, *, align_corners: bool) -> Ref:
    """Gathers at places in integers, for sizes that are only known while running."""
    result = g.take(input)
    for axis in (2, 3):
        size = g.size(input, axis)
        out = g.gather(target, g.scalar(axis - 2), 0)
        top, bottom = g.line(out) * size, g.pair("Maximum", out, 1)
        if align_corners:
            steps = g.pair("Maximum", out - 1, 1)
            top, bottom = g.line(out) * 2 * (size - 1) + steps, steps * 2
        result = g.gather(result, top / bottom, axis)
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
    if sizes is None:
        return _nearest(g, input, _target(g, input, shape, scales), align_corners=align_corners)
    result: Any = g.ref(input)
    for axis, (size, out) in enumerate(sizes, start=2):
        require_size(out)
        near = resize.nearest_positions(size, out, align_corners=align_corners)
        result = _gather(g, result, near, axis, size)
    return result


def _gather(g: Emitter, data: Ref, near: np.ndarray, axis: int, size: int) -> Ref:
    """Entries of an axis at known places; as they are where these are all in order."""
    if np.array_equal(near, np.arange(size)):
        return data
    return g.gather(data, g.constant(near.astype(np.int64)), axis)


@table.lower(resize.resize_linear, how=Corners)
def resize_linear(
    g: Emitter, input: Value, shape: Value | None, scales: Value | None, *, how: Corners
) -> Ref:
    sizes = resize.static_sizes(input, shape, scales)
    x = g.cast(input, FLOAT32)
    if sizes is None or _is_native(sizes, how.rule):
        known = () if sizes is None else (out for _, out in sizes)
        target = _target(g, input, shape, scales) if sizes is None else g.ints(*known)
        return _fit(g, _interpolate(g, x, target, (2, 3), how.rule), input.precision)
    filter = sampling.Filter("linear", how.rule, "", False, False, 0.0)
    for axis, (size, out) in enumerate(sizes, start=2):
        require_size(size * out)
        near, factors, _ = sampling.weights(filter, size, out, out / size)
        x = _along(g, x, axis, input.rank, size, near, factors)
    return _fit(g, x, input.precision)


def _is_native(sizes: Sequence[tuple[int, int]], coordinates: str) -> bool:
    """Whether positions are exact in float32."""
    whole = all(out % size == 0 and (out // size) & (out // size - 1) == 0 for size, out in sizes)
    return whole and coordinates != "align_corners"


def _along(
    g: Emitter, data: Ref, axis: int, rank: int, size: int, near: np.ndarray, factors: np.ndarray
) -> Ref:
    """Weighted sums of neighbours along an axis: a few gathers, or a product with a matrix."""
    if near.shape[1] <= FEW:
        tail = (1,) * (rank - axis - 1)
        total: Ref | None = None
        for k in range(near.shape[1]):
            if not factors[:, k].any():
                continue
            part = _gather(g, data, near[:, k], axis, size)
            weight = g.constant(factors[:, k].reshape(-1, *tail).astype(np.float32))
            total = part * weight if total is None else total + part * weight
        return data if total is None else total
    matrix = sampling.matrix_of(near, factors, size).T
    perm = [k for k in range(rank) if k != axis] + [axis]
    moved = g.transpose(data, *perm)
    weights = g.constant(np.ascontiguousarray(matrix, np.float32))
    product = g.node("MatMul", moved, weights, transpose_a=False, transpose_b=False)
    return g.transpose(product, *np.argsort(perm).tolist())


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
    plan, named = how.plan(input, roi, scales, sizes), how.axes_of(input.rank)
    if plan is not None:
        return _static(g, input, how, plan)
    rule, policy = how.coordinate_transformation_mode, how.keep_aspect_ratio_policy
    plain = not how.antialias and not how.exclude_outside and policy == "stretch"
    image = input.rank == 4 and set(named) <= {2, 3}
    if plain and image and rule in FOLLOWED and not how.is_nearest and sizes is not None:
        mode = "cubic" if how.mode == "cubic" else "linear_onnx"
        kind = {"mode": mode, "cube_coeff": how.cubic_coeff_a}
        x, wanted = g.cast(input, FLOAT32), g.int64(sizes)
        return _fit(g, _interpolate(g, x, wanted, named, rule, **kind), input.precision)
    if how.is_nearest and sizes is None and scales is not None and scales.constant is not None:
        return _repeat(g, input, how.filter, named, scales)
    exact = g.take(input) if how.is_nearest else g.cast(input, FLOAT32)
    result = resample(g, exact, how.filter, named, scales, sizes, policy)
    return result if how.is_nearest else _fit(g, result, input.precision)


FOLLOWED = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
"""Coordinate rules of OpenVINO's own operator."""


def _repeat(
    g: Emitter, input: Value, how: sampling.Filter, axes: Sequence[int], scales: Value | None
) -> Ref:
    """Every element of an axis repeated a whole number of times."""
    known = None if scales is None else scales.constant
    factors = [] if known is None else known.reshape(-1).tolist()
    known_modes = ("asymmetric", "floor"), ("half_pixel", "round_prefer_floor")
    whole = factors and all(f == int(f) and f > 0 for f in factors)
    result = g.take(input)
    if not whole or (how.coordinates, how.nearest) not in known_modes:
        raise NoLowering(f"openvino: resize of {input.type}, whose sizes are not known, {how}")
    for axis, factor in zip(axes, factors, strict=True):
        if factor == 1:
            continue
        by = g.scalar(int(factor))
        line = g.line(g.size(input, axis) * by)
        result = g.gather(result, line / by, axis)
    return result


def _static(g: Emitter, input: Value, how: Resizing, plan: Sequence[Axis]) -> Ref:
    exact, rule = how.is_nearest, how.coordinate_transformation_mode
    result = g.take(input) if exact else g.cast(input, FLOAT32)
    moving = [
        row
        for row in plan
        if not (row[1] == row[2] and row[3] == 1 and row[4] in (None, (0.0, 1.0)))
    ]
    pairs = [(size, out) for _, size, out, _, _ in moving]
    plain = how.mode == "linear" and not how.antialias and not how.exclude_outside
    image = input.rank == 4 and [row[0] for row in moving] == [2, 3]
    same = all(abs(scale * size - out) < 1e-6 for _, size, out, scale, _ in moving)
    if (
        plain
        and image
        and same
        and rule in ("half_pixel", "asymmetric", "pytorch_half_pixel")
        and _is_native(pairs, rule)
        and all(o > 1 for _, o in pairs)
    ):
        target = g.ints(*(o for _, o in pairs))
        return _fit(g, _interpolate(g, result, target, (2, 3), rule), input.precision)
    lost: np.ndarray | None = None
    for axis, size, out, scale, region in moving:
        require_size(size * out)
        near, factors, outside = sampling.weights(how.filter, size, out, scale, region)
        if exact:
            result = _gather(g, result, near[:, 0], axis, size)
        else:
            result = _along(g, result, axis, input.rank, size, near, factors)
        if outside.any():
            mask = outside.reshape(-1, *(1,) * (input.rank - axis - 1))
            lost = mask if lost is None else lost | mask
    if lost is not None:
        result = g.where(g.constant(lost), how.extrapolation_value, result)
    return result if exact else _fit(g, result, input.precision)
