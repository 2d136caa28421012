"""Boxes."""

from __future__ import annotations

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End
from ..operands import Cube, Image, Matrix, PlaceVector, Some, SomeReal
from ..schema import Ints, Single, Table
from ..shapes import OPEN, Dimension, PartialShape, merge
from .elementwise import same_type

table = Table()
I64 = TYPES["i64"]


@table.kind("NonMaxSuppression", since=9)
def suppress(
    boxes: Cube,
    scores: Cube,
    most: Some,
    iou_threshold: SomeReal,
    score_threshold: SomeReal,
    *,
    box_encoding: str = "corner",
    sort_result_descending: bool = True,
    output_type: Type = I64,
) -> list[End]:
    for one in (most, iou_threshold, score_threshold):
        merge(one.shape.count(), Dimension(1), "limits of NonMaxSuppression")
    if not boxes.shape[2].holds(4):
        raise NoLowering(f"openvino: NonMaxSuppression of [{boxes.shape}] and [{scores.shape}]")
    merge(boxes.shape[0], scores.shape[0], "batches of NonMaxSuppression")
    count = merge(boxes.shape[1], scores.shape[2], "boxes and scores of NonMaxSuppression")
    known = most.values()
    rows = PartialShape([OPEN, 3])
    if known is not None and boxes.shape[1].is_static and scores.shape.is_static:
        each = min(count.low, known[0])
        rows = PartialShape([(scores.shape[0] * scores.shape[1] * each).up_to(), 3])
    return [(output_type, rows), (TYPES["f32"], rows), (output_type, PartialShape([1]))]


@table.kind("ROIAlign", since=9)
def align(
    data: Image,
    regions: Matrix,
    batches: PlaceVector,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: Single,
    mode: str = "avg",
    aligned_mode: str = "asymmetric",
) -> End:
    same_type("ROIAlign", data, regions)
    if not regions.shape[1].holds(4):
        raise NoLowering(f"openvino: ROIAlign of [{data.shape}] at [{regions.shape}]")
    count = merge(regions.shape[0], batches.shape[0], "regions and batches of ROIAlign")
    return data.type, PartialShape([count, data.shape[1], pooled_h, pooled_w])


@table.kind("ROIPooling", since=2)
def pool(
    data: Image,
    regions: Matrix,
    *,
    output_size: Ints,
    output_roi: Ints,
    pooled_h: int,
    pooled_w: int,
    spatial_scale: Single,
    method: str = "max",
) -> End:
    same_type("ROIPooling", data, regions)
    if not regions.shape[1].holds(5):
        raise NoLowering(f"openvino: ROIPooling of [{data.shape}] at [{regions.shape}]")
    return data.type, PartialShape([regions.shape[0], data.shape[1], *output_roi])
