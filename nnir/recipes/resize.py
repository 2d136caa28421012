"""Resizing by the coordinate rules of PyTorch and Paddle, and of TensorFlow and TFLite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import build
from ..broadcast import ints
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Index, Value
from ..numeric import fraction_of
from ..ops import binary, index, resize, unary
from ..ops import index as ops
from ..types import InterpolateMode, PadMode, Precision
from .layout import to_channels_first, to_channels_last

Scales = tuple[float | None, ...]
SMALL = 1 << 10
"""Numbers below that have products with sizes that 32 bits hold."""


def sizes_after(x: Value, scales: Sequence[float]) -> Value:
    """floor(size * scale) of each spatial axis, all of which are known."""
    own = [int(d) for d in x.shape[-len(scales) :]]  # type: ignore[arg-type]
    return build.vector(x.model, [int(n * s) for n, s in zip(own, scales, strict=True)])


def unknown_sizes_after(x: Value, scales: Sequence[float]) -> Value:
    """floor(size * scale) of each spatial axis, computed while running: by integers where the
    scales are fractions of small ones, so that what is known of the sizes stays known."""
    own = build.vector(x.model, [x.size(axis) for axis in range(-len(scales), 0)])
    ratios = [r for s in scales if (r := fraction_of(s)) is not None and max(r) < SMALL]
    if len(ratios) == len(scales):
        grown, by = (x.model.constant(np.array(r, np.int64)) for r in zip(*ratios, strict=True))
        whole = all(divisor == 1 for _, divisor in ratios)
        return own * grown if whole else binary.div(own * grown, by)
    factors = x.model.constant(np.array(scales, np.float64))
    grown = unary.cast(own, dtype=Precision.FLOAT64) * factors
    return unary.cast(unary.floor(grown), dtype=Precision.INT64)


def known_scales(x: Value, output: Value, rank: int) -> list[tuple[int, int]] | None:
    """(in, out) of each spatial axis where both are known."""
    own, target = x.shape[-rank:], ints(output)
    if target is None or any(isinstance(d, Expr) for d in own):
        return None
    return [(int(n), m) for n, m in zip(own, target, strict=True)]  # type: ignore[arg-type]


def require_sizes(x: Value, rank: int) -> list[int]:
    """The spatial axes; BadType unless there are two in front of them."""
    if x.rank != rank + 2:
        raise BadType(f"a resize over {rank} axes of {x.type}")
    return list(range(2, rank + 2))


def resize_nearest(x: Value, output: Value | None, scales: Scales, exact: bool) -> Value:
    """RESIZE_NEAREST where its rule gives the same elements, else one gather for each axis."""
    rank = len(scales)
    axes = require_sizes(x, rank)
    pairs = None if output is None else known_scales(x, output, rank)
    if pairs is None or output is None:
        return _nearest_unknown(x, output, scales, exact)
    places = [_source(n, m, s, exact) for (n, m), s in zip(pairs, scales, strict=True)]
    plain = [np.arange(m) * n // max(m, 1) for n, m in pairs]
    if all(n == m for n, m in pairs) and _same(places, [np.arange(n) for n, _ in pairs]):
        return x
    if rank == 2 and _same(places, plain):
        return resize.resize_nearest(x, output)
    for axis, at, (size, _) in zip(axes, places, pairs, strict=True):
        if not np.array_equal(at, np.arange(size)):
            x = ops.gather(x, x.model.constant(at), axis=axis)
    return x


def _same(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(left, right) for left, right in zip(a, b, strict=True))


def _source(size: int, out: int, scale: float | None, exact: bool) -> np.ndarray:
    """Where PyTorch's float32 arithmetic takes each element from."""
    step = np.float32(1 / scale if scale else size / max(out, 1))
    at = np.arange(out, dtype=np.float32)
    places = np.floor((at + np.float32(0.5 if exact else 0)) * step).astype(np.int64)
    return np.minimum(places, size - 1)


def _nearest_unknown(x: Value, output: Value | None, scales: Scales, exact: bool) -> Value:
    """Sizes that are only known while running."""
    rank = len(scales)
    axes = tuple(range(2, rank + 2))
    whole = [s for s in scales if s is not None and s >= 1 and s == int(s)]
    factors = x.model.constant(np.array(whole, np.float32)) if len(whole) == rank else None
    if rank == 2 and (factors is not None or (not exact and None in scales and output is not None)):
        return resize.resize_nearest(x, None if factors is not None else output, factors)
    rule = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if exact:
        rule = {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    return _by_rule(x, output, scales, mode="nearest", axes=axes, **rule)


def _by_rule(
    x: Value, output: Value | None, scales: Scales, *, axes: tuple[int, ...], **rule: object
) -> Value:
    """RESIZE by scales where any are given, else to sizes."""
    scales = _complete_scales(x, output, scales)
    if all(s for s in scales) and (output is None or not fits_sizes(x, output, scales)):
        _require_sizes(x, output, scales)
        factors = x.model.constant(np.array(scales, np.float64))  # 1.8 as float32 is below 1.8
        return resize.resize(x, None, factors, None, axes=axes, **rule)
    if output is None:
        raise Unsupported(f"a resize of {x.type} without a size")
    return resize.resize(x, None, None, output, axes=axes, **rule)


def _complete_scales(x: Value, output: Value | None, scales: Scales) -> Scales:
    """Scales with the ratio of the sizes in place of those that are missing among others.

    Unsupported where the sizes are not known.
    """
    if output is None or fits_sizes(x, output, scales) or all(scales):
        return scales
    pairs = known_scales(x, output, len(scales))
    if pairs is None:
        raise Unsupported(f"resizing {x.type} by {scales}: sizes and scales of some axes")
    return tuple(s or _ratio(n, m) for (n, m), s in zip(pairs, scales, strict=True))


def _ratio(size: int, out: int) -> float:
    """A scale that gives the size."""
    found = out / max(size, 1)
    return found if int(size * found) == out else float(np.nextafter(found, np.inf))


def _require_sizes(x: Value, output: Value | None, scales: Scales) -> None:
    """Unsupported where scales do not give the sizes that are asked for, or nobody knows."""
    pairs = None if output is None else known_scales(x, output, len(scales))
    if output is not None and pairs is None and ints(output) is not None:
        raise Unsupported(f"resizing {x.type} to {ints(output)} by {scales}")
    for (n, m), scale in zip(pairs or (), scales, strict=False):
        if scale and int(n * scale) != m:
            raise Unsupported(f"resizing {n} to {m} by {scale}")


def fits_sizes(x: Value, output: Value, scales: Scales) -> bool:
    """Whether the ratio of the sizes is the scale already, or counts because none is given."""
    pairs = known_scales(x, output, len(scales))
    if pairs is None:
        return all(s is None for s in scales)
    return all(not s or n * s == m for (n, m), s in zip(pairs, scales, strict=True))


def resize_by_corners(x: Value, output: Value | None, scales: Scales) -> tuple[Value, Scales]:
    """Sizes alone: with align_corners the scales say no more than they do."""
    if output is None:
        output = unknown_sizes_after(x, [s or 1.0 for s in scales])
    return output, (None,) * len(scales)


def resize_linear(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
    """RESIZE_LINEAR over two axes by the ratio of their sizes, else RESIZE."""
    rank = len(scales)
    axes = tuple(require_sizes(x, rank))
    if align_corners:
        output, scales = resize_by_corners(x, output, scales)
    if output is not None and is_same(x, output, scales):
        return x
    if rank == 2 and x.is_float and output is not None and fits_sizes(x, output, scales):
        mode = None if align_corners else 0
        return resize.resize_linear(x, output, align_corners=align_corners, align_mode=mode)
    how = "align_corners" if align_corners else "half_pixel"
    return _by_rule(x, output, scales, axes=axes, mode="linear", coordinate_transformation_mode=how)


def is_same(x: Value, output: Value, scales: Scales) -> bool:
    """Whether nothing changes."""
    pairs = known_scales(x, output, len(scales))
    return pairs is not None and all(n == m for n, m in pairs) and fits_sizes(x, output, scales)


def resize_cubic(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
    """Bicubic with coefficient -0.75, at the centres of pixels or from corner to corner."""
    axes = tuple(require_sizes(x, 2))
    if align_corners:
        output, scales = resize_by_corners(x, output, scales)
    if output is not None and is_same(x, output, scales):
        return x
    how = "align_corners" if align_corners else "half_pixel"
    rule = {"mode": "cubic", "coordinate_transformation_mode": how}
    return _by_rule(x, output, scales, axes=axes, **rule)


def resize_smooth(mode: str, a: float) -> Callable[..., Value]:
    """The filters that widen where the image shrinks; what lies outside has no weight."""

    def resize_images(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
        axes = tuple(require_sizes(x, 2))
        if align_corners:
            raise Unsupported(f"an antialiased {mode} resize with align_corners")
        rule = {"mode": mode, "coordinate_transformation_mode": "half_pixel"}
        given = {"antialias": True, "exclude_outside": True, "cubic_coeff_a": a}
        return _by_rule(x, output, scales, axes=axes, **rule, **given)

    return resize_images


def sampling_scale(size: int, out: int, *, align_corners: bool) -> np.float32:
    """Elements of the image for each of the result."""
    if align_corners and out > 1:
        return np.float32(size - 1) / np.float32(out - 1)
    return np.float32(size) / np.float32(max(out, 1))


def nearest_positions(
    size: int, out: int, *, align_corners: bool, half_pixel: bool
) -> Sequence[int]:
    """Which element each of the result is, computed as TensorFlow does in float32."""
    scale = sampling_scale(size, out, align_corners=align_corners)
    at = np.arange(out, dtype=np.float32)
    if half_pixel:
        at = at + np.float32(0.5)
    at = at * scale
    places = np.floor(at + np.float32(0.5)) if align_corners else np.floor(at)
    found: list[int] = np.clip(places, 0, max(size - 1, 0)).astype(np.int64).tolist()
    return found


def require_image_sizes(
    images: Value, size: Value, *, align_corners: bool = False, half_pixel: bool = False
) -> None:
    """BadType for what is no image, no pair of sizes, or both rules of coordinates at once."""
    if images.rank != 4 or size.rank != 1:
        raise BadType(f"resizing of {images.type} to {size.type}")
    if align_corners and half_pixel:
        raise BadType("resizing with align_corners and half_pixel_centers")


def interpolate_bilinear(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    """The result is float32, also of integers."""
    require_image_sizes(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    x = to_channels_first(images.cast(Precision.FLOAT32))
    mode = 0 if half_pixel_centers else 1
    return to_channels_last(
        resize.resize_linear(x, size, align_corners=align_corners, align_mode=mode)
    )


def interpolate_nearest(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    """One of the standard's operators, or rows and columns one by one where it takes others."""
    require_image_sizes(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    axes = _known_extents(images, size)
    given = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    if axes is not None:
        places = [nearest_positions(*axis, **given) for axis in axes]
        plain = [
            [_nearest_position(k, *axis, align_corners=align_corners) for k in range(axis[1])]
            for axis in axes
        ]
        if places != plain:
            rows = index.gather(images, np.array(places[0], np.int64), axis=1)
            return index.gather(rows, np.array(places[1], np.int64), axis=2)
    elif half_pixel_centers:
        return to_channels_last(_nearest_half_pixel(to_channels_first(images), size))
    x = to_channels_first(images)
    return to_channels_last(resize.resize_nearest(x, size, align_corners=align_corners))


def _nearest_half_pixel(x: Value, size: Value) -> Value:
    return resize.resize(
        x,
        None,
        None,
        size.cast(Precision.INT64),
        mode="nearest",
        coordinate_transformation_mode="half_pixel",
        nearest_mode="round_prefer_ceil",
        axes=(2, 3),
    )


def _known_extents(images: Value, size: Value) -> list[tuple[int, int]] | None:
    """Rows and columns before and after, where they are known."""
    given = [d for d in images.shape[1:3] if not isinstance(d, Expr)]
    wanted = ints(size)
    if wanted is None or len(given) != 2:
        return None
    return list(zip(given, wanted, strict=True))


def _nearest_position(at: int, size: int, out: int, *, align_corners: bool) -> int:
    """The element that RESIZE_NEAREST takes."""
    if not align_corners:
        return at * size // out
    steps = max(out - 1, 1)
    return (2 * at * (size - 1) + steps) // (2 * steps)


MODES = {
    "bicubic": InterpolateMode.BICUBIC,
    "bilinear": InterpolateMode.BILINEAR,
    "nearest": InterpolateMode.NEAREST,
}
BORDERS = {"border": PadMode.EDGE, "reflection": PadMode.REFLECT, "zeros": PadMode.CONSTANT}


def sample_grid(
    x: Value,
    grid: Value,
    *,
    align_corners: bool = False,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
) -> Value:
    """Elements of an image at places; ONNX, PyTorch and Paddle call the modes alike."""
    if mode not in MODES or padding_mode not in BORDERS:
        raise Unsupported(f"sampling with {mode=} and {padding_mode=}")
    operator = {4: resize.grid_sample, 5: resize.grid_sample_3d}.get(x.rank)
    if operator is None:
        raise BadType(f"sampling of {x.type}: rank 4 or 5 is needed")
    how = {"mode": MODES[mode], "pad_mode": BORDERS[padding_mode]}
    return operator(x, grid, align_corners=align_corners, **how)


def resize_by_whole_factors(
    x: Value,
    scales: Value | None,
    sizes: Value | None,
    mode: str,
    positions: str,
    nearest: str,
) -> Value | None:
    """RESIZE_NEAREST or RESIZE_LINEAR where they mean the same as the words of RESIZE: H and W by
    whole factors. None elsewhere."""
    factors = _factors(x, scales, sizes)
    if factors[:2] != [1, 1] or any(f < 1 or f != int(f) for f in factors):
        return None
    target = None if sizes is None else x.model.constant((ints(sizes) or ())[2:], "int64")
    given = x.model.constant(factors[2:], np.float32) if sizes is None else None
    match mode, positions, nearest:
        case "nearest", "asymmetric", "floor":
            return resize.resize_nearest(x, target, given, align_corners=False)
        case "linear", "half_pixel" | "asymmetric" as rule, _ if x.is_float:
            return resize.resize_linear(x, target, given, align_mode=int(rule == "asymmetric"))
    return None


def _factors(x: Value, scales: Value | None, sizes: Value | None) -> list[float]:
    """By how much each axis of an image grows; nothing where that is not known."""
    found: list[float] = []
    if scales is not None:
        if scales.constant is not None and scales.is_float:
            found = scales.constant.reshape(-1).tolist()
    elif (wanted := ints(sizes)) is not None and len(wanted) == x.rank and x.is_static:
        found = [w / max(d, 1) for w, d in zip(wanted, x.sizes, strict=True)]
    return found if x.rank == len(found) == 4 and 0 not in x.shape else []
