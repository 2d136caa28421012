"""Boxes: anchors, decoding, suppression and pooling of regions."""

from __future__ import annotations

from typing import Any

import torch

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Floats, Ints
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
    return g.call(arithmetic.selected, g.of(boxes), g.of(scores), *given)


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
    return g.call(arithmetic.suppressed, g.of(boxes), g.of(scores), count, iou_threshold)


@table.lower(detection.prior_box)
def prior_box(
    g: Emitter,
    input: Value,
    image: Value,
    *,
    min_sizes: Floats,
    max_sizes: Floats | None,
    aspect_ratios: Floats,
    variances: Floats,
    flip: bool,
    clip: bool,
    step_w: float,
    step_h: float,
    offset: float,
    min_max_aspect_ratios_order: bool,
) -> Results:
    """Only sizes matter, so known ones give constants."""
    sizes = (*input.shape[2:], *image.shape[2:])
    if not all(isinstance(n, int) for n in sizes):
        raise NoLowering(f"torch makes anchors for known sizes, not {input.type}")
    rows, columns, height, width = map(int, sizes)  # type: ignore[arg-type]  # known
    made = detection.prior_boxes(
        (rows, columns),
        (height, width),
        min_sizes=min_sizes,
        max_sizes=max_sizes,
        aspect_ratios=aspect_ratios,
        variances=variances,
        flip=flip,
        clip=clip,
        step_w=step_w,
        step_h=step_h,
        offset=offset,
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    return tuple(g.constant(a.astype(input.dtype)) for a in made)


def _aligned(operator: Any, *, maximal: bool) -> None:
    @table.lower(operator)
    def lowering(
        g: Emitter,
        input: Value,
        rois: Value,
        batch_indices: Value,
        *,
        output_height: int,
        output_width: int,
        sampling_ratio: int,
        spatial_scale: float,
        aligned: bool,
    ) -> Result:
        bins = [output_height, output_width]
        operands = (g.of(input), g.of(rois), g.index(batch_indices))
        given = (bins, sampling_ratio, spatial_scale, aligned, maximal)
        made = g.call(regions.aligned_regions, *operands, *given)
        return g.back(made, input.precision)


_aligned(detection.roi_align, maximal=False)
_aligned(detection.roi_align_max, maximal=True)


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


@table.lower(detection.yolo_box)
def yolo_box(
    g: Emitter,
    input: Value,
    imgsize: Value,
    *,
    anchors: Ints,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> Results:
    made = g.call(
        regions.decoded,
        g.of(input),
        g.raw(imgsize),
        list(anchors),
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        scale_x_y,
        iou_aware_factor if iou_aware else None,
    )
    kind: Precision = input.precision
    return g.back(made[..., :4], kind), g.back(made[..., 4:], kind)
