"""Boxes: anchors, decoding, suppression and pooling of regions."""

from __future__ import annotations

import torch

from nnir.model import Value
from nnir.ops import detection

from ...attributes import Ints, Regions
from ...lowering import Lowerings
from . import boxes as arithmetic
from . import regions
from .emitter import Emitter, Result, Results

table = Lowerings[Result]()


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
) -> Result:
    limit = 0 if max_output_boxes_per_class is None else g.sizes(max_output_boxes_per_class)[0]
    bound = 0.0 if iou_threshold is None else g.raw(iou_threshold).reshape([-1])[0].item()
    least = None if score_threshold is None else g.of(score_threshold).reshape([-1])[0]
    given = (limit, bound, least, center_point_box)
    return g.call(arithmetic.select_boxes, g.of(boxes), g.of(scores), *given)


@table.lower(detection.non_max_suppression)
def non_max_suppression(
    g: Emitter,
    bboxes: Value,
    scores: Value,
    rois_num: Value | None,
    *,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
    normalized: bool,
    return_index: bool,
) -> Results:
    how = {
        "background_label": background_label,
        "score_threshold": score_threshold,
        "nms_top_k": nms_top_k,
        "nms_threshold": nms_threshold,
        "nms_eta": nms_eta,
        "keep_top_k": keep_top_k,
        "normalized": normalized,
    }
    counts = None if rois_num is None else g.index(rois_num)
    made = g.call(arithmetic.of_classes, g.of(bboxes), g.of(scores), counts, how)
    rows = g.back(made[0], bboxes.precision)
    return (rows, made[1], made[2]) if return_index else (rows, made[1])


@table.lower(detection.suppress_boxes)
def suppress_boxes(g: Emitter, boxes: Value, scores: Value, *, iou_threshold: float) -> Result:
    count = g.shape(scores)[0]
    return g.call(arithmetic.suppress, g.of(boxes), g.of(scores), count, iou_threshold)


@table.lower(detection.roi_align, detection.roi_align_max, how=Regions)
def roi_align(
    g: Emitter, input: Value, rois: Value, batch_indices: Value, *, how: Regions
) -> Result:
    operands = (g.of(input), g.of(rois), g.index(batch_indices))
    bins = [how.output_height, how.output_width]
    maximal = g.operation.operator is detection.roi_align_max
    given = (bins, how.sampling_ratio, how.spatial_scale, how.aligned, maximal)
    made = g.call(regions.aligned_regions, *operands, *given)
    return g.back(made, input.precision)


@table.lower(detection.max_roi_pool)
def max_roi_pool(
    g: Emitter, input: Value, rois: Value, *, pooled_shape: Ints, spatial_scale: float
) -> Result:
    operands = (g.of(input), g.of(rois), list(pooled_shape), spatial_scale)
    return g.back(g.call(regions.maximal_regions, *operands)[0], input.precision)


@table.lower(detection.max_roi_positions)
def max_roi_positions(
    g: Emitter, input: Value, rois: Value, *, pooled_shape: Ints, spatial_scale: float
) -> Result:
    operands = (g.of(input), g.of(rois), list(pooled_shape), spatial_scale)
    return g.call(regions.maximal_regions, *operands)[1].to(torch.int32)
