"""ONNX resizing and sampling."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from nnir.model import Index, Value
from nnir.ops import resize
from nnir.recipes.resize import resize_by_whole_factors, sample_grid
from nnir.records import dataclass

from ...table import REQUIRED, Attributes, Ints, Maybe, Table

table = Table()
table.same({"AffineGrid": resize.affine_grid}, since=20)
Positions = Literal[
    "align_corners",
    "asymmetric",
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "tf_crop_and_resize",
]


Mode = Literal["nearest", "linear", "bilinear"]
Scales = Annotated[Value, np.float32]


@dataclass(frozen=True)
class Rule(Attributes):
    """Where elements come from, and how they are weighed."""

    antialias: bool = False
    axes: Ints | None = None
    coordinate_transformation_mode: Positions = "half_pixel"
    cubic_coeff_a: float = -0.75
    exclude_outside: bool = False
    extrapolation_value: float = 0.0
    keep_aspect_ratio_policy: str = "stretch"
    mode: str = "nearest"
    nearest_mode: str = "round_prefer_floor"

    @property
    def is_plain(self) -> bool:
        """Whether mode and coordinates say all."""
        others = self.antialias or self.exclude_outside or self.axes is not None
        return self.keep_aspect_ratio_policy == "stretch" and not others


@table.convert("Resize", since=11)
def resize_(
    x: Value,
    roi: Maybe = None,
    scales: Scales | None = None,
    sizes: Index | None = None,
    *,
    how: Rule,
) -> Value:
    """Old writers give scales and sizes, the scales empty or for information."""
    sizes = _present(sizes)
    scales = None if sizes is not None else _present(scales)
    rule = how.mode, how.coordinate_transformation_mode, how.nearest_mode
    standard = resize_by_whole_factors(x, scales, sizes, *rule) if how.is_plain else None
    if standard is not None:
        return standard
    region = roi if how.coordinate_transformation_mode == "tf_crop_and_resize" else None
    return resize.resize(x, region, scales, sizes, **vars(how))


def _present(value: Maybe) -> Maybe:
    """An empty operand is absent."""
    return None if value is None or (value.is_static and 0 in value.shape) else value


@table.convert("Resize", since=10)
@table.convert("Upsample", since=9)
@table.convert("Upsample", since=7, attributes={"scales": REQUIRED})
def upsample(x: Value, scales: Scales, *, mode: Mode = "nearest") -> Value:
    """Before opset 11 positions are i / scale, rounded down for the nearest."""
    how = Rule(
        mode=mode.removeprefix("bi"),
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    return resize_(x, None, scales, how=how)


@table.convert("Upsample")
def upsample_1(
    x: Value, *, height_scale: float = 1.0, mode: Mode = "nearest", width_scale: float = 1.0
) -> Value:
    scales = [1, 1, height_scale, width_scale]
    return upsample(x, x.model.constant(scales, np.float32), mode=mode)


@table.convert("GridSample", since=16)
def grid_sample(
    x: Value,
    grid: Value,
    *,
    align_corners: bool = False,
    mode: Literal["linear", "bilinear", "nearest", "cubic", "bicubic"] = "linear",
    padding_mode: str = "zeros",
) -> Value:
    kind = f"bi{mode}" if mode in ("linear", "cubic") else mode
    return sample_grid(x, grid, align_corners=align_corners, mode=kind, padding_mode=padding_mode)
