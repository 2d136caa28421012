"""ONNX operators on boxes and regions."""

from __future__ import annotations

from typing import Literal

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import detection

from ...table import Table

table = Table()
table.same({"MaxRoiPool": detection.max_roi_pool})
table.same({"NonMaxSuppression": detection.non_max_suppression_indices}, since=10)


@table.convert("RoiAlign", coordinate_transformation_mode="output_half_pixel")
@table.convert("RoiAlign", since=16)
def roi_align(
    x: Value,
    rois: Value,
    batch_indices: Value,
    *,
    coordinate_transformation_mode: Literal["half_pixel", "output_half_pixel"] = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Value:
    """Before opset 16 there is no shift by half a pixel."""
    operators = {"avg": detection.roi_align, "max": detection.roi_align_max}
    if mode.lower() not in operators:
        raise Unsupported(f"RoiAlign with mode={mode!r}")
    return operators[mode.lower()](
        x,
        rois,
        batch_indices,
        output_height=output_height,
        output_width=output_width,
        sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
        aligned=coordinate_transformation_mode == "half_pixel",
    )
