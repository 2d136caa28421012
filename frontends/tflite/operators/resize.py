"""TFLite's resizing of images."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.recipes.resize import interpolate_bilinear, interpolate_nearest

from ...table import Table

table = Table()


@table.convert("RESIZE_BILINEAR")
def resize_bilinear(
    input: Value, size: Index, *, align_corners: bool, half_pixel_centers: bool
) -> Value:
    return interpolate_bilinear(
        input, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )


@table.convert("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest_neighbor(
    input: Value, size: Index, *, align_corners: bool, half_pixel_centers: bool
) -> Value:
    return interpolate_nearest(
        input, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers
    )
