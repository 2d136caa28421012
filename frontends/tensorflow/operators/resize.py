"""TensorFlow's resizing and cropping of images."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.recipes.resize import (
    interpolate_bilinear,
    interpolate_nearest,
    require_image_sizes,
    sampling_scale,
)

from ...table import Table
from . import colours
from . import image_transform as warping
from .resampling import area_weights, cubic_weights, kernel_weights, known_sizes, resample

table = Table.merge([colours.table, warping.table])


table.convert("ResizeBilinear")(interpolate_bilinear)


table.convert("ResizeNearestNeighbor")(interpolate_nearest)


@table.convert("ResizeBicubic")
def resize_bicubic(
    images: Value, size: Index, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Value:
    require_image_sizes(images, size, align_corners=align_corners, half_pixel=half_pixel_centers)
    axes = zip(*known_sizes(images, size, "ResizeBicubic"), strict=True)
    matrices = [
        cubic_weights(
            own,
            out,
            sampling_scale(own, out, align_corners=align_corners),
            half_pixel=half_pixel_centers,
        )
        for own, out in axes
    ]
    return resample(images, *matrices)


@table.convert("ResizeArea")
def resize_area(images: Value, size: Index, *, align_corners: bool = False) -> Value:
    require_image_sizes(images, size)
    axes = zip(*known_sizes(images, size, "ResizeArea"), strict=True)
    matrices = [
        area_weights(own, out, sampling_scale(own, out, align_corners=align_corners))
        for own, out in axes
    ]
    return resample(images, *matrices)


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
    require_image_sizes(images, size)
    if scale.shape != (2,) or translation.shape != (2,):
        raise BadType(f"a scale {scale.tolist()} and a translation {translation.tolist()}, not 2")
    given, wanted = known_sizes(images, size, "ScaleAndTranslate")
    axes = zip(given, wanted, scale.tolist(), translation.tolist(), strict=True)
    return resample(
        images, *(kernel_weights(*axis, kernel_type, antialias=antialias) for axis in axes)
    )
