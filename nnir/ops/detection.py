"""Boxes: anchors, decoding, suppression and pooling of regions. The arithmetic is in `boxes`."""

from __future__ import annotations

import numpy as np

from ..dim import Dim, Expr, differ
from ..model import Value
from ..numeric import at_positions, wide
from ..operator import of_windows, operator, pairs, require
from ..types import Precision, TensorType
from . import boxes as arithmetic
from .rules import common_dim


def _non_max_suppression(
    bboxes: np.ndarray,
    scores: np.ndarray,
    rois_num: np.ndarray | None = None,
    *,
    return_index: bool,
    **rest: float,
) -> tuple[np.ndarray, ...]:
    rows: list[list[float]] = []
    index: list[int] = []
    counts = []
    if rois_num is None:
        images = [(bboxes[n][None], s, n * s.shape[1]) for n, s in enumerate(scores)]
    else:
        ends = np.cumsum(rois_num).tolist()
        spans = zip([0, *ends], ends, strict=False)
        images = [
            (bboxes[a:b].swapaxes(0, 1), scores[a:b].T, a * scores.shape[1]) for a, b in spans
        ]
    in_order = rois_num is not None
    for image, score, offset in images:
        found, where = arithmetic.multiclass(image, score, offset=offset, in_order=in_order, **rest)  # type: ignore[arg-type]
        rows += found
        index += where
        counts.append(len(found))
    output = np.array(rows, bboxes.dtype).reshape(-1, 6)
    results = output, np.array(counts, np.int32)
    return (*results, np.array(index, np.int32)) if return_index else results


@operator(steps=pairs, code=94, reference=_non_max_suppression, since="v1.1")
def non_max_suppression(
    bboxes: Value,
    scores: Value,
    rois_num: Value | None = None,
    *,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool,
    return_index: bool,
) -> tuple[TensorType, ...]:
    """Multi-class suppression of overlapping boxes (Paddle's multiclass_nms3).

    Types: float32 or float64 boxes and scores; counts and indices are int32.
    Shapes: boxes [N, M, 4] with scores [N, C, M], or with `rois_num` [B] boxes [M, C, 4] with
        scores [M, C]; rows (label, score, xmin, ymin, xmax, ymax) [No, 6], detections per image,
        with `return_index` also the box of each row.
    Edges: -1 for `background_label`, `nms_top_k`, `keep_top_k` is none; nothing found is [0, 6].
        Rows are in order of classes, within one of scores, or with `rois_num` of boxes.
    """
    require(bboxes.is_float and bboxes.precision == scores.precision, "boxes and scores of floats")
    ranks = (3, 3) if rois_num is None else (3, 2)
    require((bboxes.rank, scores.rank) == ranks, f"{bboxes.type} with {scores.type}")
    last = bboxes.shape[2]
    require(isinstance(last, Expr) or last == 4, f"boxes of 4 numbers, not {bboxes.type}")
    found: Dim = bboxes.model.fresh()
    images = bboxes.shape[0] if rois_num is None else rois_num.shape[0]
    results = (
        TensorType(bboxes.precision, (found, 6)),
        TensorType(Precision.INT32, (images,)),
    )
    return (*results, TensorType(Precision.INT32, (found,))) if return_index else results


def _select_boxes(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_boxes_per_class: np.ndarray | None = None,
    iou_threshold: np.ndarray | None = None,
    score_threshold: np.ndarray | None = None,
    *,
    center_point_box: bool,
) -> np.ndarray:
    limit = 0 if max_output_boxes_per_class is None else int(max_output_boxes_per_class.flat[0])
    bound = 0.0 if iou_threshold is None else float(iou_threshold.flat[0])
    if center_point_box:
        half = boxes[..., 2:] / 2
        corners = np.concatenate([boxes[..., :2] - half, boxes[..., :2] + half], axis=-1)
    else:
        low, high = boxes[..., :2], boxes[..., 2:]
        corners = np.concatenate([np.minimum(low, high), np.maximum(low, high)], axis=-1)
    rows = []
    for image, label in np.ndindex(scores.shape[:2]):
        mine = scores[image, label]
        good = np.arange(mine.size)
        if score_threshold is not None:
            good = np.flatnonzero(mine > score_threshold.flat[0])
        kept = arithmetic.suppress(corners[image], mine, good, limit, bound)
        rows += [(image, label, k) for k in kept]
    return np.array(rows, np.int64).reshape(-1, 3)


@operator(steps=pairs, code=1650, reference=_select_boxes)
def non_max_suppression_indices(
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None = None,
    iou_threshold: Value | None = None,
    score_threshold: Value | None = None,
    *,
    center_point_box: bool = False,
) -> TensorType:
    """Which boxes stay when those that overlap a better one of their class go (as in ONNX).

    Types: float32 boxes and scores; the result is int64.
    Shapes: boxes [N, M, 4], scores [N, C, M] to rows (image, class, box) [K, 3].
    Edges: boxes are two opposite corners, with `center_point_box` centre and size; without
        `max_output_boxes_per_class` nothing is kept; scores must be above `score_threshold`.
    """
    require(boxes.is_float and scores.is_float, f"suppression of {boxes.type} by {scores.type}")
    require(boxes.rank == 3 and scores.rank == 3, f"suppression of {boxes.type} by {scores.type}")
    require(not differ(boxes.shape[2], 4), f"boxes of 4 numbers, not {boxes.type}")
    common_dim((boxes.shape[0], scores.shape[0]), "suppression of images")
    common_dim((boxes.shape[1], scores.shape[2]), "suppression of boxes")
    limits = max_output_boxes_per_class, iou_threshold, score_threshold
    for limit in (v for v in limits if v is not None):
        is_number = all(size == 1 or isinstance(size, Expr) for size in limit.shape)
        require(is_number, f"suppression by the numbers of {limit.type}")
    return TensorType(Precision.INT64, (boxes.model.fresh(), 3))


def _suppress_boxes(boxes: np.ndarray, scores: np.ndarray, *, iou_threshold: float) -> np.ndarray:
    corners = np.concatenate([boxes[:, :2], np.maximum(boxes[:, :2], boxes[:, 2:])], axis=1)
    kept = arithmetic.suppress(corners, scores, np.arange(len(scores)), len(scores), iou_threshold)
    return np.array(kept, np.int64)


@operator(steps=pairs, code=1681, reference=_suppress_boxes)
def suppress_boxes(boxes: Value, scores: Value, *, iou_threshold: float) -> TensorType:
    """Which boxes stay when those that overlap a better one by more than a threshold go.

    Types: any floats; the result is int64.
    Shapes: boxes (x1, y1, x2, y2) [M, 4] and scores [M] to positions [K], best score first.
    Edges: a box with x2 < x1 or y2 < y1 overlaps nothing; equal scores keep their order.
    """
    fits = boxes.is_float and scores.is_float and boxes.rank == 2 and scores.rank == 1
    fits = fits and not differ(boxes.shape[1], 4)
    require(fits, f"suppress_boxes of {boxes.type} by {scores.type}")
    common_dim((boxes.shape[0], scores.shape[0]), "suppress_boxes")
    return TensorType(Precision.INT64, (boxes.model.fresh(),))


@suppress_boxes.decomposes()
def _suppress_corners(boxes: Value, scores: Value, *, iou_threshold: float) -> Value:
    """ONNX's suppression would swap the corners of a box with negative sides."""
    from . import binary, shape, unary  # which are not needed for the other operators
    from .index import slice_

    wide_boxes, wide_scores = (unary.cast(v, dtype=Precision.FLOAT32) for v in (boxes, scores))
    low, high = slice_(wide_boxes, [1], [0], [2]), slice_(wide_boxes, [1], [2], [4])
    corners = shape.unsqueeze(shape.concat(low, binary.max_(low, high), axis=1), [0])
    limit = boxes.model.constant(np.array([np.iinfo(np.int32).max], np.int64))
    bound = boxes.model.constant(np.array([iou_threshold], np.float32))
    ranked = shape.unsqueeze(wide_scores, [0, 1])
    rows = non_max_suppression_indices(corners, ranked, limit, bound)
    return shape.squeeze(slice_(rows, [1], [2], [3]), [1])


def ratios_of(aspect_ratios: tuple[float, ...], flip: bool) -> list[float]:
    """1, then every new ratio, with `flip` also its inverse."""
    ratios = [1.0]
    for ratio in aspect_ratios:
        if all(abs(ratio - r) >= 1e-6 for r in ratios):
            ratios += [ratio, 1 / ratio] if flip else [ratio]
    return ratios


def prior_boxes(
    feature: tuple[int, int],
    image_size: tuple[int, int],
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
) -> tuple[np.ndarray, np.ndarray]:
    """The anchors of a feature map of a size (height, width), and their variances."""
    ratios = ratios_of(aspect_ratios, flip)
    sides = []
    for k, small in enumerate(min_sizes):
        shaped = [(small * r**0.5, small / r**0.5) for r in ratios]
        square = [((small * max_sizes[k]) ** 0.5,) * 2] if max_sizes else []
        if min_max_aspect_ratios_order:
            sides += [shaped[0], *square, *shaped[1:]]
        else:
            sides += [*shaped, *square]
    half = np.array(sides).reshape(-1, 2) / 2
    (height, width), (rows, columns) = image_size, feature
    across = (np.arange(columns) + offset) * (step_w or width / max(columns, 1))
    down = (np.arange(rows) + offset) * (step_h or height / max(rows, 1))
    centre = np.stack(np.meshgrid(across, down), axis=-1)[:, :, None]
    boxes = np.concatenate([centre - half, centre + half], axis=-1)
    boxes = boxes / np.array([width, height, width, height])
    boxes = np.clip(boxes, 0, 1) if clip else boxes
    spread = np.broadcast_to(np.asarray(variances, np.float32), boxes.shape)
    return boxes.astype(np.float32), spread.copy()


def _prior_box(
    input: np.ndarray, image: np.ndarray, **attributes: object
) -> tuple[np.ndarray, ...]:
    boxes, spread = prior_boxes(input.shape[2:], image.shape[2:], **attributes)  # type: ignore[arg-type]
    return boxes.astype(input.dtype), spread.astype(input.dtype)


@operator(steps=pairs, code=58, reference=_prior_box)
def prior_box(
    input: Value,
    image: Value,
    *,
    min_sizes: tuple[float, ...],
    max_sizes: tuple[float, ...] | None = None,
    aspect_ratios: tuple[float, ...],
    variances: tuple[float, ...],
    flip: bool = False,
    clip: bool = False,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[TensorType, TensorType]:
    """Anchor boxes of an SSD detector for every position of a feature map.

    Types: any float; only the sizes of both operands matter.
    Shapes: [N, C, H, W] and [N, C, image height, image width] to twice [H, W, priors, 4]:
        (xmin, ymin, xmax, ymax) in parts of the image, and the variances repeated.
    Edges: a step of 0 is image size / feature size; ratios nearer than 1e-6 count once.
    """
    require(input.rank == 4 and image.rank == 4, f"prior_box of {input.type} and {image.type}")
    require(input.is_float, f"prior_box needs a float input, not {input.type}")
    fits = not max_sizes or len(max_sizes) == len(min_sizes)
    require(fits, f"prior_box with {len(max_sizes or ())} max_sizes for {len(min_sizes)}")
    require(len(variances) == 4, f"prior_box with variances={variances}: 4 are needed")
    count = len(ratios_of(aspect_ratios, flip)) * len(min_sizes) + len(max_sizes or ())
    result = input.type.with_shape((*input.shape[2:], count, 4))
    return result, result


@wide
def _roi_align(
    input: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> np.ndarray:
    bins = output_height, output_width
    shift = 0.5 if aligned else 0.0
    result = np.zeros((len(rois), input.shape[1], *bins), input.dtype)
    for n, (roi, image) in enumerate(zip(rois, batch_indices, strict=True)):
        corners = (roi.astype(np.float64) * spatial_scale - shift).tolist()
        with at_positions():
            plane = input[int(image)]
        parts, count = _region(plane, corners, bins, sampling_ratio, aligned=aligned)
        total = sum(value * weight for value, weight in parts)
        result[n] = np.sum(total, axis=(2, 4)) / max(count, 1)
    return result


def _region(
    plane: np.ndarray,
    corners: list[float],
    bins: tuple[int, int],
    ratio: int,
    *,
    aligned: bool,
) -> tuple[list[tuple[np.ndarray, np.ndarray]], int]:
    """Four neighbours [C, bins, samples, bins, samples] and their weights for a region."""
    left, top, right, bottom = corners
    axes = []
    count = 1
    spans = ((top, bottom), (left, right))
    for (start, end), number, size in zip(spans, bins, plane.shape[1:], strict=True):
        length = end - start if aligned else max(end - start, 1.0)
        at, samples = arithmetic.samples(start, length, number, ratio)
        axes.append(arithmetic.taps(at, size))
        count *= samples
    (y0, y1, y, above), (x0, x1, x, beside) = axes
    inside = ~(above[:, :, None, None] | beside)
    parts = []
    for row, down in ((y0, 1 - y), (y1, y)):
        for column, across in ((x0, 1 - x), (x1, x)):
            weight = np.where(inside, down[:, :, None, None] * across, 0).astype(plane.dtype)
            parts.append((plane[:, row[:, :, None, None], column], weight))
    return parts, count


def _check_rois(name: str, input: Value, rois: Value, columns: int) -> None:
    require(input.is_float and rois.is_float, f"{name} needs floats, not {input.type}")
    require(input.rank == 4 and rois.rank == 2, f"{name} of {input.type} with {rois.type}")
    require(0 not in input.shape[2:], f"{name} of {input.type}, which has no pixels")
    last = rois.shape[1]
    require(isinstance(last, Expr) or last == columns, f"{name} with regions {rois.type}")


def _check_images(name: str, rois: Value, images: Value) -> None:
    fits = images.rank == 1 and not differ(images.shape[0], rois.shape[0])
    require(fits, f"{name} of {rois.shape[0]} regions with images {images.type}")


@operator(steps=of_windows, code=70, reference=_roi_align)
def roi_align(
    input: Value,
    rois: Value,
    batch_indices: Value,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> TensorType:
    """Cut regions out and average bilinear samples in a grid of bins.

    Types: any floats; the result has the type of `input`.
    Shapes: [N, C, H, W], regions (x1, y1, x2, y2) [R, 4] and their images [R] to
        [R, C, output_height, output_width].
    Edges: without `aligned` a region is at least 1 wide and high, with it half a pixel is taken
        off; `sampling_ratio` 0 takes ceil(size / bins) samples a bin.
    """
    _check_rois("roi_align", input, rois, 4)
    fits = batch_indices.is_integer and batch_indices.rank == 1
    require(fits, f"roi_align with images {batch_indices.type}")
    _check_images("roi_align", rois, batch_indices)
    shape = (rois.shape[0], input.shape[1], output_height, output_width)
    return input.type.with_shape(shape)


@wide
def _roi_align_max(
    input: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> np.ndarray:
    bins = output_height, output_width
    shift = 0.5 if aligned else 0.0
    result = np.zeros((len(rois), input.shape[1], *bins), input.dtype)
    for n, (roi, image) in enumerate(zip(rois, batch_indices, strict=True)):
        corners = (roi.astype(np.float64) * spatial_scale - shift).tolist()
        with at_positions():
            plane = input[int(image)]
        parts, count = _region(plane, corners, bins, sampling_ratio, aligned=aligned)
        if count:
            best = np.stack([value * weight for value, weight in parts])
            result[n] = best.max(axis=(0, 3, 5))
    return result


@operator(steps=of_windows, code=1651, reference=_roi_align_max)
def roi_align_max(
    input: Value,
    rois: Value,
    batch_indices: Value,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> TensorType:
    """Cut regions out and take the largest weighted neighbour of the samples in a grid of bins.

    Types: any floats; the result has the type of `input`.
    Shapes: as ROI_ALIGN.
    Edges: as ROI_ALIGN; as in ONNX the four neighbours of a sample are not added up.
    """
    _check_rois("roi_align_max", input, rois, 4)
    require(batch_indices.is_integer, f"roi_align_max with images {batch_indices.type}")
    _check_images("roi_align_max", rois, batch_indices)
    shape = (rois.shape[0], input.shape[1], output_height, output_width)
    return input.type.with_shape(shape)


def _max_roi_pool(
    input: np.ndarray, rois: np.ndarray, *, pooled_shape: tuple[int, ...], spatial_scale: float
) -> np.ndarray:
    result = np.zeros((len(rois), input.shape[1], *pooled_shape), input.dtype)
    for n, roi in enumerate(rois.astype(np.float32)):
        scaled = roi[1:] * np.float32(spatial_scale)
        left, top, right, bottom = np.trunc(scaled + np.copysign(0.5, scaled)).astype(int).tolist()
        spans = zip((top, left), (bottom, right), pooled_shape, input.shape[2:], strict=True)
        rows, columns = (_spans(*span) for span in spans)
        for i, j in np.ndindex(*pooled_shape):
            cut = input[int(roi[0]), :, rows[i], columns[j]]
            if cut.size:
                result[n, :, i, j] = cut.max(axis=(1, 2))
    return result


def _spans(start: int, end: int, bins: int, size: int) -> list[slice]:
    step = np.float32(max(end - start + 1, 1)) / np.float32(bins)
    low = np.floor(np.arange(bins, dtype=np.float32) * step).astype(int) + start
    high = np.ceil(np.arange(1, bins + 1, dtype=np.float32) * step).astype(int) + start
    return [slice(a, b) for a, b in zip(low.clip(0, size), high.clip(0, size), strict=True)]


@operator(steps=pairs, code=1652, reference=_max_roi_pool)
def max_roi_pool(
    input: Value, rois: Value, *, pooled_shape: tuple[int, ...], spatial_scale: float = 1.0
) -> TensorType:
    """The maximum of each bin of regions, whose corners are rounded to whole elements.

    Types: any floats; the result has the type of `input`.
    Shapes: [N, C, H, W] and regions (image, x1, y1, x2, y2) [R, 5] to [R, C, *pooled_shape].
    Edges: an empty bin is 0.
    """
    _check_rois("max_roi_pool", input, rois, 5)
    require(len(pooled_shape) == 2, f"max_roi_pool with {pooled_shape=}: 2 numbers are needed")
    return input.type.with_shape((rois.shape[0], input.shape[1], *pooled_shape))


def _max_roi_positions(
    input: np.ndarray, rois: np.ndarray, *, pooled_shape: tuple[int, ...], spatial_scale: float
) -> np.ndarray:
    result = np.full((len(rois), input.shape[1], *pooled_shape), -1, np.int32)
    if not result.size:
        return result
    plane = np.arange(input[0, 0].size, dtype=np.int32).reshape(input.shape[2:])
    for n, roi in enumerate(rois.astype(np.float32)):
        scaled = roi[1:] * np.float32(spatial_scale)
        left, top, right, bottom = np.trunc(scaled + np.copysign(0.5, scaled)).astype(int).tolist()
        spans = zip((top, left), (bottom, right), pooled_shape, input.shape[2:], strict=True)
        rows, columns = (_spans(*span) for span in spans)
        for i, j in np.ndindex(*pooled_shape):
            cut = input[int(roi[0]), :, rows[i], columns[j]]
            if cut.size:
                best = cut.reshape(len(cut), -1).argmax(axis=1)
                result[n, :, i, j] = plane[rows[i], columns[j]].reshape(-1)[best]
    return result


@operator(steps=pairs, code=1680, reference=_max_roi_positions)
def max_roi_positions(
    input: Value, rois: Value, *, pooled_shape: tuple[int, ...], spatial_scale: float = 1.0
) -> TensorType:
    """Where in their planes (h * W + w) the maxima of MAX_ROI_POOL are.

    Types: any floats; the result is int32.
    Shapes: as MAX_ROI_POOL.
    Edges: an empty bin is -1; the first of equal elements counts.
    """
    _check_rois("max_roi_positions", input, rois, 5)
    require(len(pooled_shape) == 2, f"max_roi_positions with {pooled_shape=}: 2 are needed")
    return TensorType(Precision.INT32, (rois.shape[0], input.shape[1], *pooled_shape))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@wide
def _decode_boxes(
    input: np.ndarray,
    imgsize: np.ndarray,
    *,
    anchors: tuple[int, ...],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> np.ndarray:
    """Boxes and scores side by side: [N, M, 4 + class_num]."""
    batch, _, height, width = input.shape
    count = len(anchors) // 2
    ious = input[:, :count] if iou_aware else None
    head = input[:, count if iou_aware else 0 :].reshape(batch, count, 5 + class_num, height, width)
    grid = np.arange(width), np.arange(height)[:, None]
    sizes = imgsize.astype(input.dtype).reshape(batch, 2, 1, 1, 1)
    shift = -0.5 * (scale_x_y - 1)
    x = (grid[0] + _sigmoid(head[:, :, 0]) * scale_x_y + shift) / width * sizes[:, 1]
    y = (grid[1] + _sigmoid(head[:, :, 1]) * scale_x_y + shift) / height * sizes[:, 0]
    anchor = np.array(anchors, input.dtype).reshape(count, 2, 1, 1)
    w = np.exp(head[:, :, 2]) * anchor[:, 0] / (downsample_ratio * width) * sizes[:, 1]
    h = np.exp(head[:, :, 3]) * anchor[:, 1] / (downsample_ratio * height) * sizes[:, 0]
    sure = _sigmoid(head[:, :, 4])
    if ious is not None:
        sure = sure ** (1 - iou_aware_factor) * _sigmoid(ious) ** iou_aware_factor
    box = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=-1)
    if clip_bbox:
        box[..., :2] = np.maximum(box[..., :2], 0)
        box[..., 2] = np.minimum(box[..., 2], sizes[:, 1] - 1)
        box[..., 3] = np.minimum(box[..., 3], sizes[:, 0] - 1)
    scores = np.moveaxis(_sigmoid(head[:, :, 5:]), 2, -1) * sure[..., None]
    both = np.concatenate([box, scores], axis=-1)
    both = np.where((sure < conf_thresh)[..., None], 0, both)
    return both.reshape(batch, count * height * width, 4 + class_num).astype(input.dtype)


def _yolo_box(
    input: np.ndarray, imgsize: np.ndarray, **attributes: object
) -> tuple[np.ndarray, ...]:
    both = _decode_boxes(input, imgsize, **attributes)
    return np.ascontiguousarray(both[..., :4]), np.ascontiguousarray(both[..., 4:])


@operator(steps=pairs, code=95, reference=_yolo_box)
def yolo_box(
    input: Value,
    imgsize: Value,
    *,
    anchors: tuple[int, ...],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> tuple[TensorType, TensorType]:
    """Decode the head of a YOLOv3 detector into boxes in image pixels and class scores.

    Types: any float; `imgsize` integers (height, width) per image.
    Shapes: [N, anchors (5 + class_num), H, W], with `iou_aware` the IoU channels first, to
        [N, M, 4] and [N, M, class_num]; rows by anchor, then position.
    Edges: where the confidence is below `conf_thresh` boxes and scores are 0; clipping ends at
        the image size - 1.
    """
    require(input.is_float and input.rank == 4, f"yolo_box of {input.type}")
    count = len(anchors) // 2
    channels = count * ((6 if iou_aware else 5) + class_num)
    known = isinstance(input.shape[1], Expr) or input.shape[1] == channels
    require(known and len(anchors) % 2 == 0, f"yolo_box of {input.type}, not {channels} channels")
    rows = count * input.shape[2] * input.shape[3]
    lead = (input.shape[0], rows)
    return input.type.with_shape((*lead, 4)), input.type.with_shape((*lead, class_num))
