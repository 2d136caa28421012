"""NNAPI's resizing of images."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.recipes.resize import interpolate_bilinear

from ...table import Table

table = Table()


@table.convert("RESIZE_BILINEAR")
def resize_bilinear(input: Value, *, new_height: int, new_width: int) -> Value:
    """From the corner 0, by old size / new size."""
    size = input.model.constant(np.array([new_height, new_width], np.int64))
    return interpolate_bilinear(input, size, align_corners=False, half_pixel_centers=False)
