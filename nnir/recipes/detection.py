"""Suppression of overlapping boxes, as TensorFlow and TFLite have it."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import ints
from ..dim import Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import activation, binary, compare, detection, index, reduce, shape, sort, unary
from ..types import Precision

F32, I32, I64 = Precision.FLOAT32, Precision.INT32, Precision.INT64
Scales = tuple[float, float, float, float]


def _vector_of_one(value: Value, to: Precision) -> Value:
    """A number as a vector of one."""
    return shape.reshape(value.cast(to), [1])


def suppress_overlaps(
    boxes: Value, scores: Value, limit: Value, overlap: Value, score: Value | None
) -> Value:
    """The boxes that stay, best first, as an int64 vector."""
    if boxes.rank != 2 or scores.rank != 1:
        raise BadType(f"suppression of {boxes.type} by {scores.type}")
    rows = detection.non_max_suppression_indices(
        shape.unsqueeze(boxes.cast(F32), [0]),
        shape.unsqueeze(scores.cast(F32), [0, 1]),
        _vector_of_one(limit, I64),
        _vector_of_one(overlap, F32),
        None if score is None else _vector_of_one(score, F32),
    )
    return shape.squeeze(index.slice_(rows, [1], [2], [3]), [1])


def suppress_by_corners(
    boxes: Value, scores: Value, *limits: Value | None, center_point_box: bool
) -> Value:
    """NON_MAX_SUPPRESSION_INDICES of boxes by their corners, where centre and size are given."""
    if not center_point_box:
        raise Unsupported(f"suppression of {boxes.type}, which have corners")
    centre, size = shape.split(boxes, [2, 2], axis=2)
    half = size / 2
    corners = shape.concat(centre - half, centre + half, axis=2)
    return detection.non_max_suppression_indices(corners, scores, *limits)


def move_empty_boxes(boxes: Value) -> Value:
    """Boxes [N, M, 4], of which those without an area, which overlap nothing, have one elsewhere.

    Some kernels take a box away by its overlap with itself.
    """
    low, high = (index.slice_(boxes, [2], [k], [k + 2]) for k in (0, 2))
    tall, wide = shape.split(unary.abs_(high - low), [1, 1], axis=2)
    far = reduce.reduce_max(unary.abs_(boxes), [0, 1, 2], keepdim=True) + 1
    steps = 2 * np.arange(1, boxes.sizes[1] + 1, dtype=np.float32)
    rows = [steps, np.zeros_like(steps), steps + 1, np.ones_like(steps)]
    return compare.where(tall * wide > 0, boxes, far * np.stack(rows, axis=1)[None])


def suppress_class_by_class(
    boxes: Value, scores: Value, *limits: Value | None, center_point_box: bool
) -> Value:
    """NON_MAX_SUPPRESSION_INDICES of the boxes of one class of one image after the other."""
    images, classes = scores.shape[:2]
    if isinstance(images, Expr) or isinstance(classes, Expr) or images * classes < 2:
        raise Unsupported(f"suppression by {scores.type}, which are not of several known classes")
    rows = []
    for image, label in np.ndindex(images, classes):
        own = index.slice_(boxes, [0], [image], [image + 1])
        mine = index.slice_(scores, [0, 1], [image, label], [image + 1, label + 1])
        found = detection.non_max_suppression_indices(
            own, mine, *limits, center_point_box=center_point_box
        )
        rows.append(found + np.array([image, label, 0], np.int64))
    return shape.concat(*rows, axis=0)


def rank_candidates(boxes: Value, scores: Value, least: Value | None) -> tuple[Value, Value, Value]:
    """The boxes [M, 4] of the only class of one image, best first, keys [M] and places [M].

    Keys fall from M to 1, so that equal scores keep their order; 0 is not above the least score.
    """
    count = scores.sizes[2]
    line = shape.reshape(scores, [count])
    best, places = sort.top_k(line, [count], axis=0, return_indices_dtype=I32)
    keys = scores.model.constant(np.arange(count, 0, -1, dtype=np.float32))
    if least is not None:
        keys = compare.where(best > shape.reshape(least, []), keys, 0.0)
    rows = shape.squeeze(move_empty_boxes(boxes), [0])
    return index.gather(rows, places, axis=0), keys, places


def pad_to_limit(found: Value, limit: Value, *, pads: bool) -> tuple[Value, Value]:
    """What was found, on request with zeros up to the limit, and how much it is."""
    count = shape.shape(found, dtype=I64)
    if pads:
        known = ints(limit)
        if known is None:
            raise NotConstant(f"suppression with pad_to_max_output_size up to {limit.type}")
        missing = found.model.constant(np.array([known[0]])) - count
        none = found.model.constant(np.zeros(1, np.int64))
        found = shape.pad(found, shape.concat(none, missing, axis=0))
        found = shape.reshape(found, [known[0]])
    return found, shape.reshape(count, []).cast(I32)


def suppress_padded(
    boxes: Value,
    scores: Value,
    max_output_size: Value,
    iou_threshold: Value,
    score_threshold: Value,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Value, Value]:
    """The boxes that stay, on request with zeros up to the limit, and how many they are."""
    found = suppress_overlaps(boxes, scores, max_output_size, iou_threshold, score_threshold)
    whole, count = pad_to_limit(found, max_output_size, pads=pad_to_max_output_size)
    return whole.cast(I32), count


def suppress_with_scores(
    boxes: Value,
    scores: Value,
    max_output_size: Value,
    iou_threshold: Value,
    score_threshold: Value,
    soft_nms_sigma: float,
    *,
    pad_to_max_output_size: bool = False,
) -> tuple[Value, Value, Value]:
    """The boxes that stay, their scores, and their number; see `suppress_padded`."""
    if soft_nms_sigma != 0:
        raise Unsupported(f"NonMaxSuppressionV5 with soft_nms_sigma={soft_nms_sigma}")
    found = suppress_overlaps(boxes, scores, max_output_size, iou_threshold, score_threshold)
    best = index.gather(scores, found)
    whole, count = pad_to_limit(found, max_output_size, pads=pad_to_max_output_size)
    best, _ = pad_to_limit(best, max_output_size, pads=pad_to_max_output_size)
    return whole.cast(I32), best, count


def suppress_by_class(
    boxes: Value,
    scores: Value,
    max_output_size_per_class: int,
    max_total_size: int,
    iou_threshold: Value,
    score_threshold: Value,
    *,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> tuple[Value, Value, Value, Value]:
    """Suppression class by class; the best of all classes of an image, then zeros.

    What goes gets the lowest score, so that the best of an image are those of its scores.
    """
    _, anchors, each, _ = boxes.shape
    classes = scores.shape[2]
    if isinstance(anchors, Expr) or isinstance(classes, Expr) or isinstance(each, Expr):
        raise NotConstant(f"suppression of {boxes.type} by {scores.type}")
    if each not in (1, classes):
        raise BadType(f"suppression of {boxes.type} by {scores.type}")
    model, images = boxes.model, build.size_of(boxes, 0)
    ranked = shape.transpose(scores, perm=(0, 2, 1))
    whole = shape.transpose(boxes, perm=(0, 2, 1, 3))
    groups = build.times(images, each)
    rows = detection.non_max_suppression_indices(
        build.reshape(whole, [groups, anchors, 4]),
        build.reshape(ranked, [groups, classes // each, anchors]),
        model.constant(np.array([max_output_size_per_class])),
        _vector_of_one(iou_threshold, F32),
        _vector_of_one(score_threshold, F32),
    )
    lowest = model.constant(np.array(-np.inf, scores.dtype))
    flat = build.reshape(ranked, [groups, classes // each, anchors])
    gone = binary.min_(flat, lowest)
    kept = index.scatter_nd(gone, rows, index.gather_nd(flat, rows))
    count = min(max_total_size, max_output_size_per_class * classes)
    taken = min(count, classes * anchors)
    best, at = sort.top_k(build.reshape(kept, [images, classes * anchors]), [taken], axis=1)
    good = best > lowest
    label = at // anchors
    box = at - label * anchors
    if each > 1:
        box = at
    found = index.gather_nd(
        build.reshape(whole, [images, each * anchors, 4]), shape.unsqueeze(box, [2]), batch_dims=1
    )
    zero = model.constant(np.zeros((), boxes.dtype))
    if clip_boxes:
        found = activation.clip(found, zero, 1)
    found = compare.where(shape.unsqueeze(good, [2]), found, zero)
    results = (
        found,
        compare.where(good, best, zero),
        compare.where(good, label.cast(scores.precision), zero),
    )
    wanted = count if pad_per_class else max_total_size
    corners_, bests, labels = (_pad_columns(v, wanted - taken) for v in results)
    valid = reduce.reduce_sum(good.cast(I32), [1], keepdim=False)
    return corners_, bests, labels, valid


def _pad_columns(x: Value, more: int) -> Value:
    """Zeros behind axis 1."""
    if not more:
        return x
    return shape.pad(x, [0, 0, 0, more, *(0, 0) * (x.rank - 2)])


def decode_anchored(boxes: Value, anchors: Value, scales: Scales) -> Value:
    """(y, x, height, width) relative to anchors as corners (ymin, xmin, ymax, xmax)."""
    model = boxes.model
    shifts, spans = shape.split(boxes, [2, 2], axis=-1)
    centers, extents = shape.split(anchors, [2, 2], axis=-1)
    steps = shifts / model.constant(np.array(scales[:2], np.float32))
    middle = steps * extents + centers
    grown = unary.exp(spans / model.constant(np.array(scales[2:], np.float32)))
    half = grown * 0.5 * extents
    return shape.concat(middle - half, middle + half, axis=-1)


def detect_by_anchors(
    encodings: Value,
    predictions: Value,
    anchors: Value,
    *,
    scales: Scales,
    max_detections: int,
    max_classes_per_detection: int,
    detections_per_class: int,
    nms_score_threshold: float,
    nms_iou_threshold: float,
    num_classes: int,
    use_regular_nms: bool,
) -> tuple[Value, Value, Value, Value]:
    """Boxes, classes, scores and their number, as TFLite and NNRt have them.

    Suppression goes class by class or by the best classes of each box. Background, where there
    are scores of it, comes first. `scales` divide y, x, height and width of the encodings.
    """
    count = predictions.shape[-1]
    if isinstance(count, Expr) or not 1 <= num_classes <= count:
        raise BadType(f"{num_classes} classes of {predictions.type}")
    if min(max_detections, max_classes_per_detection, detections_per_class) < 1:
        raise BadType("detections of no boxes or classes")
    boxes = decode_anchored(encodings, anchors, scales)
    scores = index.slice_(predictions, [-1], [count - num_classes], [count])
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
