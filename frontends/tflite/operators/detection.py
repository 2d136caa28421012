"""TFLite's suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import binary
from nnir.recipes.detection import detect_by_anchors, suppress_padded, suppress_with_scores

from ...table import Table

table = Table()


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
    return detect_by_anchors(
        box_encodings,
        class_predictions,
        anchors,
        scales=(y_scale, x_scale, h_scale, w_scale),
        max_detections=max_detections,
        max_classes_per_detection=max_classes_per_detection,
        detections_per_class=detections_per_class,
        nms_score_threshold=nms_score_threshold,
        nms_iou_threshold=nms_iou_threshold,
        num_classes=num_classes,
        use_regular_nms=use_regular_nms,
    )
