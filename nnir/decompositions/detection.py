"""Detection."""

from __future__ import annotations

import numpy as np

from .. import build
from ..decomposition import Level
from ..dim import Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import activation, binary, compare, generate, index, linear, reduce, shape, sort, unary
from ..ops.detection import (
    max_roi_pool,
    non_max_suppression,
    non_max_suppression_indices,
    prior_box,
    prior_boxes,
    roi_align,
)
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


@max_roi_pool.decomposes()
def _max_of_bins(
    input: Value, rois: Value, *, pooled_shape: tuple[int, ...], spatial_scale: float
) -> Value:
    """The maxima of the rows of each bin, then those of its columns."""
    regions = rois.cast(Precision.FLOAT32)
    image = index.slice_(regions, [1], [0], [1]).cast(Precision.INT64)
    best = index.gather(input, shape.squeeze(image, [1]), axis=0)
    corners = index.slice_(regions, [1], [1], [5]) * spatial_scale
    half = compare.where(corners < 0, corners.scalar(-0.5), corners.scalar(0.5))
    left, top, right, bottom = (
        index.slice_((corners + half).cast(Precision.INT64), [1], [k], [k + 1]) for k in range(4)
    )
    lowest, nothing = input.scalar(reduce.lowest(input.dtype)), input.scalar(0)
    filled: list[Value] = []
    for axis, start, end, count in zip(
        (2, 3), (top, left), (bottom, right), pooled_shape, strict=True
    ):
        ones = [-1 if k == axis else 1 for k in range(4)]
        positions = build.reshape(build.arange_along(input, axis), ones)
        low, high = _bins(start, end, count, build.size_of(input, axis))
        parts: list[Value] = []
        for k in range(count):
            first, last = (
                shape.unsqueeze(index.slice_(bound, [1], [k], [k + 1]), [2, 3])
                for bound in (low, high)
            )
            inside = (positions >= first) & (positions < last)
            chosen = compare.where(inside, best, lowest)
            parts.append(reduce.reduce_max(chosen, [axis], keepdim=True))
        best = shape.concat(*parts, axis=axis) if len(parts) > 1 else parts[0]
        filled.append(shape.unsqueeze(low < high, [1, 5 - axis]))
    return compare.where(filled[0] & filled[1], best, nothing)


def _bins(start: Value, end: Value, count: int, size: build.Size) -> tuple[Value, Value]:
    """Where the bins of a region [R, 1] begin and end: [R, count], inside of an axis."""
    step = binary.max_(end - start + 1, 1).cast(Precision.FLOAT32) / float(count)
    numbers = step.model.constant(np.arange(count + 1, dtype=np.float32))
    lower = unary.floor(index.slice_(numbers, [0], [0], [count]) * step)
    upper = unary.ceil(index.slice_(numbers, [0], [1], [count + 1]) * step)
    low, high = (
        binary.min_(binary.max_(bound.cast(Precision.INT64) + start, 0), size)
        for bound in (lower, upper)
    )
    return low, high


@roi_align.decomposes(level=Level.ROUNDING)
def _roi_align(
    input: Value,
    rois: Value,
    batch_indices: Value,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> Value:
    """Two matrix products: bilinear weights are those of rows times those of columns."""
    if sampling_ratio <= 0:
        raise Unsupported(f"roi_align with as many samples as each region of {rois.type} needs")
    n, channels, height, width = build.sizes_of(input)
    count = build.size_of(rois, 0)
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    corners = rois.cast(wide) * spatial_scale
    corners = corners - 0.5 if aligned else corners
    left, top, right, bottom = (index.slice_(corners, [1], [k], [k + 1]) for k in range(4))
    spans = (top, bottom, output_height, height), (left, right, output_width, width)
    rows, columns = (_region_weights(*span, sampling_ratio, is_aligned=aligned) for span in spans)
    last = shape.transpose(input.cast(wide), perm=(0, 2, 3, 1))
    planes = build.reshape(last, [n, height, build.times(width, channels)])
    lines = build.times(count, output_height)
    if n == 1:
        rows = build.reshape(rows, [1, lines, height])
    else:
        planes = index.gather(planes, batch_indices, axis=0)
    strips = build.reshape(linear.mat_mul(rows, planes), [lines, width, channels])
    tall = shape.unsqueeze(columns, [1])
    sizes = [count, output_height, output_width, width]
    each = shape.expand(tall, build.vector(input.model, sizes))
    each = build.reshape(each, [lines, output_width, width])
    found = linear.mat_mul(each, strips)
    result = build.reshape(found, [count, output_height, output_width, channels])
    return shape.transpose(result, perm=(0, 3, 1, 2)).cast(input.precision)


def _region_weights(
    start: Value, end: Value, bins: int, size: build.Size, ratio: int, *, is_aligned: bool
) -> Value:
    """[R, bins, size] for starts and ends [R, 1]: means of hats around the samples."""
    if not isinstance(size, int):
        raise NotConstant("the sizes of an image that regions are cut from")
    model, kind = start.model, start.dtype
    length = end - start
    length = length if is_aligned else binary.max_(length, length.scalar(1))
    at = np.arange(bins)[:, None] + (np.arange(ratio) + 0.5) / ratio
    places = start + length / bins * model.constant(at.reshape(-1).astype(kind))
    places = build.reshape(places, [build.size_of(start, 0), bins, ratio, 1])
    outside = (places < -1) | (places > size)
    inner = activation.clip(places, places.scalar(0), places.scalar(max(size - 1, 0)))
    line = model.constant(np.arange(size).astype(kind))
    hats = activation.relu(1 - abs(inner - line))
    kept = compare.where(outside, hats.scalar(0), hats)
    return reduce.reduce_sum(kept, [2], keepdim=False) / ratio


@prior_box.decomposes()
def _prior_box(
    input: Value,
    image: Value,
    *,
    min_sizes: tuple[float, ...],
    max_sizes: tuple[float, ...] | None,
    aspect_ratios: tuple[float, ...],
    variances: tuple[float, ...],
    flip: bool,
    clip: bool,
    step_w: float,
    step_h: float,
    offset: float,
    min_max_aspect_ratios_order: bool,
) -> tuple[Value, Value]:
    """Constants: they depend on sizes alone."""
    rows, columns = build.known_sizes(input, (2, 3))
    height, width = build.known_sizes(image, (2, 3))
    boxes, spread = prior_boxes(
        (rows, columns),
        (height, width),
        min_sizes=min_sizes,
        max_sizes=max_sizes,
        aspect_ratios=aspect_ratios,
        variances=variances,
        flip=flip,
        clip=clip,
        step_w=step_w,
        step_h=step_h,
        offset=offset,
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    made = (input.model.constant(a.astype(input.dtype)) for a in (boxes, spread))
    return next(made), next(made)
