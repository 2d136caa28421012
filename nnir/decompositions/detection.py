"""Detection."""

from __future__ import annotations

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, generate, index, reduce, shape, sort, unary
from ..ops.detection import non_max_suppression, non_max_suppression_indices
from ..types import Precision


@non_max_suppression.decomposes()
def _by_classes(
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
) -> tuple[Value, ...]:
    is_plain = rois_num is None and normalized and bboxes.precision != Precision.FLOAT64
    if not is_plain or nms_eta < 1:
        raise Unsupported("suppression of regions, of pixels, in FLOAT64 or with nms_eta below 1")
    return _best_of_classes(
        bboxes,
        scores,
        background_label=background_label,
        score_threshold=score_threshold,
        nms_top_k=nms_top_k,
        nms_threshold=nms_threshold,
        keep_top_k=keep_top_k,
        return_index=return_index,
    )


def _best_of_classes(
    bboxes: Value,
    scores: Value,
    *,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    keep_top_k: int,
    return_index: bool,
) -> tuple[Value, ...]:
    """Suppression for every class, then the best of every image in order of their classes."""
    classes = scores.shape[1]
    if isinstance(classes, Expr):
        raise Unsupported(f"non_max_suppression of {scores.type}, whose classes are not known")
    labels = [k for k in range(classes) if k != background_label]
    model, kind = bboxes.model, scores.dtype
    wide = _boxes_in_order(unary.cast(bboxes, dtype=Precision.FLOAT32))
    own = unary.cast(scores, dtype=Precision.FLOAT32)
    mine = own if len(labels) == classes else index.gather(own, labels, axis=1)
    lowest = model.constant(np.float32(-np.inf))
    if nms_top_k >= 0:
        mine = _among_best(mine, nms_top_k, lowest)
    limit = model.constant(np.array([np.iinfo(np.int32).max], np.int64))
    bounds = [model.constant(np.array([b], np.float32)) for b in (nms_threshold, score_threshold)]
    kept = non_max_suppression_indices(wide, mine, limit, *bounds)  # rows (image, class, box)
    lay = build.vector(model, build.sizes_of(mine))
    alone = index.scatter_nd(generate.fill(lay, lowest), kept, index.gather_nd(mine, kept))
    flat = shape.flatten(alone, start_axis=1, end_axis=2)  # [N, C M]
    whole = build.size_of(flat, 1)
    best, places = sort.top_k(flat, _least(flat, whole, keep_top_k), axis=1)
    count = build.vector(model, [build.size_of(mine, 2)])
    label = places // count
    number = build.vector(model, [build.size_of(best, 1)])
    rank = generate.range_([0], number, [1])
    keys = label * number + rank
    _, order = sort.top_k(keys, number, axis=1, largest=False)
    best, places = (index.gather_elements(v, order, axis=1) for v in (best, places))
    valid = best > lowest
    at = shape.transpose(index.non_zero(valid), perm=(1, 0))
    image = index.slice_(at, [1], [0], [1])
    place = shape.unsqueeze(index.gather_nd(places, at), [1])
    chosen = place // count
    box = place - chosen * count
    names = index.gather(model.constant(np.array(labels, kind)), chosen, axis=0)
    where = shape.concat(image, chosen, box, axis=1)
    exact = scores if len(labels) == classes else index.gather(scores, labels, axis=1)
    score = shape.unsqueeze(index.gather_nd(exact, where), [1])
    corners = index.gather_nd(bboxes, shape.concat(image, box, axis=1))
    rows = shape.concat(names, score, corners, axis=1)
    numbers = unary.cast(valid, dtype=Precision.INT32)
    results = rows, reduce.reduce_sum(numbers, [1], keepdim=False)
    if not return_index:
        return results
    position = shape.squeeze(image * count + box, [1])
    return *results, unary.cast(position, dtype=Precision.INT32)


def _boxes_in_order(boxes: Value) -> Value:
    """ONNX's suppression would swap the corners of a box with negative sides."""
    low, high = (index.slice_(boxes, [2], [k], [k + 2]) for k in (0, 2))
    return shape.concat(low, binary.max_(low, high), axis=2)


def _among_best(scores: Value, most: int, lowest: Value) -> Value:
    """Scores [N, C, M] of which all but the `most` best are lowest."""
    limit = _least(scores, build.size_of(scores, 2), most)
    best, places = sort.top_k(scores, limit, axis=2)
    empty = generate.fill_like(scores, lowest)
    return index.scatter_elements(empty, places, best, axis=2)


def _least(like: Value, count: build.Size, most: int) -> Value:
    """`most`, or `count` where that is less."""
    if isinstance(count, int):
        return build.vector(like.model, [count if most < 0 else min(count, most)])
    return count if most < 0 else binary.min_(count, [most])
