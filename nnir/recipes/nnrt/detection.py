"""NNRt's boxes of what is detected."""

from __future__ import annotations

from ...errors import BadType, Unsupported
from ...model import Value
from ..detection import detect_by_anchors
from . import Recipes


def detection_post_process(
    bbox: Value,
    scores: Value,
    anchors: Value,
    *,
    input_size: int,
    scale: tuple[float, ...],
    nms_iou_threshold: float,
    nms_score_threshold: float,
    max_detections: int,
    detections_per_class: int,
    max_classes_per_detection: int,
    num_classes: int,
    use_regular_nms: bool,
    out_quantized: bool,
) -> tuple[Value, Value, Value, Value]:
    """Boxes, classes, scores and their number, as TFLite's operator of this name gives them.

    `scale` divides y, x, height and width. Boxes are relative to the image, so that its size
    (`input_size`) changes nothing.
    """
    if out_quantized:
        raise Unsupported("DETECTION_POST_PROCESS with outQuantized=true: boxes are FLOAT32")
    if input_size < 0:
        raise BadType(f"DETECTION_POST_PROCESS with inputSize={input_size}")
    y, x, height, width = scale
    return detect_by_anchors(
        bbox,
        scores,
        anchors,
        scales=(y, x, height, width),
        max_detections=max_detections,
        max_classes_per_detection=max_classes_per_detection,
        detections_per_class=detections_per_class,
        nms_score_threshold=nms_score_threshold,
        nms_iou_threshold=nms_iou_threshold,
        num_classes=num_classes,
        use_regular_nms=use_regular_nms,
    )


RECIPES: Recipes = {"DETECTION_POST_PROCESS": detection_post_process}
