"""Suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.recipes.detection import rank_candidates, suppress_by_corners
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape
from .static import numbers, only_number

table = Lowerings[Ref]()
table.decompose(detection.non_max_suppression_indices, suppress_by_corners)
INT32 = Precision.INT32


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None,
    iou_threshold: Value | None,
    score_threshold: Value | None,
) -> Ref:
    """A kernel for each class of each image, which takes what overlaps by the threshold, too."""
    given = max_output_boxes_per_class, iou_threshold
    most, overlap = (0 if v is None else only_number(v) for v in given)
    images, classes, count = numbers(scores.shape)
    if not (most and most > 0 and count and images * classes):
        raise NoLowering("litert suppresses some boxes of some classes, up to a known number")
    if overlap is None or not 0 <= overlap < 1:
        raise NoLowering(f"litert suppresses what overlaps by 0 up to 1, not by {overlap}")
    one = np.float32(1)
    above = max(np.nextafter(np.float32(overlap), one), np.finfo(np.float32).tiny)
    rest = [g.constant(n) for n in (np.int32(min(most, count)), above, one / 2)]
    found, parts = result_shape(g)[:1], []
    candidates = iter(g.compose(rank_candidates, boxes, scores, score_threshold))
    for pair, *ranked in zip(np.ndindex(images, classes), *[candidates] * 3, strict=False):
        corners, keys, places = map(g.plain, ranked)
        types = [(INT32, (min(int(most), count),)), (INT32, ())]
        made = g.emit("NON_MAX_SUPPRESSION_V4", [corners, keys, *rest], types)
        whole, number = (Ref(t, tuple(range(len(t.shape))), INT32, g) for t in made)
        ends = g.ints(0), g.reshape(number, (1,))
        kept = g.one("SLICE", [whole, *ends], INT32, found)
        box = g.one("GATHER", [places, kept], INT32, found, axis=0)
        column = g.one("EXPAND_DIMS", [box, g.ints(1)], INT32, (*found, 1))
        parts.append(column * g.ints(0, 0, 1) + g.ints(*pair, 0))
    rows = parts[0] if len(parts) == 1 else g.move("CONCATENATION", parts, axis=0)
    return rows.cast(Precision.INT64)
