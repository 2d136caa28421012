"""The head of a detector as boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..build import Size
from ..decomposition import Level
from ..model import Value
from ..ops import activation, binary, compare, detection, index, shape, unary
from ..types import Precision
from .real import OWN


@detection.yolo_box.decomposes(level=Level.ROUNDING)
def _yolo_box(
    input: Value,
    imgsize: Value,
    *,
    anchors: tuple[int, ...],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> tuple[Value, Value]:
    """Every row of the head as [N, anchors, rows, H, W]."""
    x = input.cast(input.precision if input.precision in OWN else Precision.FLOAT32)
    batch, _, height, width = build.sizes_of(x)
    count = len(anchors) // 2
    rest = index.slice_(x, [1], [count], [build.END]) if iou_aware else x
    head = build.reshape(rest, [batch, count, 5 + class_num, height, width])
    *places, confidence, classes = shape.split(head, [1, 1, 1, 1, 1, class_num], axis=2)
    sure = activation.sigmoid(confidence)
    if iou_aware:
        ious = index.slice_(x, [1], [0], [count])
        found = activation.sigmoid(build.reshape(ious, [batch, count, 1, height, width]))
        sure = sure ** (1 - iou_aware_factor) * found**iou_aware_factor
    images = build.reshape(imgsize.cast(x.precision), [-1, 2, 1, 1, 1])
    high, wide = shape.split(images, [1, 1], axis=1)
    near, far = [], []
    for k, (axis, cells, image) in enumerate(((4, width, wide), (3, height, high))):
        grid = build.arange_along(head, axis, x.precision, aligned=True)
        sigmoid = activation.sigmoid(places[k]) * scale_x_y
        centre = (grid + sigmoid - 0.5 * (scale_x_y - 1)) / _number(x, cells) * image
        anchor = np.array(anchors[k::2], x.dtype).reshape(1, count, 1, 1, 1)
        stride = _number(x, build.times(cells, downsample_ratio))
        half = unary.exp(places[2 + k]) * x.model.constant(anchor) / stride * image * 0.5
        first, last = centre - half, centre + half
        near.append(binary.max_(first, x.scalar(0)) if clip_bbox else first)
        far.append(binary.min_(last, image - 1) if clip_bbox else last)
    boxes, scores = shape.concat(*near, *far, axis=2), activation.sigmoid(classes) * sure
    rows = build.product([count, height, width])
    return tuple(  # type: ignore[return-value]  # two of them
        _as_rows(compare.where(sure < conf_thresh, v.scalar(0), v), [batch, rows, size]).cast(
            input.precision
        )
        for v, size in ((boxes, 4), (scores, class_num))
    )


def _number(like: Value, size: Size) -> Value:
    """A size as a number beside a tensor."""
    return build.vector(like.model, [size]).cast(like.precision)


def _as_rows(x: Value, sizes: Sequence[Size]) -> Value:
    """What lies on the third axis as the last one, for all places in a row."""
    return build.reshape(shape.transpose(x, perm=(0, 1, 3, 4, 2)), sizes)
