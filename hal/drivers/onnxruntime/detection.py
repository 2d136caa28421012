"""Boxes: anchors, decoding, suppression and pooling of regions."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Regions
from ...lowering import Lowerings
from .emitter import Emitter, Ref, Sizes

table = Lowerings[Ref]()
table.native(detection.max_roi_pool, "MaxRoiPool", "pooled_shape", "spatial_scale")


def _one(g: Emitter, value: Value | None, precision: Precision) -> Ref | None:
    return None if value is None else g.reshape(g.cast(value, precision), 1)


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None,
    iou_threshold: Value | None,
    score_threshold: Value | None,
    *,
    center_point_box: bool,
) -> Ref:
    g.require_single("NonMaxSuppression", boxes.precision)
    bound = None if iou_threshold is None else iou_threshold.known
    if bound is not None and not 0 <= bound.item() <= 1:
        raise NoLowering(f"onnxruntime has no NonMaxSuppression with the threshold {bound.item()}")
    return g.node(
        "NonMaxSuppression",
        *(g.cast(v, Precision.FLOAT32) for v in (boxes, scores)),
        _one(g, max_output_boxes_per_class, Precision.INT64),
        _one(g, iou_threshold, Precision.FLOAT32),
        _one(g, score_threshold, Precision.FLOAT32),
        precision=Precision.INT64,
        center_point_box=center_point_box,
    )


@table.lower(detection.roi_align, detection.roi_align_max, how=Regions)
def roi_align(g: Emitter, input: Value, rois: Value, batch_indices: Sizes, *, how: Regions) -> Ref:
    return g.single(
        "RoiAlign",
        *(input, rois, batch_indices),
        mode="avg" if g.operation.operator is detection.roi_align else "max",
        coordinate_transformation_mode="half_pixel" if how.aligned else "output_half_pixel",
        output_height=how.output_height,
        output_width=how.output_width,
        sampling_ratio=max(how.sampling_ratio, 0),
        spatial_scale=how.spatial_scale,
    )
