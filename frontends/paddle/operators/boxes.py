"""Arithmetic on boxes in converters: corners, sides, overlap."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.model import Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.types import Precision


def corners(boxes: Value, axis: int = -1) -> list[Value]:
    """Left, top, right and bottom, each with the axis of size 1."""
    place = axis_of(axis, boxes.rank)
    return [index.slice_(boxes, [place], [k], [k + 1]) for k in range(4)]


def plus(x: Value, value: float) -> Value:
    """A tensor and a number; nothing where the number is 0."""
    return x + value if value else x


def times(x: Value, value: float) -> Value:
    """A tensor times a number."""
    return x * value if value != 1 else x


def areas(boxes: Value, extra: float) -> Value:
    """Areas [..., 1]; 0 where a side is negative. `extra` is added to both sides."""
    left, top, right, bottom = corners(boxes)
    wide, high = right - left, bottom - top
    zero = boxes.scalar(0)
    empty = (wide < zero) | (high < zero)
    area = plus(wide, extra) * plus(high, extra)
    return compare.where(empty, zero, area)


def overlaps(boxes: Value, extra: float) -> Value:
    """Intersection over union of all pairs: [..., M, 4] to [..., M, M]."""
    a, b = shape.unsqueeze(boxes, [boxes.rank - 1]), shape.unsqueeze(boxes, [boxes.rank - 2])
    (l1, t1, r1, b1), (l2, t2, r2, b2) = corners(a), corners(b)
    wide = binary.min_(r1, r2) - binary.max_(l1, l2)
    high = binary.min_(b1, b2) - binary.max_(t1, t2)
    zero = boxes.scalar(0)
    apart = (wide < zero) | (high < zero)
    common = compare.where(apart, zero, plus(wide, extra) * plus(high, extra))
    area = areas(boxes, extra)  # [..., M, 1]
    both = shape.unsqueeze(area, [area.rank - 1]) + shape.unsqueeze(area, [area.rank - 2])
    ratio = common / (both - common)
    return shape.squeeze(compare.where(apart, zero, ratio), [boxes.rank])


def rounded_away(x: Value) -> Value:
    """The nearest whole number, halves away from zero, as C rounds."""
    return unary.sign(x) * unary.floor(plus(abs(x), 0.5))


def images_of(boxes: Value, boxes_num: Value | None) -> Value:
    """The image of every region, from how many regions each image has."""
    if boxes_num is None:
        rows = index.slice_(shape.shape(boxes, dtype=Precision.INT64), [0], [0], [1])
        return generate.fill(rows, boxes.model.constant(np.int64(0)))
    ends = reduce.cum_sum(boxes_num.cast(Precision.INT64), [0])
    steps = shape.unsqueeze(build.arange_along(boxes, 0), [1])
    passed = steps >= ends
    return reduce.reduce_sum(passed.cast(Precision.INT64), [1], keepdim=False)
