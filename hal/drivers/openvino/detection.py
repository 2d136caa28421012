"""Boxes: anchors, suppression and pooling of regions."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Regions
from .emitter import Emitter, Ref
from .forms import Single, Sizes, Table, with_columns

table = Table()


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Single,
    max_output_boxes_per_class: Sizes | None,
    iou_threshold: Single | None,
    score_threshold: Single | None,
    *,
    center_point_box: bool,
) -> Ref:
    """OpenVINO suppresses at the threshold too, the standard above it: at the next float."""
    corners, most = with_columns(g, boxes, 4), max_output_boxes_per_class
    overlap = _or(g, iou_threshold, 0.0) * (1 + 2**-23)
    found, _, count = g.node(
        "NonMaxSuppression",
        *(corners, scores, g.scalar(0) if most is None else g.one(most)),
        *(g.pair("Maximum", overlap, 2e-38), _or(g, score_threshold, -3.4e38)),
        outputs=3,
        box_encoding="center" if center_point_box else "corner",
        sort_result_descending=False,
        output_type="i64",
    )
    return g.first(found, g.reshape(count.cast(Precision.INT64), [1]), 0)


def _or(g: Emitter, threshold: Ref | None, default: float) -> Ref:
    return g.constant(default, "float32") if threshold is None else g.one(threshold)


@table.lower(detection.roi_align, how=Regions)
def roi_align(g: Emitter, input: Single, rois: Value, batch_indices: Sizes, *, how: Regions) -> Ref:
    regions = with_columns(g, rois, 4)
    made = g.node(
        "ROIAlign",
        *(input, regions, batch_indices),
        pooled_h=how.output_height,
        pooled_w=how.output_width,
        sampling_ratio=max(how.sampling_ratio, 0),
        spatial_scale=how.spatial_scale,
        aligned_mode="half_pixel_for_nn" if how.aligned else "asymmetric",
    )
    return _without_empty(g, made, regions) if how.aligned and how.sampling_ratio <= 0 else made


def _without_empty(g: Emitter, made: Ref, rois: Ref) -> Ref:
    """0 for regions of no extent, in which nothing is sampled."""
    left, top, right, bottom = g.node("Split", rois, g.scalar(1), outputs=4, num_splits=4)
    flat = (right <= left) | (bottom <= top)
    return g.where(g.reshape(flat, [-1, 1, 1, 1]), 0, made)


@table.lower(detection.max_roi_pool)
def max_roi_pool(
    g: Emitter, input: Single, rois: Value, *, pooled_shape: tuple[int, ...], spatial_scale: float
) -> Ref:
    height, width = pooled_shape
    return g.node(
        "ROIPooling",
        *(input, with_columns(g, rois, 5)),
        output_size=pooled_shape,
        output_roi=pooled_shape,
        pooled_h=height,
        pooled_w=width,
        spatial_scale=spatial_scale,
        method="max",
    )
