"""Resizing of images with channels last, as TensorFlow and TFLite have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..broadcast import ints
from ..dim import Expr
from ..errors import BadType
from ..model import Index, Value
from ..ops import index, resize
from ..types import Precision
from .layout import to_channels_first, to_channels_last


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
    images: Value, size: Value, *, align_corners: bool, half_pixel: bool
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
    places = None if axes is None else [nearest_positions(*axis, **given) for axis in axes]
    if axes is not None and places is not None:
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
