"""NNRt's resizing of images with channels last."""

from __future__ import annotations

from ...errors import BadType, Unsupported
from ...model import Value
from ..resize import interpolate_bilinear
from . import Recipes


def resize_bilinear(
    input: Value,
    *,
    new_height: int,
    new_width: int,
    preserve_aspect_ratio: bool,
    coordinate_transform_mode: int,
    exclude_outside: int,
) -> Value:
    """By places times the quotient of sizes (0), by corners (1) or by centres of pixels (2)."""
    if preserve_aspect_ratio or exclude_outside:
        raise Unsupported("RESIZE_BILINEAR with preserveAspectRatio or excludeOutside")
    if coordinate_transform_mode not in (0, 1, 2) or min(new_height, new_width) < 1:
        raise BadType(
            f"RESIZE_BILINEAR to {new_height} x {new_width} with "
            f"coordinateTransformMode={coordinate_transform_mode}: 0, 1 or 2 is accepted"
        )
    if not input.is_float:
        raise Unsupported(f"RESIZE_BILINEAR of {input.type}: floats are accepted")
    size = input.model.constant([new_height, new_width], "int64")
    made = interpolate_bilinear(
        input,
        size,
        align_corners=coordinate_transform_mode == 1,
        half_pixel_centers=coordinate_transform_mode == 2,
    )
    return made.cast(input.precision)


RECIPES: Recipes = {"RESIZE_BILINEAR": resize_bilinear}
