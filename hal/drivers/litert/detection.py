"""Suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import detection
from nnir.recipes.detection import rank_candidates, suppress_by_corners, suppress_class_by_class
from nnir.types import Precision

from ...lowering import Lowerings
from ...operands import Number
from .emitter import Emitter, Ref, result_shape
from .static import numbers

table = Lowerings[Ref]()
ways = suppress_by_corners, suppress_class_by_class
table.decompose(detection.non_max_suppression_indices, *ways)
INT32 = Precision.INT32


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Number | None,
    iou_threshold: Number | None,
    score_threshold: Value | None,
) -> Ref:
    """The kernel takes what overlaps by the threshold, too."""
    *classes, count = numbers(scores.shape)
    limit, overlap = max_output_boxes_per_class or 0, iou_threshold or 0
    g.need(classes == [1, 1] and count and limit > 0, "suppresses some boxes of one class")
    g.need(0 <= overlap < 1, f"suppresses what overlaps by 0 up to 1, not by {overlap}")
    one, found = np.float32(1), result_shape(g)[0]
    above = max(np.nextafter(np.float32(overlap), one), np.finfo(np.float32).tiny)
    limit = min(int(limit), count)
    corners, keys, places = map(g.plain, g.compose(rank_candidates, boxes, scores, score_threshold))
    operands = [corners, keys, *map(g.constant, (np.int32(limit), above, one / 2))]
    kinds = [(INT32, (limit,)), (INT32, ())]
    whole, number = g.several("NON_MAX_SUPPRESSION_V4", operands, kinds)
    kept = g.vector("SLICE", [whole, g.ints(0), g.reshape(number, (1,))], found)
    box = g.vector("GATHER", [places, kept], found, axis=0)
    column = g.one("EXPAND_DIMS", [box, g.ints(1)], INT32, (found, 1))
    return (column * g.ints(0, 0, 1)).cast(Precision.INT64)
