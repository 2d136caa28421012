"""Paddle's region proposals, and how they are spread over the levels of a pyramid."""

from __future__ import annotations

import math

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadModel, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, detection, index, reduce, shape, sort, unary
from nnir.types import Precision

from ...table import Items, Pair, Table
from .boxes import areas, corners, images_of, plus, times
from .suppression import least

table = Table()
FARTHEST = math.log(1000.0 / 16.0)
"""Boxes grow by a factor of at most 62.5."""

MOST_LEVELS = 64
"""A pyramid of so many levels halves any image to nothing."""

WORST = -3e38
"""A score below that of any box."""


@table.convert("generate_proposals")
def generate_proposals(
    scores: Value,
    bbox_deltas: Value,
    im_shape: Value,
    anchors: Value,
    variances: Value,
    pre_nms_top_n: int,
    post_nms_top_n: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
    pixel_offset: bool,
) -> tuple[Value, Value, Value]:
    """The best boxes of every image, without those that are small or overlap a better one."""
    count = scores.shape[1]
    if isinstance(count, Expr) or nms_thresh <= 0:
        raise NotConstant(f"generate_proposals of {scores.type} with {nms_thresh=}")
    batch, _, rows, columns = build.sizes_of(scores)
    ranked = shape.flatten(shape.transpose(scores, perm=(0, 2, 3, 1)), start_axis=1, end_axis=3)
    cut = build.reshape(bbox_deltas, [batch, count, 4, rows, columns])
    deltas = build.reshape(shape.transpose(cut, perm=(0, 3, 4, 1, 2)), [batch, -1, 4])
    known, spread = (build.reshape(v, [-1, 4]) for v in (anchors, variances))
    size = build.size_of(ranked, 1)
    limit = least(scores.model, size, pre_nms_top_n if pre_nms_top_n > 0 else -1)
    best, places = sort.top_k(ranked, limit, axis=1)  # [N, M]
    extra = 1.0 if pixel_offset else 0.0
    anchor, factor = (index.gather(v, places, axis=0) for v in (known, spread))
    moved = index.gather_nd(deltas, shape.unsqueeze(places, [2]), batch_dims=1)
    plane = shape.unsqueeze(im_shape, [1])
    boxes = _clip_boxes(_apply_deltas(anchor, factor, moved, extra), plane, extra)
    valid = _large(boxes, plane, max(min_size, 1.0), pixel_offset)
    kept = compare.where(valid, best, -np.inf)
    most = post_nms_top_n if post_nms_top_n > 0 else -1
    found, counts = _suppress_boxes(boxes, kept, nms_thresh, eta, most, pixel_offset)
    return index.slice_(found, [1], [2], [6]), index.slice_(found, [1], [1], [2]), counts


def _suppress_boxes(
    boxes: Value, scores: Value, threshold: float, eta: float, most: int, pixel_offset: bool
) -> Pair:
    """Rows (0, score, box) and how many of each image; where none is left, one of zeros.

    That one goes in as the worst box of each image, and out again where there is another.
    """
    empty, last = boxes.scalar(0), scores.scalar(WORST)
    pads = [[0, 0, 0, 1, 0, 0], [0, 0, 0, 1]]
    both = (
        shape.pad(v, p, n) for v, p, n in zip((boxes, scores), pads, (empty, last), strict=True)
    )
    whole, ranked = both
    rows, counts = detection.non_max_suppression(
        whole,
        shape.unsqueeze(ranked, [1]),
        background_label=-1,
        score_threshold=float(np.finfo(np.float32).min),
        nms_top_k=-1,
        nms_threshold=threshold,
        nms_eta=eta,
        keep_top_k=most,
        normalized=not pixel_offset,
        return_index=False,
    )
    score = index.slice_(rows, [1], [1], [2])
    worst = score <= last
    images = images_of(rows, counts)
    several = index.gather(counts, images, axis=0) > np.int32(1)
    dropped = worst & shape.unsqueeze(several, [1])
    at = shape.squeeze(index.non_zero(~shape.squeeze(dropped, [1])), [0])
    cleared = compare.where(worst, 0, rows)
    own = compare.equal(shape.unsqueeze(images, [1]), build.arange_along(counts, 0))
    lost = reduce.reduce_sum((own & dropped).cast(Precision.INT32), [0], keepdim=False)
    return index.gather(cleared, at, axis=0), counts - lost


def _apply_deltas(anchors: Value, spread: Value, deltas: Value, extra: float) -> Value:
    """Anchors moved and stretched by deltas."""
    left, top, right, bottom = corners(anchors)
    wide, high = (plus(b - a, extra) for a, b in ((left, right), (top, bottom)))
    dx, dy, dw, dh = corners(deltas * spread)
    x = dx * wide + (left + times(wide, 0.5))
    y = dy * high + (top + times(high, 0.5))
    limit = deltas.scalar(FARTHEST)
    w, h = (times(unary.exp(binary.min_(d, limit)) * s, 0.5) for d, s in ((dw, wide), (dh, high)))
    parts = [x - w, y - h]
    parts += [plus(x + w, -extra), plus(y + h, -extra)]
    return shape.concat(*parts, axis=-1)


def _clip_boxes(boxes: Value, plane: Value, extra: float) -> Value:
    """Boxes [N, M, 4] within images of sizes (height, width) [N, 1, 2]."""
    limit = plus(index.gather(plane, [1, 0, 1, 0], axis=2), -extra)
    return activation.relu(binary.min_(boxes, limit))


def _large(boxes: Value, plane: Value, least: float, pixel_offset: bool) -> Value:
    """Whether boxes [N, M, 4] are large enough and, with whole pixels, have their middle inside."""
    left, top, right, bottom = corners(boxes)
    pairs = ((left, right, 1), (top, bottom, 0))
    good: list[Value] = []
    for start, end, axis in pairs:
        side = plus(end - start, 1.0 if pixel_offset else 0.0)
        good.append(side >= least)
        if pixel_offset:
            middle = start + times(side, 0.5)
            border = index.slice_(plane, [2], [axis], [axis + 1])
            good.append(middle <= border)
    whole = good[0]
    for other in good[1:]:
        whole = whole & other
    return shape.squeeze(whole, [2])


@table.convert("distribute_fpn_proposals")
def distribute_fpn_proposals(
    fpn_rois: Value,
    rois_num: Value | None,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool,
) -> tuple[list[Value], list[Value], Value]:
    """Regions by level, how many each image has there, and where each region went."""
    if rois_num is None:
        raise Unsupported("distribute_fpn_proposals without rois_num")
    if not 0 <= max_level - min_level < MOST_LEVELS:
        raise BadModel(f"distribute_fpn_proposals to levels {min_level} to {max_level}")
    scale = unary.sqrt(areas(fpn_rois, 1.0 if pixel_offset else 0.0))
    size = plus(times(scale, 1 / refer_scale), 1e-8)
    level = unary.floor(plus(unary.log2(size), float(refer_level)))
    bounds = (level.scalar(min_level), level.scalar(max_level))
    level = shape.squeeze(activation.clip(level, *bounds), [1])
    counts = rois_num.cast(Precision.INT64)
    ends = reduce.cum_sum(counts, [0])
    starts = ends - counts
    rows, numbers, places = [], [], []
    for k in range(min_level, max_level + 1):
        at = shape.squeeze(index.non_zero(compare.equal(level, k)), [0])
        places.append(at)
        rows.append(index.gather(fpn_rois, at, axis=0))
        column = shape.unsqueeze(at, [1])
        inside = (column >= starts) & (column < ends)
        numbers.append(reduce.reduce_sum(inside.cast(Precision.INT32), [0], keepdim=False))
    order = shape.concat(*places, axis=0) if len(places) > 1 else places[0]
    steps = build.arange_along(fpn_rois, 0)
    back = index.scatter_elements(steps, order, steps, axis=0)
    return rows, numbers, shape.unsqueeze(back, [1]).cast(Precision.INT32)


@table.convert("collect_fpn_proposals")
def collect_fpn_proposals(
    multi_level_rois: Items,
    multi_level_scores: Items,
    multi_level_rois_num: Items | None,
    post_nms_topn: int,
) -> Pair:
    """The best regions of all levels, image by image."""
    if multi_level_rois_num is None:
        raise Unsupported("collect_fpn_proposals without multi_level_rois_num")
    pairs = zip(multi_level_rois, multi_level_rois_num, strict=True)
    rois, scores, images = (
        shape.concat(*v, axis=0) if len(v) > 1 else v[0]
        for v in (
            multi_level_rois,
            [shape.reshape(s, [-1]) for s in multi_level_scores],
            [images_of(r, n) for r, n in pairs],
        )
    )
    size = build.vector(scores.model, [build.size_of(scores, 0)])
    limit = binary.min_(size, [post_nms_topn])
    _, order = sort.top_k(scores, limit, axis=0)
    own = index.gather(images, order, axis=0)
    _, by_image = sort.top_k(own, limit, axis=0, largest=False)
    order = index.gather(order, by_image, axis=0)
    numbers = build.arange_along(multi_level_rois_num[0], 0)
    same = compare.equal(shape.unsqueeze(own, [1]), numbers)
    counts = reduce.reduce_sum(same.cast(Precision.INT32), [0], keepdim=False)
    return index.gather(rois, order, axis=0), counts
