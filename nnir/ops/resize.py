"""Resizing and sampling. The arithmetic is in `sampling`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..broadcast import axes_of, contents, ints, length_of, shapes_differ
from ..dim import Dim, Expr
from ..model import Index, Value
from ..numeric import fraction_of, wide
from ..operator import Pattern, operator, require
from ..types import InterpolateMode, PadMode, TensorType
from . import sampling
from .rules import common_dim, require_integers

MODES = ("nearest", "linear", "cubic")
COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
)
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
POLICIES = ("stretch", "not_larger", "not_smaller")


def _fit(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Integers are rounded and clamped to what the type holds."""
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        values = np.clip(np.rint(values), float(bounds.min), float(bounds.max))
    return values.astype(dtype)


def _target(input: np.ndarray, shape: np.ndarray | None, scales: np.ndarray | None) -> list[int]:
    if shape is not None:
        return [int(n) for n in shape.reshape(-1)]
    factors = np.asarray(scales, np.float64).reshape(-1)
    return [math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]


def nearest_positions(size: int, out: int, *, align_corners: bool) -> np.ndarray:
    """Which of `size` elements each of `out` takes, in whole numbers."""
    at = np.arange(out)
    if align_corners:
        steps = max(out - 1, 1)
        return (2 * at * (size - 1) + steps) // (2 * steps)
    return at * size // max(out, 1)


def static_sizes(
    input: Value, shape: Value | None, scales: Value | None
) -> list[tuple[int, int]] | None:
    """(in, out) of H and W, where both are known while converting."""
    own = [d for d in input.shape[2:] if not isinstance(d, Expr)]
    out: Sequence[int] | None = None
    if shape is not None:
        out = ints(shape)
    elif scales is not None and scales.constant is not None and len(own) == 2:
        flat = np.asarray(scales.constant, np.float64).reshape(-1)
        out = [int(np.floor(n * f)) for n, f in zip(own, flat, strict=True)]
    return None if out is None or len(own) < 2 else list(zip(own, out, strict=True))


def _resize_nearest(
    input: np.ndarray,
    shape: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    *,
    align_corners: bool,
) -> np.ndarray:
    result = input
    for axis, out in enumerate(_target(input, shape, scales), start=2):
        near = nearest_positions(input.shape[axis], out, align_corners=align_corners)
        result = result.take(near, axis)
    return result


def _resized_type(name: str, input: Value, shape: Value | None, scales: Value | None) -> TensorType:
    require(input.rank == 4, f"{name} needs rank 4, not {input.type}")
    require(shape is not None or scales is not None, f"{name} needs a shape or scales")
    if shape is not None:
        require(shape.is_integer and length_of(shape) == 2, f"{name} with shape {shape.type}")
        target = contents(shape) or (input.model.fresh(), input.model.fresh())
        return input.type.with_shape((*input.shape[:2], *target))
    if scales is not None:
        fits = scales.is_float and not shapes_differ(scales.shape, (2,))
        require(fits, f"{name} with scales of {scales.type}")
    known = None if scales is None else scales.constant
    sizes = [scale_size(input, d, known, k) for k, d in enumerate(input.shape[2:])]
    return input.type.with_shape((*input.shape[:2], *sizes))


def scale_size(input: Value, size: Dim, scales: np.ndarray | None, position: int) -> Dim:
    """floor(size * scale), symbolic where the scale is a fraction of small numbers."""
    if scales is None:
        return input.model.fresh()
    scale = float(scales.reshape(-1)[position])
    if not isinstance(size, Expr):
        return math.floor(size * scale)
    ratio = fraction_of(scale)
    if ratio is None or ratio[0] < 0:
        return input.model.fresh()
    return size * ratio[0] // ratio[1]


@operator(pattern=Pattern.MOVEMENT, code=68, reference=_resize_nearest)
def resize_nearest(
    input: Value,
    shape: Index | None = None,
    scales: Value | None = None,
    *,
    align_corners: bool = False,
) -> TensorType:
    """Resize H and W by taking the nearest element.

    Types: any.
    Shapes: [N, C, H, W] to [N, C, *shape], or to floor(H * scale); `shape` goes first.
    Edges: the source of i is floor(i * in / out), with `align_corners` the nearest of
        i * (in - 1) / (out - 1), a half rounding up.
    """
    return _resized_type("resize_nearest", input, shape, scales)


def linear_weights(
    size: int, out: int, *, align_corners: bool, align_mode: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Which two of `size` elements each of `out` is between, and the part of each: [out, 2]."""
    at = np.arange(out, dtype=np.float64)
    if align_corners:
        at = at * ((size - 1) / (out - 1) if out > 1 else 0.0)
    elif align_mode == 0:
        at = np.maximum((at + 0.5) * size / out - 0.5, 0) if out else at
    else:
        at = at * size / max(out, 1)
    low = np.minimum(np.floor(at).astype(np.int64), max(size - 1, 0))
    part = at - low
    near = np.stack([low, np.minimum(low + 1, max(size - 1, 0))], axis=1)
    return near, np.stack([1 - part, part], axis=1)


@wide
def _resize_linear(
    input: np.ndarray,
    shape: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> np.ndarray:
    result = input if input.dtype == np.float64 else input.astype(np.float64)
    for axis, out in enumerate(_target(input, shape, scales), start=2):
        size = input.shape[axis]
        near = linear_weights(size, out, align_corners=align_corners, align_mode=align_mode)
        result = sampling.along(result, axis, *near)
    return _fit(result, input.dtype)


@operator(code=69, reference=_resize_linear)
def resize_linear(
    input: Value,
    shape: Index | None = None,
    scales: Value | None = None,
    *,
    align_corners: bool = False,
    align_mode: int | None = 1,
) -> TensorType:
    """Resize H and W by linear interpolation.

    Types: any float or integer; integers are rounded.
    Shapes: [N, C, H, W] to [N, C, *shape], or to floor(H * scale); `shape` goes first.
    Edges: the source of i is i * in / out (align_mode 1), (i + 0.5) * in / out - 0.5 (align_mode
        0), with `align_corners` i * (in - 1) / (out - 1); the border continues outside.
    """
    require(input.is_float or input.is_integer, f"resize_linear needs numbers, not {input.type}")
    require(align_mode in (None, 0, 1), f"resize_linear with {align_mode=}")
    return _resized_type("resize_linear", input, shape, scales)


def resolve_sizes(
    shape: Sequence[int],
    axes: Sequence[int],
    sizes: Sequence[int] | None,
    scales: Sequence[float] | None,
    policy: str,
) -> tuple[list[int], list[float]]:
    """The size and the scale of each of `axes`."""
    own = [shape[a] for a in axes]
    if sizes is None:
        factors = [float(s) for s in scales or ()]
        return [int(f * n) for f, n in zip(factors, own, strict=True)], factors
    factors = [s / n if n else 1.0 for s, n in zip(sizes, own, strict=True)]
    if policy == "stretch":
        return list(sizes), factors
    scale = min(factors) if policy == "not_larger" else max(factors)
    return [math.floor(scale * n + 0.5) for n in own], [scale] * len(own)


def _resize(
    input: np.ndarray,
    roi: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    sizes: np.ndarray | None = None,
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
) -> np.ndarray:
    named = axes_of(axes if axes is not None else range(input.ndim), input.ndim)
    given = None if sizes is None else sizes.reshape(-1).tolist()
    factors = None if scales is None else scales.reshape(-1).tolist()
    out, steps = resolve_sizes(input.shape, named, given, factors, keep_aspect_ratio_policy)
    how = sampling.Filter(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        antialias,
        exclude_outside,
        cubic_coeff_a,
    )
    exact = mode == "nearest"
    result = input if exact else input.astype(np.promote_types(_plain(input.dtype), np.float64))
    outside = []
    for k, axis in enumerate(named):
        part = _roi(roi, k, len(named), coordinate_transformation_mode)
        size = input.shape[axis]
        if size == out[k] and steps[k] == 1 and part in (None, (0.0, 1.0)):
            continue
        near, weight, lost = sampling.weights(how, size, out[k], steps[k], part)
        result = (
            result.take(near[:, 0], axis) if exact else sampling.along(result, axis, near, weight)
        )
        outside.append(lost.reshape(-1, *(1,) * (input.ndim - axis - 1)))
    for lost in outside:
        if lost.any():
            result = np.where(lost, result.dtype.type(extrapolation_value), result)
    return result if exact else _fit(result, input.dtype)


def _plain(dtype: np.dtype) -> np.dtype:
    return dtype if dtype.kind in "biufc" else np.dtype(np.float32)


def _roi(
    roi: np.ndarray | None, position: int, count: int, coordinates: str
) -> tuple[float, float] | None:
    if roi is None or roi.size == 0 or coordinates != "tf_crop_and_resize":
        return None
    flat = roi.reshape(-1)
    return float(flat[position]), float(flat[position + count])


@operator(code=1550, reference=_resize)
def resize(
    input: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Index | None = None,
    *,
    mode: str = "nearest",
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    antialias: bool = False,
    axes: tuple[int, ...] | None = None,
    cubic_coeff_a: float = -0.75,
    exclude_outside: bool = False,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
) -> TensorType:
    """Resize any axes, with every coordinate rule and filter of ONNX Resize.

    Types: any for nearest, else any number; integers are rounded and clamped.
    Shapes: `scales` or `sizes` have one element for each of `axes` (all axes without); the result
        has floor(size * scale) or `sizes`, which keep_aspect_ratio_policy may change.
    Edges: the border continues outside; with tf_crop_and_resize positions outside of the input
        give `extrapolation_value` and `roi` holds the starts, then the ends, of `axes`.
    """
    require(mode in MODES, f"resize with {mode=}: {', '.join(MODES)}")
    known = coordinate_transformation_mode in COORDINATES
    require(known, f"resize with {coordinate_transformation_mode=}")
    require(nearest_mode in ROUNDINGS, f"resize with {nearest_mode=}")
    require(keep_aspect_ratio_policy in POLICIES, f"resize with {keep_aspect_ratio_policy=}")
    require(not (antialias and mode == "nearest"), "resize with antialias and mode='nearest'")
    require((scales is None) != (sizes is None), "resize needs either scales or sizes")
    require(scales is None or scales.is_float, "resize needs scales of floats")
    given = None if scales is None else scales.constant
    require(given is None or bool((given > 0).all()), "resize needs scales above 0")
    require_integers(sizes, "the sizes of resize")
    named = axes_of(axes if axes is not None else range(input.rank), input.rank)
    count = length_of(sizes if sizes is not None else scales)  # type: ignore[arg-type]
    require(count == len(named), f"resize of {len(named)} axes with {count} sizes or scales")
    shape = list(input.shape)
    found = _known_sizes(input, named, scales, sizes, keep_aspect_ratio_policy)
    for axis, size in zip(named, found, strict=True):
        shape[axis] = size
    return input.type.with_shape(tuple(shape))


def _known_sizes(
    input: Value, axes: Sequence[int], scales: Value | None, sizes: Value | None, policy: str
) -> Sequence[Dim]:
    own = [input.shape[a] for a in axes]
    if sizes is None:
        known = None if scales is None else scales.constant
        return [scale_size(input, d, known, k) for k, d in enumerate(own)]
    if policy == "stretch":
        return contents(sizes) or [input.model.fresh() for _ in axes]
    wanted = ints(sizes)
    if wanted is None or any(isinstance(d, Expr) for d in own):
        return [input.model.fresh() for _ in axes]
    plain = [d for d in input.shape if not isinstance(d, Expr)]
    shape = [d if isinstance(d, int) else 1 for d in input.shape]
    return resolve_sizes(shape, axes, wanted, None, policy)[0] if plain else own


BORDERS = {
    PadMode.CONSTANT: "zeros",
    PadMode.EDGE: "border",
    PadMode.REPLICATE: "border",
    PadMode.REFLECT: "reflection",
}
KINDS = {
    InterpolateMode.BILINEAR: "linear",
    InterpolateMode.NEAREST: "nearest",
    InterpolateMode.BICUBIC: "cubic",
}


def _grid_sample(
    input: np.ndarray,
    grid: np.ndarray,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> np.ndarray:
    if not input.shape[1]:
        return np.zeros((len(input), 0, *grid.shape[1:-1]), input.dtype)
    wide_grid = grid if grid.dtype in (np.float32, np.float64) else grid.astype(np.float32)
    kind = KINDS[mode]
    narrow = input.dtype.kind in "biu" or input.dtype.kind == "V" or input.dtype == np.float16
    data = input.astype(np.float32) if narrow and kind != "nearest" else input
    given = {"mode": kind, "border": BORDERS[pad_mode], "align_corners": align_corners}
    if kind == "nearest":
        return _nearest_sample(input, wide_grid, BORDERS[pad_mode], align_corners)
    found = sampling.sample(data, wide_grid, **given)  # type: ignore[arg-type]
    if np.issubdtype(found.dtype, np.floating) and input.dtype.kind not in "biu":
        nowhere = sampling.is_nowhere(wide_grid, mode=kind, border=BORDERS[pad_mode])
        found = np.where(nowhere[:, None], np.asarray(np.nan, found.dtype), found)
    return found.astype(input.dtype)


def _nearest_sample(
    input: np.ndarray, grid: np.ndarray, border: str, align_corners: bool
) -> np.ndarray:
    """Nearest elements are moved, never multiplied."""
    where = np.arange(input[0, 0].size, dtype=np.float64) + 1
    plane = np.broadcast_to(
        where.reshape(1, 1, *input.shape[2:]), (len(input), 1, *input.shape[2:])
    )
    found = sampling.sample(
        plane, grid, mode="nearest", border=border, align_corners=align_corners
    ).astype(np.int64)
    flat = input.reshape(*input.shape[:2], -1)
    index = found.reshape(len(input), 1, -1)
    values = np.take_along_axis(flat, np.maximum(index - 1, 0), axis=2)
    values = np.where(index > 0, values, np.zeros((), input.dtype))
    return values.reshape(*input.shape[:2], *grid.shape[1:-1])


def _sample_type(
    name: str, input: Value, grid: Value, mode: int, pad_mode: int, rank: int
) -> TensorType:
    require(input.rank == rank + 2, f"{name} needs rank {rank + 2}, not {input.type}")
    require(grid.rank == rank + 2 and grid.is_float, f"{name} with a grid {grid.type}")
    require(0 not in input.shape[2:], f"{name} of {input.type}, an image without elements")
    last = grid.shape[-1]
    require(isinstance(last, Expr) or last == rank, f"{name} with a grid {grid.type}")
    require(mode in KINDS, f"{name} with mode={mode!r}")
    require(pad_mode in BORDERS, f"{name} with pad_mode={pad_mode!r}")
    common_dim((input.shape[0], grid.shape[0]), f"{name} of batches")
    return input.type.with_shape((*input.shape[:2], *grid.shape[1:-1]))


@operator(code=34, reference=_grid_sample)
def grid_sample(
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> TensorType:
    """Values of an image at positions (x, y) between -1 and 1.

    Types: any number for `input`, any float for `grid`.
    Shapes: [N, C, H, W] and [N, H', W', 2] to [N, C, H', W'].
    Edges: -1 and 1 are the centres of the corner pixels with `align_corners`, else their outer
        edges; CONSTANT is 0 outside, EDGE and REPLICATE clamp, REFLECT mirrors. A half rounds to
        even. NaN in a position makes the value NaN, and so does infinity where the border does not
        clamp it; the nearest element of such a position is 0.
    """
    return _sample_type("grid_sample", input, grid, mode, pad_mode, 2)


@operator(code=1551, reference=_grid_sample)
def grid_sample_3d(
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> TensorType:
    """Values of a volume at positions (x, y, z) between -1 and 1, as GRID_SAMPLE.

    Types: any number for `input`, any float for `grid`.
    Shapes: [N, C, D, H, W] and [N, D', H', W', 3] to [N, C, D', H', W'].
    Edges: as GRID_SAMPLE.
    """
    return _sample_type("grid_sample_3d", input, grid, mode, pad_mode, 3)


@wide
def _affine_grid(theta: np.ndarray, size: np.ndarray, *, align_corners: bool) -> np.ndarray:
    spatial = [int(n) for n in size[2:]]
    axes = []
    for n in spatial:
        if align_corners:
            axes.append(np.linspace(-1, 1, n) if n != 1 else np.zeros(1))
        else:
            axes.append((2 * np.arange(n) + 1) / max(n, 1) - 1)
    points = [*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(spatial)]
    base = np.stack(points, axis=-1).reshape(-1, len(spatial) + 1).astype(theta.dtype)
    return np.matmul(base, theta.swapaxes(1, 2)).reshape(len(theta), *spatial, len(spatial))


@operator(code=1552, reference=_affine_grid)
def affine_grid(theta: Value, size: Index, *, align_corners: bool = False) -> TensorType:
    """The grid for GRID_SAMPLE that maps an image of `size` by the matrices `theta`.

    Types: any float.
    Shapes: `theta` [N, 2, 3] with `size` (N, C, H, W) to [N, H, W, 2], or [N, 3, 4] with
        (N, C, D, H, W) to [N, D, H, W, 3].
    Edges: with `align_corners` -1 and 1 are the centres of the corner pixels, else outer edges;
        a single pixel is at 0.
    """
    require(theta.is_float and theta.rank == 3, f"affine_grid needs matrices, not {theta.type}")
    count = length_of(size)
    require(count in (4, 5), f"affine_grid with a size of {count} axes: 4 or 5 are needed")
    form = (count - 2, count - 1)
    fits = not shapes_differ(theta.shape[1:], form)
    require(fits, f"affine_grid of {theta.type} with a size of {count} axes: {form} is needed")
    found = contents(size)
    require(
        found is None or not shapes_differ(theta.shape[:1], found[:1]),
        f"affine_grid of {theta.type} for a batch of size {found}",
    )
    spatial = found[2:] if found else tuple(theta.model.fresh() for _ in range(count - 2))
    return theta.type.with_shape((theta.shape[0], *spatial, count - 2))
