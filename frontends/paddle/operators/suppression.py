"""Paddle's suppression of overlapping boxes."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Model, Value
from nnir.ops import binary, compare, detection, index, reduce, shape, sort, unary
from nnir.types import Precision

from ...table import Table
from .boxes import overlaps

table = Table()


@table.convert("nms")
def nms(x: Value, threshold: float) -> Value:
    """The boxes come in order, the best one first."""
    steps = build.arange_along(x, 0, Precision.FLOAT32)
    return detection.suppress_boxes(x, -steps, iou_threshold=threshold)


@table.convert("multiclass_nms3")
def multiclass_nms3(
    bboxes: Value,
    scores: Value,
    rois_num: Value | None,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float,
    normalized: bool,
    nms_eta: float,
    background_label: int,
) -> tuple[Value, Value, Value]:
    rows, counts, places = detection.non_max_suppression(
        bboxes,
        scores,
        rois_num,
        background_label=background_label,
        score_threshold=score_threshold,
        nms_top_k=nms_top_k,
        nms_threshold=nms_threshold,
        nms_eta=nms_eta,
        keep_top_k=keep_top_k,
        normalized=normalized,
        return_index=True,
    )
    return rows, shape.unsqueeze(places, [1]), counts


@table.convert("matrix_nms")
def matrix_nms(
    bboxes: Value,
    scores: Value,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    post_threshold: float,
    use_gaussian: bool,
    gaussian_sigma: float,
    background_label: int,
    normalized: bool,
) -> tuple[Value, Value, Value]:
    """Scores shrink where a better box of their class overlaps (https://arxiv.org/abs/2003.10152)."""
    classes = scores.shape[1]
    if isinstance(classes, Expr):
        raise NotConstant(f"matrix_nms of {scores.type}, whose classes must be known")
    labels = [k for k in range(classes) if k != background_label]
    if not labels:
        raise BadType(f"matrix_nms of {scores.type} with {background_label=}")
    model = bboxes.model
    mine = scores if len(labels) == classes else index.gather(scores, labels, axis=1)
    count = build.size_of(bboxes, 1)
    ranked, places = sort.top_k(mine, least(model, count, nms_top_k), axis=2)  # [N, C, K]
    images = shape.unsqueeze(build.arange_along(bboxes, 0), [1, 1])
    boxes = index.gather_nd(bboxes, pairs(images, places))
    factor = decay(boxes, 0.0 if normalized else 1.0, gaussian_sigma if use_gaussian else None)
    shrunk = ranked * factor
    valid = ranked > score_threshold
    valid = valid & (shrunk > post_threshold)
    lowest = scores.scalar(-np.inf)
    flat = shape.flatten(compare.where(valid, shrunk, lowest), start_axis=1, end_axis=2)
    limit = least(model, build.size_of(flat, 1), keep_top_k)
    best, order = sort.top_k(flat, limit, axis=1)  # [N, keep]
    kept = best > lowest
    at = shape.transpose(index.non_zero(kept), perm=(1, 0))  # image by image, best first
    image = index.slice_(at, [1], [0], [1])
    chosen = shape.unsqueeze(index.gather_nd(order, at), [1])
    where = shape.concat(image, chosen, axis=1)
    length = build.vector(model, [build.size_of(ranked, 2)])
    kind = chosen // length
    cell = shape.concat(image, kind, chosen - kind * length, axis=1)
    label = index.gather(model.constant(np.array(labels, bboxes.dtype)), kind, axis=0)
    score = shape.unsqueeze(index.gather_nd(flat, where), [1])
    rows = shape.concat(label, score, index.gather_nd(boxes, cell), axis=1)
    first = image * build.vector(model, [count])
    place = first + shape.unsqueeze(index.gather_nd(places, cell), [1])
    counts = reduce.reduce_sum(kept.cast(Precision.INT32), [1], keepdim=False)
    return rows, place.cast(Precision.INT32), counts


def least(model: Model, count: build.Size, most: int) -> Value:
    """`most`, or `count` where that is less."""
    if isinstance(count, int):
        return build.vector(model, [count if most < 0 else min(count, most)])
    return count if most < 0 else binary.min_(count, [most])


def pairs(images: Value, places: Value) -> Value:
    """(image, place) of every place [N, ...]."""
    whole = images + (places - places)  # as large as the places
    return shape.stack(whole, places, axis=-1)


def decay(boxes: Value, extra: float, sigma: float | None) -> Value:
    """The least factor of each box [N, C, K] by the boxes in front of it."""
    ratio = overlaps(boxes, extra)  # [N, C, i, j]
    steps = build.arange_along(boxes, 2)
    before = steps < shape.unsqueeze(steps, [1])  # j < i
    zero, one = boxes.scalar(0), boxes.scalar(1)
    ratio = compare.where(before, ratio, zero)
    other = shape.unsqueeze(reduce.reduce_max(ratio, [3], keepdim=False), [2])
    if sigma is None:
        factor = (one - ratio) / (one - other)
    else:
        gap = unary.square(other) - unary.square(ratio)
        factor = unary.exp(gap * sigma)
    factor = binary.min_(compare.where(before, factor, one), one)
    return reduce.reduce_min(factor, [3], keepdim=False)
