"""Operators on boxes: the standard's own, which no ONNX operator computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.ops import detection

from ...case import ROUNDS, Tolerance, f, i, rand
from .direct import DirectCase, DirectLimit

CLOSE = Tolerance(relative=2e-5, absolute=2e-5)
Rows = list[list[float]]


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def yolo_box(
    input: np.ndarray,
    imgsize: np.ndarray,
    *,
    anchors: tuple[int, ...],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    scale_x_y: float = 1.0,
    iou_aware: bool = False,
    iou_aware_factor: float = 0.5,
) -> list[np.ndarray]:
    """Position by position of the head."""
    batch, _, height, width = input.shape
    count = len(anchors) // 2
    boxes = np.zeros((batch, count * height * width, 4), input.dtype)
    scores = np.zeros((batch, count * height * width, class_num), input.dtype)
    for n, a, y, x in np.ndindex(batch, count, height, width):
        first = (count if iou_aware else 0) + a * (5 + class_num)
        tx, ty, tw, th, sure, *classes = input[n, first : first + 5 + class_num, y, x].tolist()
        confidence = _sigmoid(sure)
        if iou_aware:
            iou = _sigmoid(float(input[n, a, y, x]))
            confidence = confidence ** (1 - iou_aware_factor) * iou**iou_aware_factor
        if confidence < conf_thresh:
            continue
        high, wide = imgsize[n].tolist()
        cx = (x + _sigmoid(tx) * scale_x_y - (scale_x_y - 1) / 2) / width * wide
        cy = (y + _sigmoid(ty) * scale_x_y - (scale_x_y - 1) / 2) / height * high
        w = math.exp(tw) * anchors[2 * a] / (downsample_ratio * width) * wide
        h = math.exp(th) * anchors[2 * a + 1] / (downsample_ratio * height) * high
        box = [cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]
        if clip_bbox:
            low, most = (0, 0, -math.inf, -math.inf), (math.inf, math.inf, wide - 1, high - 1)
            box = [min(max(v, b), t) for v, b, t in zip(box, low, most, strict=True)]
        row = (a * height + y) * width + x
        boxes[n, row] = box
        scores[n, row] = [confidence * _sigmoid(c) for c in classes]
    return [boxes, scores]


def prior_box(
    input: np.ndarray,
    image: np.ndarray,
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
) -> list[np.ndarray]:
    """Position by position of the feature map."""
    (rows, columns), (height, width) = input.shape[2:], image.shape[2:]
    ratios = [1.0]
    for ratio in aspect_ratios:
        for new in (ratio, 1 / ratio) if flip else (ratio,):
            if min(abs(new - r) for r in ratios) >= 1e-6:
                ratios.append(new)
    result: list[Any] = []
    for y, x in np.ndindex(rows, columns):
        cx = (x + offset) * (step_w if step_w else width / columns)
        cy = (y + offset) * (step_h if step_h else height / rows)
        for k, small in enumerate(min_sizes):
            sides = [(small * math.sqrt(r), small / math.sqrt(r)) for r in ratios]
            if max_sizes:
                square = math.sqrt(small * max_sizes[k])
                sides.insert(1 if min_max_aspect_ratios_order else len(sides), (square, square))
            for w, h in sides:
                box = [(cx - w / 2) / width, (cy - h / 2) / height]
                box += [(cx + w / 2) / width, (cy + h / 2) / height]
                result.append([min(max(v, 0), 1) for v in box] if clip else box)
    priors = len(ratios) * len(min_sizes) + len(max_sizes or ())
    boxes = np.array(result, input.dtype).reshape(rows, columns, priors, 4)
    spread = np.zeros_like(boxes)
    for at in np.ndindex(*boxes.shape):
        spread[at] = variances[at[-1]]
    return [boxes, spread]


def _overlap(a: list[float], b: list[float], extra: float) -> float:
    """Intersection over union; boxes of nothing overlap nothing."""
    if b[0] > a[2] or b[2] < a[0] or b[1] > a[3] or b[3] < a[1]:
        return 0.0
    common = (min(a[2], b[2]) - max(a[0], b[0]) + extra) * (
        min(a[3], b[3]) - max(a[1], b[1]) + extra
    )
    areas = [(v[2] - v[0] + extra) * (v[3] - v[1] + extra) for v in (a, b)]
    union = sum(areas) - common
    return common / union if union > 0 else 0.0


def _kept(boxes: Rows, scores: list[float], attrs: dict[str, Any]) -> list[int]:
    """The boxes of one class that stay, best first."""
    good = [k for k, s in enumerate(scores) if s > np.float32(attrs["score_threshold"])]
    good.sort(key=lambda k: -scores[k])
    if attrs["nms_top_k"] >= 0:
        good = good[: attrs["nms_top_k"]]
    bound = attrs["nms_threshold"]
    kept: list[int] = []
    for k in good:
        extra = 0.0 if attrs["normalized"] else 1.0
        if all(_overlap(boxes[k], boxes[other], extra) <= bound for other in kept):
            kept.append(k)
            if attrs.get("nms_eta", 1.0) < 1 and bound > 0.5:
                bound *= attrs["nms_eta"]
    return kept


def suppression(
    bboxes: np.ndarray, scores: np.ndarray, rois_num: np.ndarray | None = None, **attrs: Any
) -> list[np.ndarray]:
    """Class by class of every image: Paddle's multiclass_nms3."""
    rows: list[list[float]] = []
    counts, places = [], []
    classes = scores.shape[1]
    starts = [0, *np.cumsum([] if rois_num is None else rois_num).tolist()]
    for n in range(len(bboxes) if rois_num is None else len(rois_num)):
        found = []
        for label in range(classes):
            if label == attrs["background_label"]:
                continue
            if rois_num is None:
                boxes, mine = bboxes[n].tolist(), scores[n, label].tolist()
            else:
                part = slice(starts[n], starts[n + 1])
                boxes, mine = bboxes[part, label].tolist(), scores[part, label].tolist()
            for k in _kept(boxes, mine, attrs):
                place = n * bboxes.shape[1] + k
                if rois_num is not None:
                    place = (starts[n] + k) * classes + label
                found.append((label, mine[k], boxes[k], place))
        if attrs["keep_top_k"] >= 0:
            found = sorted(found, key=lambda x: -x[1])[: attrs["keep_top_k"]]
        found.sort(key=lambda x: (x[0], 0 if rois_num is None else x[3]))
        rows += [[label, score, *box] for label, score, box, _ in found]
        places += [place for *_, place in found]
        counts.append(len(found))
    results = [np.array(rows, bboxes.dtype).reshape(-1, 6), np.array(counts, np.int32)]
    return [*results, np.array(places, np.int32)] if attrs["return_index"] else results


def _bilinear(plane: np.ndarray, y: float, x: float) -> float:
    """A sample; up to one element outside the border continues, farther out is 0."""
    total = 0.0
    if not (-1 <= y <= plane.shape[0] and -1 <= x <= plane.shape[1]):
        return total
    y, x = (min(max(v, 0.0), n - 1.0) for v, n in zip((y, x), plane.shape, strict=True))
    for row in (math.floor(y), math.floor(y) + 1):
        for column in (math.floor(x), math.floor(x) + 1):
            weight = (1 - abs(y - row)) * (1 - abs(x - column))
            if weight > 0:
                total += weight * float(plane[row, column])
    return total


def roi_align(
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
    """The mean of the samples, bin by bin."""
    result = np.zeros((len(rois), input.shape[1], output_height, output_width), input.dtype)
    for r, c, down_bin, right_bin in np.ndindex(*result.shape):
        shift = 0.5 if aligned else 0.0
        left, top, right, bottom = (float(v) * spatial_scale - shift for v in rois[r])
        least = -math.inf if aligned else 1.0
        high = max(bottom - top, least) / output_height
        wide = max(right - left, least) / output_width
        down = sampling_ratio if sampling_ratio > 0 else math.ceil(high)
        across = sampling_ratio if sampling_ratio > 0 else math.ceil(wide)
        plane = input[int(batch_indices[r]), c]
        total = 0.0
        for y, x in np.ndindex(max(down, 0), max(across, 0)):
            at = (
                top + (down_bin + (y + 0.5) / down) * high,
                left + (right_bin + (x + 0.5) / across) * wide,
            )
            total += _bilinear(plane, *at)
        result[r, c, down_bin, right_bin] = total / max(down * across, 1)
    return result


def _corners(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Boxes with their corners in order, many of which overlap."""
    low = rand(*shape, 2, seed=seed, low=0, high=scale)
    return np.concatenate([low, low + rand(*shape, 2, seed=seed + 1, low=0, high=scale)], axis=-1)


YOLO: dict[str, Any] = {
    "anchors": (10, 13, 16, 30, 33, 23),
    "class_num": 2,
    "conf_thresh": 0.3,
    "downsample_ratio": 32,
}
HEAD = rand(2, 21, 3, 5), i(90, 160, 33, 45, dtype=np.int32).reshape(2, 2)
AWARE = rand(2, 24, 3, 5), HEAD[1]
PRIOR: dict[str, Any] = {
    "min_sizes": (30.0, 60.0),
    "aspect_ratios": (2.0, 3.0),
    "variances": (0.1, 0.1, 0.2, 0.25),
}
MAPS = rand(1, 2, 3, 4), rand(1, 3, 60, 100)
NMS: dict[str, Any] = {
    "background_label": -1,
    "score_threshold": 0.1,
    "nms_top_k": -1,
    "nms_threshold": 0.3,
    "keep_top_k": -1,
    "normalized": True,
    "return_index": True,
}
FOUND = _corners(2, 12), rand(2, 3, 12, seed=3, low=0, high=1)
TIED = _corners(1, 8, seed=5), np.rint(rand(1, 2, 8, seed=6, low=0, high=4)).astype(np.float32) / 4
OWN = _corners(9, 3, seed=7), rand(9, 3, seed=8, low=0, high=1), i(4, 0, 5, dtype=np.int32)
FEATURES = rand(2, 3, 6, 7)
REGIONS = f(0, 0, 4, 5, 1.5, 2.25, 3, 4.5, -1, -2, 8, 9, 3, 3, 3, 3, 20, 20, 30, 30).reshape(5, 4)
IMAGES = i(0, 1, 0, 1, 0, dtype=np.int32)
ALIGN: dict[str, Any] = {
    "output_height": 2,
    "output_width": 3,
    "sampling_ratio": 2,
    "spatial_scale": 1.0,
    "aligned": False,
}


def _yolo(
    given: tuple[np.ndarray, ...], why: str, tol: Tolerance = CLOSE, **attrs: Any
) -> DirectCase:
    return DirectCase(detection.yolo_box, given, YOLO | attrs, yolo_box, tol, why)


def _prior(why: str, given: Any = MAPS, tol: Tolerance = ROUNDS, **attrs: Any) -> DirectCase:
    return DirectCase(detection.prior_box, given, PRIOR | attrs, prior_box, tol, why)


def _nms(why: str, given: Any = FOUND, **attrs: Any) -> DirectCase:
    return DirectCase(detection.non_max_suppression, given, NMS | attrs, suppression, why=why)


def _roi(why: str, kind: Any = np.float32, tol: Tolerance = CLOSE, **attrs: Any) -> DirectCase:
    given = FEATURES.astype(kind), REGIONS.astype(kind), IMAGES
    return DirectCase(detection.roi_align, given, ALIGN | attrs, roi_align, tol, why)


CASES = [
    _yolo(HEAD, "plain"),
    _yolo(HEAD, "no clipping", clip_bbox=False),
    _yolo(HEAD, "scaled centres", scale_x_y=1.2, clip_bbox=False),
    _yolo(HEAD, "everything is sure", conf_thresh=0.0),
    _yolo(HEAD, "nothing is sure", conf_thresh=1.0),
    _yolo(HEAD, "another ratio", downsample_ratio=8),
    _yolo(AWARE, "iou_aware", iou_aware=True),
    _yolo(AWARE, "iou_aware by 0.3", iou_aware=True, iou_aware_factor=0.3, scale_x_y=1.1),
    _yolo((HEAD[0][:, :7], HEAD[1]), "one anchor", anchors=(10, 13)),
    _yolo((HEAD[0], HEAD[1].astype(np.int64)), "int64 sizes"),
    _yolo((HEAD[0].astype(np.float64), HEAD[1]), "doubles"),
    _yolo((HEAD[0].astype(np.float16), HEAD[1]), "halves", Tolerance(3e-3, 3e-3)),
    _yolo((HEAD[0][:0], HEAD[1][:0]), "no images"),
    DirectCase(detection.yolo_box, AWARE, YOLO, why="too many channels", raises=BadType),
    DirectCase(detection.yolo_box, (HEAD[0][0], HEAD[1]), YOLO, why="rank 3", raises=BadType),
    _prior("plain"),
    _prior("flip", flip=True),
    _prior("flip, ratios that repeat", flip=True, aspect_ratios=(1.0, 2.0, 0.5, 2.0000001)),
    _prior("clip", clip=True),
    _prior("max_sizes", max_sizes=(50.0, 90.0)),
    _prior("Caffe's order", max_sizes=(50.0, 90.0), min_max_aspect_ratios_order=True, flip=True),
    _prior("steps", step_w=16.0, step_h=8.0),
    _prior("one step", step_w=16.0, offset=0.0),
    _prior("halves", tuple(m.astype(np.float16) for m in MAPS), Tolerance(1e-3)),
    _prior("no positions", (MAPS[0][:, :, :0], MAPS[1])),
    DirectCase(
        detection.prior_box, MAPS, PRIOR | {"max_sizes": (1.0,)}, why="one max_size", raises=BadType
    ),
    DirectCase(
        detection.prior_box, MAPS, PRIOR | {"variances": (1.0,)}, why="one variance", raises=BadType
    ),
    _nms("plain"),
    _nms("no index", return_index=False),
    _nms("background", background_label=1),
    _nms("background 0", background_label=0),
    _nms("few candidates", nms_top_k=4),
    _nms("no candidates", nms_top_k=0),
    _nms("few detections", keep_top_k=5),
    _nms("no detections", keep_top_k=0),
    _nms("nothing is good", score_threshold=2.0),
    _nms("everything overlaps", nms_threshold=0.0),
    _nms("nothing overlaps", nms_threshold=1.0),
    _nms("adaptive threshold", nms_threshold=0.8, nms_eta=0.7),
    _nms("pixels", (_corners(2, 12, scale=20.0), FOUND[1]), normalized=False),
    _nms("equal scores keep their order", TIED, keep_top_k=6),
    _nms("boxes per class", OWN),
    _nms("boxes per class, few", OWN, keep_top_k=4, nms_top_k=3, background_label=2),
    _nms("doubles", tuple(a.astype(np.float64) for a in FOUND)),
    _nms("no boxes", (FOUND[0][:, :0], FOUND[1][:, :, :0])),
    _nms("no images", (FOUND[0][:0], FOUND[1][:0])),
    DirectCase(
        detection.non_max_suppression,
        (rand(2, 5, 8), rand(2, 3, 5)),
        NMS,
        why="polygons",
        raises=BadType,
    ),
    _roi("plain"),
    *(
        DirectCase(
            detection.roi_align, (plane, REGIONS, IMAGES), ALIGN, roi_align, CLOSE, f"one {why}"
        )
        for plane, why in ((FEATURES[:, :, :1], "row"), (FEATURES[..., :1], "column"))
    ),
    _roi("aligned", aligned=True),
    _roi("as many samples as needed", sampling_ratio=0),
    _roi("as many as needed, aligned", sampling_ratio=-1, aligned=True),
    _roi("scaled", spatial_scale=0.5),
    _roi("scaled, aligned", spatial_scale=0.75, aligned=True, sampling_ratio=3),
    _roi("doubles", np.float64),
    _roi("halves", np.float16, Tolerance(2e-3, 2e-3)),
    DirectCase(
        detection.roi_align,
        (FEATURES, REGIONS[:0], IMAGES[:0]),
        ALIGN,
        roi_align,
        why="no regions",
    ),
    DirectCase(
        detection.roi_align, (FEATURES, REGIONS[:, :3], IMAGES), ALIGN, why="3 of 4", raises=BadType
    ),
    _nms("adaptive threshold of a half", nms_threshold=0.5, nms_eta=0.5),
    _nms("adaptive threshold that falls to a half", nms_threshold=1.0, nms_eta=0.5),
    _nms("pixels that touch", (np.round(_corners(2, 12, scale=2.0)), FOUND[1]), normalized=False),
    _nms("touching", (np.round(_corners(2, 12, scale=2.0)), FOUND[1])),
]
LIMITS = [
    *(
        DirectLimit(detection.non_max_suppression, "NonMaxSuppression has nothing like it", case=c)
        for c in ("adaptive threshold", "pixels", "boxes per class", "doubles")
    ),
]
