"""TensorFlow's suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.recipes.detection import (
    suppress_by_class,
    suppress_overlaps,
    suppress_padded,
    suppress_with_scores,
)
from nnir.types import Precision

from ...table import Table

table = Table()
I32 = Precision.INT32


@table.convert("NonMaxSuppression")
def non_max_suppression(
    boxes: Value, scores: Value, max_output_size: Value, *, iou_threshold: float = 0.5
) -> Value:
    bound = boxes.model.constant(np.float32(iou_threshold))
    return suppress_overlaps(boxes, scores, max_output_size, bound, None).cast(I32)


@table.convert("NonMaxSuppressionV2")
def non_max_suppression_v2(
    boxes: Value, scores: Value, max_output_size: Value, iou_threshold: Value
) -> Value:
    return suppress_overlaps(boxes, scores, max_output_size, iou_threshold, None).cast(I32)


@table.convert("NonMaxSuppressionV3")
def non_max_suppression_v3(
    boxes: Value,
    scores: Value,
    max_output_size: Value,
    iou_threshold: Value,
    score_threshold: Value,
) -> Value:
    found = suppress_overlaps(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return found.cast(I32)


table.convert("NonMaxSuppressionV4")(suppress_padded)


table.convert("NonMaxSuppressionV5")(suppress_with_scores)


table.convert("CombinedNonMaxSuppression")(suppress_by_class)
