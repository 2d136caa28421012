"""TFLite's suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import binary, index, shape, sort, unary
from nnir.recipes.detection import (
    suppress_by_class,
    suppress_overlaps,
    suppress_padded,
    suppress_with_scores,
)
from nnir.types import Precision

from ...table import Table

table = Table()
F32 = Precision.FLOAT32


def _touching(threshold: Value) -> Value:
    """The next number below: what overlaps by the threshold exactly goes, too."""
    lowest = threshold.scalar(-np.inf)
    return binary.next_after(threshold, lowest)


@table.convert("NON_MAX_SUPPRESSION_V4")
def non_max_suppression_v4(
    boxes: Value,
    scores: Value,
    max_output_size: Value,
    iou_threshold: Value,
    score_threshold: Value,
) -> tuple[Value, Value]:
    """The boxes that stay, with zeros behind them, and how many they are."""
    bound = _touching(iou_threshold)
    return suppress_padded(
        boxes, scores, max_output_size, bound, score_threshold, pad_to_max_output_size=True
    )


@table.convert("NON_MAX_SUPPRESSION_V5")
def non_max_suppression_v5(
    boxes: Value,
    scores: Value,
    max_output_size: Value,
    iou_threshold: Value,
    score_threshold: Value,
    soft_nms_sigma: float,
) -> tuple[Value, Value, Value]:
    return suppress_with_scores(
        boxes,
        scores,
        max_output_size,
        _touching(iou_threshold),
        score_threshold,
        soft_nms_sigma,
        pad_to_max_output_size=True,
    )


def decode_boxes(boxes: Value, anchors: Value, scales: tuple[float, float, float, float]) -> Value:
    """(y, x, height, width) relative to anchors as corners (ymin, xmin, ymax, xmax)."""
    model = boxes.model
    shifts, spans = shape.split(boxes, [2, 2], axis=-1)
    centers, extents = shape.split(anchors, [2, 2], axis=-1)
    steps = shifts / model.constant(np.array(scales[:2], np.float32))
    middle = steps * extents + centers
    grown = unary.exp(spans / model.constant(np.array(scales[2:], np.float32)))
    half = grown * 0.5 * extents
    return shape.concat(middle - half, middle + half, axis=-1)


@table.convert("TFLite_Detection_PostProcess")
def detection_post_process(
    box_encodings: Value,
    class_predictions: Value,
    anchors: Value,
    *,
    max_detections: int,
    max_classes_per_detection: int,
    detections_per_class: int = 100,
    nms_score_threshold: float,
    nms_iou_threshold: float,
    num_classes: int,
    y_scale: float,
    x_scale: float,
    h_scale: float,
    w_scale: float,
    use_regular_nms: bool = False,
) -> tuple[Value, Value, Value, Value]:
    """Boxes, classes, scores and their number; suppression of each class or of the best ones.

    Background, where there are scores of it, comes first.
    """
    count = class_predictions.shape[-1]
    if isinstance(count, Expr) or not 1 <= num_classes <= count:
        raise BadType(f"{num_classes} classes of {class_predictions.type}")
    if min(max_detections, max_classes_per_detection, detections_per_class) < 1:
        raise BadType("detections of no boxes or classes")
    boxes = decode_boxes(box_encodings, anchors, (y_scale, x_scale, h_scale, w_scale))
    scores = index.slice_(class_predictions, [-1], [count - num_classes], [count])
    model = boxes.model
    overlap = model.constant(np.float32(nms_iou_threshold))
    least = np.nextafter(np.float32(nms_score_threshold), np.float32(-np.inf))
    bound = model.constant(least)
    if use_regular_nms:
        found = suppress_by_class(
            shape.unsqueeze(boxes, [2]),
            scores,
            detections_per_class,
            max_detections,
            overlap,
            bound,
            clip_boxes=False,
        )
        corners, best, classes, number = found
        return corners, classes, best, number.cast(F32)
    shared = min(max_classes_per_detection, num_classes)
    return _suppress_by_best_class(boxes, scores, max_detections, shared, overlap, bound)


def _suppress_by_best_class(
    boxes: Value, scores: Value, limit: int, each: int, overlap: Value, bound: Value
) -> tuple[Value, Value, Value, Value]:
    """Suppression of boxes by their best class; each gives its best classes."""
    if boxes.shape[0] != 1:
        raise NotConstant(f"detections among {boxes.type}, not of one image")
    boxes, scores = (shape.squeeze(v, [0]) for v in (boxes, scores))
    best, classes = sort.top_k(scores, [each], axis=1)
    first = shape.squeeze(index.slice_(best, [1], [0], [1]), [1])
    most = boxes.model.constant(np.array(limit))
    kept = suppress_overlaps(boxes, first, most, overlap, bound)
    rows = shape.unsqueeze(index.gather(boxes, kept), [1])
    corners = shape.tile(rows, [1, each, 1]) if each > 1 else rows
    parts = [corners, index.gather(classes, kept).cast(F32), index.gather(best, kept)]
    size = shape.shape(kept, dtype=Precision.INT64)
    missing = boxes.model.constant(np.array([limit])) - size

    def pad_rows(part: Value, *rest: int) -> Value:
        others = boxes.model.constant(np.zeros(2 * len(rest), np.int64))
        none = boxes.model.constant(np.zeros(1, np.int64))
        pads = shape.concat(none, missing, others, axis=0)
        whole = shape.pad(part, pads)
        return shape.reshape(whole, [1, limit * each, *rest[1:]])

    found, classes, best = parts
    return pad_rows(found, each, 4), pad_rows(classes, each), pad_rows(best, each), size.cast(F32)
