"""Boxes: anchors, decoding, suppression and pooling of regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Ints, Priors, Regions
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()


def _float32(g: Emitter, *values: Value) -> list[Ref]:
    if values[0].precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime has kernels on boxes for FLOAT32 only, not FLOAT64")
    return [g.cast(v, Precision.FLOAT32) for v in values]


def _one(g: Emitter, value: Value | None, precision: Precision) -> Ref | None:
    if value is None:
        return None
    flat = g.ints(1)
    return g.node("Reshape", g.cast(value, precision), flat)


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None,
    iou_threshold: Value | None,
    score_threshold: Value | None,
    *,
    center_point_box: bool,
) -> Ref:
    return g.node(
        "NonMaxSuppression",
        *_float32(g, boxes, scores),
        _one(g, max_output_boxes_per_class, Precision.INT64),
        _one(g, iou_threshold, Precision.FLOAT32),
        _one(g, score_threshold, Precision.FLOAT32),
        precision=Precision.INT64,
        center_point_box=center_point_box,
    )


@table.lower(detection.prior_box, how=Priors)
def prior_box(g: Emitter, input: Value, image: Value, *, how: Priors) -> Refs:
    return tuple(g.constant(a) for a in how.boxes(g.device, input, image))


@table.lower(detection.roi_align, detection.roi_align_max, how=Regions)
def roi_align(g: Emitter, input: Value, rois: Value, batch_indices: Value, *, how: Regions) -> Ref:
    x, regions = _float32(g, input, rois)
    result = g.node(
        "RoiAlign",
        *(x, regions, g.cast(batch_indices, Precision.INT64)),
        mode="avg" if g.operation.operator is detection.roi_align else "max",
        coordinate_transformation_mode="half_pixel" if how.aligned else "output_half_pixel",
        output_height=how.output_height,
        output_width=how.output_width,
        sampling_ratio=max(how.sampling_ratio, 0),
        spatial_scale=float(how.spatial_scale),
    )
    return g.cast(result, input.precision)


@table.lower(detection.max_roi_pool)
def max_roi_pool(
    g: Emitter, input: Value, rois: Value, *, pooled_shape: Ints, spatial_scale: float
) -> Ref:
    operands = _float32(g, input, rois)
    result = g.node(
        "MaxRoiPool", *operands, pooled_shape=list(pooled_shape), spatial_scale=float(spatial_scale)
    )
    return g.cast(result, input.precision)


@table.lower(detection.yolo_box)
def yolo_box(
    g: Emitter,
    input: Value,
    imgsize: Value,
    *,
    anchors: Ints,
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> Refs:
    """The formula of the reference, row by row of the head."""
    (x,) = _float32(g, input)
    height, width = windows.spatial_sizes("yolo_box", input)
    count = len(anchors) // 2
    make = _Head(g, x, count, class_num, height, width, iou_aware)
    sizes = g.node("Reshape", g.cast(imgsize, Precision.FLOAT32), make.integers([-1, 2, 1, 1, 1]))
    high, wide = (g.node("Gather", sizes, make.integers([k]), axis=1) for k in (0, 1))
    pairs = np.array(anchors, np.float32).reshape(1, count, 1, 1, 2)
    grids = np.arange(width).reshape(1, 1, 1, 1, -1), np.arange(height).reshape(1, 1, 1, -1, 1)
    shift = -0.5 * (scale_x_y - 1)
    edges, sides = [], []
    for k, (grid, cells, image) in enumerate(
        zip(grids, (width, height), (wide, high), strict=True)
    ):
        at = make.mul(make.sigmoid(make.part(k, 1)), scale_x_y)
        at = g.node("Div", make.add(at, grid + shift), make.number(cells))
        centre = g.node("Mul", at, image)
        anchor = np.moveaxis(pairs[..., k], -1, 2)[..., None] / (downsample_ratio * cells)
        side = g.node("Mul", make.mul(g.node("Exp", make.part(2 + k, 1)), anchor), image)
        half = make.mul(side, 0.5)
        edges.append(g.node("Sub", centre, half))
        sides.append(g.node("Add", centre, half))
    if clip_bbox:
        edges = [g.node("Max", e, make.number(0)) for e in edges]
        limits = [make.add(v, -1) for v in (wide, high)]
        sides = [g.node("Min", s, v) for s, v in zip(sides, limits, strict=True)]
    sure = make.sigmoid(make.part(4, 1))
    if iou_aware:
        found = make.sigmoid(make.ious())
        sure = g.node(
            "Mul",
            g.node("Pow", sure, make.number(1 - iou_aware_factor)),
            g.node("Pow", found, make.number(iou_aware_factor)),
        )
    low = g.node("Less", sure, make.number(conf_thresh))
    scores = g.node("Mul", make.sigmoid(make.part(5, class_num)), sure)
    boxes = g.node("Concat", *edges, *sides, axis=2)
    return tuple(g.cast(make.rows(v, low), input.precision) for v in (boxes, scores))


class _Head:
    """The head [N, anchors, 5 + classes, H, W] of a detector and arithmetic on it."""

    def __init__(
        self,
        g: Emitter,
        x: Ref,
        count: int,
        classes: int,
        height: int,
        width: int,
        iou_aware: bool,
    ) -> None:
        self.g = g
        self.shape = [-1, count, 5 + classes, height, width]
        self.first = x
        if iou_aware:
            cut = [self.integers([v]) for v in (count, np.iinfo(np.int64).max, 1)]
            x = g.node("Slice", x, *cut)
        self.head = g.node("Reshape", x, self.integers(self.shape))

    def integers(self, values: ArrayLike) -> Ref:
        return self.g.constant(np.array(values, np.int64))

    def number(self, value: ArrayLike) -> Ref:
        return self.g.constant(np.array(value, np.float32))

    def part(self, start: int, count: int) -> Ref:
        """Rows `start` to `start + count` of every anchor."""
        return self.g.node(
            "Slice", self.head, *(self.integers([v]) for v in (start, start + count, 2))
        )

    def ious(self) -> Ref:
        count = self.shape[1]
        cut = [self.integers([v]) for v in (0, count, 1)]
        found = self.g.node("Slice", self.first, *cut)
        return self.g.node("Reshape", found, self.integers([-1, count, 1, *self.shape[3:]]))

    def sigmoid(self, value: Ref) -> Ref:
        return self.g.node("Sigmoid", value)

    def mul(self, value: Ref, by: ArrayLike) -> Ref:
        return self.g.node("Mul", value, self.number(by))

    def add(self, value: Ref, more: ArrayLike) -> Ref:
        return self.g.node("Add", value, self.number(more))

    def rows(self, value: Ref, low: Ref) -> Ref:
        """[N, anchors, k, H, W] as [N, M, k], zero where `low`."""
        kept = self.g.where(low, self.number(0), value)
        moved = self.g.node("Transpose", kept, perm=[0, 1, 3, 4, 2])
        count = self.shape[1] * self.shape[3] * self.shape[4]
        last = self.g.node("Shape", moved, start=4)
        lead = self.g.node("Shape", moved, start=0, end=1)
        target = self.g.node("Concat", lead, self.integers([count]), last, axis=0)
        return self.g.node("Reshape", moved, target)
