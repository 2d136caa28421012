"""TensorFlow's resizing and cropping of images."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import index, resize
from nnir.types import Precision

from ..table import Table
from . import colours, warping
from .layout import channels_first, channels_last
from .resampling import (
    area_weights,
    cubic_weights,
    kernel_weights,
    known_sizes,
    nearest_places,
    resampled,
    scale_of,
)

table = Table.merge([colours.table, warping.table])


def _check(images: Value, size: Value, *, align_corners: bool, half_pixel: bool) -> None:
    if images.rank != 4 or size.rank != 1:
        raise BadType(f"resizing of {images.type} to {size.type}")
    if align_corners and half_pixel:
        raise BadType("resizing with align_corners and half_pixel_centers")


@table.convert("ResizeBilinear")
def resize_bilinear(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    """The result is float32, also of integers."""
    _check(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    x = channels_first(images.cast(Precision.FLOAT32))
    mode = 0 if half_pixel_centers else 1
    return channels_last(
        resize.resize_linear(x, size, align_corners=align_corners, align_mode=mode)
    )


@table.convert("ResizeNearestNeighbor")
def resize_nearest_neighbor(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    """One of the standard's operators, or rows and columns one by one where it takes others."""
    _check(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    axes = _known_axes(images, size)
    given = {"align_corners": align_corners, "half_pixel": half_pixel_centers}
    places = None if axes is None else [nearest_places(*axis, **given) for axis in axes]
    if axes is not None and places is not None:
        plain = [
            [_plain(k, *axis, align_corners=align_corners) for k in range(axis[1])] for axis in axes
        ]
        if places != plain:
            rows = index.gather(images, np.array(places[0], np.int64), axis=1)
            result: Value = index.gather(rows, np.array(places[1], np.int64), axis=2)
            return result
    elif half_pixel_centers:
        return channels_last(_half_pixel(channels_first(images), size))
    x = channels_first(images)
    return channels_last(resize.resize_nearest(x, size, align_corners=align_corners))


def _half_pixel(x: Value, size: Value) -> Value:
    result: Value = resize.resize(
        x,
        None,
        None,
        size.cast(Precision.INT64),
        mode="nearest",
        coordinate_transformation_mode="half_pixel",
        nearest_mode="round_prefer_ceil",
        axes=(2, 3),
    )
    return result


def _known_axes(images: Value, size: Value) -> list[tuple[int, int]] | None:
    """Rows and columns before and after, where they are known."""
    given = [d for d in images.shape[1:3] if not isinstance(d, Expr)]
    wanted = ints(size)
    if wanted is None or len(given) != 2:
        return None
    return list(zip(given, wanted, strict=True))


def _plain(at: int, size: int, out: int, *, align_corners: bool) -> int:
    """The element that RESIZE_NEAREST takes."""
    if not align_corners:
        return at * size // out
    steps = max(out - 1, 1)
    return (2 * at * (size - 1) + steps) // (2 * steps)


@table.convert("ResizeBicubic")
def resize_bicubic(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    _check(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    axes = zip(*known_sizes(images, size, "ResizeBicubic"), strict=True)
    matrices = [
        cubic_weights(
            own, out, scale_of(own, out, align_corners=align_corners), half_pixel=half_pixel_centers
        )
        for own, out in axes
    ]
    return resampled(images, *matrices)


@table.convert("ResizeArea")
def resize_area(images: Value, size: Index, *, align_corners: bool = False) -> Value:
    _check(images, size, align_corners=align_corners, half_pixel=False)
    axes = zip(*known_sizes(images, size, "ResizeArea"), strict=True)
    matrices = [
        area_weights(own, out, scale_of(own, out, align_corners=align_corners)) for own, out in axes
    ]
    return resampled(images, *matrices)


@table.convert("ScaleAndTranslate")
def scale_and_translate(
    images: Value,
    size: Index,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Value:
    _check(images, size, align_corners=False, half_pixel=False)
    if scale.shape != (2,) or translation.shape != (2,):
        raise BadType(f"a scale {scale.tolist()} and a translation {translation.tolist()}, not 2")
    given, wanted = known_sizes(images, size, "ScaleAndTranslate")
    axes = zip(given, wanted, scale.tolist(), translation.tolist(), strict=True)
    return resampled(
        images, *(kernel_weights(*axis, kernel_type, antialias=antialias) for axis in axes)
    )
