"""Resizing and sampling.

Where all sizes are known, RESIZE becomes gathers and weighted sums of what the reference computes;
else ONNX Runtime's own kernel serves as far as it follows ONNX, and `resampling` the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import axes_of, ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize, sampling
from nnir.types import InterpolateMode, PadMode, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from .emitter import Emitter, Ref, require_size
from .resampling import resampled

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
    return g.cast(result, precision)


def _target(g: Emitter, input: Value, shape: Value | None, scales: Value | None) -> Ref:
    """The new H and W. The ratio of the sizes counts, never the scales, as Resize would have it."""
    if shape is not None:
        return g.cast(shape, Precision.INT64)
    if scales is None:
        raise NoLowering("a resize without shape and scales")
    own = g.node("Shape", input, start=2)
    factors = (g.cast(v, Precision.FLOAT64) for v in (Ref(own, Precision.INT64), scales))
    return g.cast(g.node("Floor", g.node("Mul", *factors)), Precision.INT64)


def _nearest(g: Emitter, input: Value, target: Ref, *, align_corners: bool) -> Ref:
    """Gathers at places in exact integers, for sizes that are only known while running."""
    one, two = g.constant(1, np.int64), g.constant(2, np.int64)
    result = g.take(input)
    for axis in (2, 3):
        size = g.node("Gather", g.node("Shape", input), g.constant(axis, np.int64))
        out = g.node("Gather", target, g.constant(axis - 2, np.int64))
        at = g.node("Range", g.constant(0, np.int64), out, one)
        if align_corners:
            steps = g.node("Max", g.node("Sub", out, one), one)
            ends = g.node("Mul", g.node("Mul", at, two), g.node("Sub", size, one))
            near = g.node("Div", g.node("Add", ends, steps), g.node("Mul", steps, two))
        else:
            near = g.node("Div", g.node("Mul", at, size), g.node("Max", out, one))
        result = g.node("Gather", result, near, axis=axis)
    return result


@table.lower(resize.resize_nearest)
def resize_nearest(
    g: Emitter,
    input: Value,
    shape: Value | None = None,
    scales: Value | None = None,
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
        result = g.node("Gather", result, g.constant(near.astype(np.int64)), axis=axis)
    return result


@table.lower(resize.resize_linear)
def resize_linear(
    g: Emitter,
    input: Value,
    shape: Value | None = None,
    scales: Value | None = None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Ref:
    coordinates = "align_corners" if align_corners else "asymmetric"
    if align_mode == 0 and not align_corners:
        coordinates = "half_pixel"
    sizes = resize.static_sizes(input, shape, scales)
    how = sampling.Filter("linear", coordinates, "", False, False, 0.0)
    if sizes is None or _is_empty(sizes) or _is_native(input, sizes, coordinates):
        target = _target(g, input, shape, scales)
        if sizes is not None and _is_empty(sizes):
            return _nearest(g, input, target, align_corners=False)
        lead = g.node("Shape", input, start=0, end=2)
        some = g.node("Max", target, g.constant(1, np.int64))  # Resize refuses to make nothing
        given = [None, g.node("Concat", lead, some, axis=0)]
        kind: dict[str, Any] = {"mode": "linear", "coordinate_transformation_mode": coordinates}
        result = g.node("Resize", _float32(g, input), None, *given, **kind)
        if sizes is None:
            ends = g.ints(0, 0), target, g.ints(2, 3)
            result = g.node("Slice", result, *ends)
        return _fit(g, result, input.precision)
    result = _wide(g, input)
    for axis, (size, out) in enumerate(sizes, start=2):
        require_size(size * out)
        near, factors, _ = sampling.weights(how, size, out, out / size)
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
        tail = (1,) * (rank - axis - 1)
        total: Ref | None = None
        for k in range(near.shape[1]):
            part = g.node("Gather", data, g.constant(near[:, k].astype(np.int64)), axis=axis)
            weight = g.constant(factors[:, k].reshape(-1, *tail).astype(kind))
            term = g.node("Mul", part, weight)
            total = term if total is None else g.node("Add", total, term)
        return data if total is None else total
    matrix = np.zeros((int(near.max(initial=0)) + 1, len(near)))
    np.add.at(matrix, (near, np.arange(len(near))[:, None]), factors)
    perm = [k for k in range(rank) if k != axis] + [axis]
    cut = [g.ints(v) for v in (0, len(matrix), axis)]
    moved = g.node("Transpose", g.node("Slice", data, *cut), perm=perm)
    product = g.node("MatMul", moved, g.constant(matrix.astype(kind)))
    return g.node("Transpose", product, perm=np.argsort(perm).tolist())


@table.lower(resize.resize)
def resize_(
    g: Emitter,
    input: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    antialias: bool,
    axes: Ints | None,
    cubic_coeff_a: float,
    exclude_outside: bool,
    extrapolation_value: float,
    keep_aspect_ratio_policy: str,
) -> Ref:
    named = axes_of(axes if axes is not None else range(input.rank), input.rank)
    plan = _plan(input, named, roi, scales, sizes, keep_aspect_ratio_policy)
    how = sampling.Filter(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        antialias,
        exclude_outside,
        cubic_coeff_a,
    )
    if plan is not None:
        return _static(g, input, how, plan, extrapolation_value)
    wide = g.cast(input, input.precision) if mode == "nearest" else _wide(g, input)
    if _follows_onnx(input, how, named, sizes, keep_aspect_ratio_policy):
        flat = g.cast(sizes, Precision.INT64)
        kind: dict[str, Any] = {
            "mode": mode,
            "coordinate_transformation_mode": coordinate_transformation_mode,
        }
        result = g.node(
            "Resize", wide, None, None, flat, axes=[2, 3], cubic_coeff_a=cubic_coeff_a, **kind
        )
    else:
        given = roi, scales, sizes, keep_aspect_ratio_policy, extrapolation_value
        result = resampled(g, input, wide, how, named, *given)
    return result if mode == "nearest" else _fit(g, result, input.precision)


def _follows_onnx(
    input: Value, how: sampling.Filter, axes: Sequence[int], sizes: Value | None, policy: str
) -> bool:
    """Whether ONNX Runtime's kernel does what ONNX says, for sizes at run time."""
    plain = not how.antialias and not how.exclude_outside and policy == "stretch"
    coordinates = how.coordinates in ("half_pixel", "asymmetric", "align_corners")
    image = input.rank == 4 and tuple(axes) == (2, 3) and input.precision != Precision.FLOAT64
    return plain and coordinates and image and how.mode != "nearest" and sizes is not None


Axis = tuple[int, int, int, float, tuple[float, float] | None]


def _plan(
    input: Value,
    axes: Sequence[int],
    roi: Value | None,
    scales: Value | None,
    sizes: Value | None,
    policy: str,
) -> list[Axis] | None:
    """(axis, size, result's size, scale, region) of each axis, where everything is known."""
    own = [input.shape[a] for a in axes]
    factors = None if scales is None or scales.constant is None else scales.constant.tolist()
    wanted = ints(sizes)
    unknown = roi is not None and roi.constant is None
    if unknown or (factors is None and wanted is None) or any(isinstance(d, Expr) for d in own):
        return None
    shape = [1 if isinstance(d, Expr) else d for d in input.shape]
    out, steps = resize.resolve_sizes(shape, axes, wanted, factors, policy)
    if 0 in out or 0 in own:
        return None
    flat = None if roi is None or roi.constant is None else roi.constant.reshape(-1).tolist()
    count = len(axes)
    regions = [None if not flat else (flat[k], flat[k + count]) for k in range(count)]
    return list(zip(axes, (shape[a] for a in axes), out, steps, regions, strict=True))


def _static(
    g: Emitter, input: Value, how: sampling.Filter, plan: Sequence[Axis], beyond: float
) -> Ref:
    exact = how.mode == "nearest"
    result = g.cast(input, input.precision) if exact else _wide(g, input)
    lost: np.ndarray | None = None
    for axis, size, out, scale, region in plan:
        if size == out and scale == 1 and region in (None, (0.0, 1.0)):
            continue
        require_size(size * out)
        near, factors, outside = sampling.weights(how, size, out, scale, region)
        if exact:
            result = g.node("Gather", result, g.constant(near[:, 0].astype(np.int64)), axis=axis)
        else:
            result = _along(g, result, axis, input.rank, near, factors)
        if outside.any():
            mask = outside.reshape(-1, *(1,) * (input.rank - axis - 1))
            lost = mask if lost is None else lost | mask
    if lost is not None:
        value = g.number(beyond, result)
        result = g.node("Where", g.constant(lost), value, result, precision=result.precision)
    return result if exact else _fit(g, result, input.precision)


PADDINGS = {
    PadMode.CONSTANT: "zeros",
    PadMode.EDGE: "border",
    PadMode.REPLICATE: "border",
    PadMode.REFLECT: "reflection",
}
MODES = {
    InterpolateMode.BILINEAR: "linear",
    InterpolateMode.NEAREST: "nearest",
    InterpolateMode.BICUBIC: "cubic",
}


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
    if Precision.FLOAT64 in (input.precision, grid.precision) or not input.is_float:
        raise NoLowering(f"onnxruntime has no GridSample of {input.type} with {grid.type}")
    x, where = (g.cast(v, Precision.FLOAT32) for v in (input, grid))
    how: dict[str, Any] = {"mode": MODES[mode], "padding_mode": PADDINGS[pad_mode]}
    return g.cast(
        g.node("GridSample", x, where, align_corners=align_corners, **how), input.precision
    )


@table.lower(resize.affine_grid)
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Ref:
    flat = g.cast(size, Precision.INT64)
    kept = theta.precision == Precision.FLOAT64
    wide = g.cast(theta, Precision.FLOAT64 if kept else Precision.FLOAT32)
    return g.cast(g.node("AffineGrid", wide, flat, align_corners=align_corners), theta.precision)
