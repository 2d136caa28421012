"""Boxes: anchors, suppression and pooling of regions."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Regions
from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


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
    if max_output_boxes_per_class is None:
        most = g.scalar(0)
    else:
        most = g.reshape(g.int64(max_output_boxes_per_class), [])
    corners = g.cast(boxes, FLOAT32)
    if boxes.shape[2] != 4:  # OpenVINO wants to know the size of the axis
        corners = g.reshape(corners, [0, 0, 4], copy=True)
    found, _, count = g.node(
        "NonMaxSuppression",
        corners,
        g.cast(scores, FLOAT32),
        most,
        _above(g, _one(g, iou_threshold, 0.0)),
        _one(g, score_threshold, -3.4e38),
        outputs=3,
        box_encoding="center" if center_point_box else "corner",
        sort_result_descending=False,
        output_type="i64",
    )
    last = g.reshape(count.cast(Precision.INT64), [1])
    return g.node("Slice", found, g.ints(0), last, g.ints(1), g.ints(0))


def _above(g: Emitter, threshold: Ref) -> Ref:
    """The next float: OpenVINO suppresses at the threshold too, the standard above it."""
    return g.pair("Maximum", threshold * (1 + 2**-23), 2e-38)


def _one(g: Emitter, value: Value | None, default: float) -> Ref:
    if value is None:
        return g.constant(default, "float32")
    return g.reshape(g.cast(value, FLOAT32), [])


@table.lower(detection.roi_align, how=Regions)
def roi_align(g: Emitter, input: Value, rois: Value, batch_indices: Value, *, how: Regions) -> Ref:
    if not input.is_float:
        raise NoLowering(f"openvino: roi_align of {input.type}")
    made = g.node(
        "ROIAlign",
        *(g.cast(input, FLOAT32), g.cast(rois, FLOAT32), g.int64(batch_indices)),
        pooled_h=how.output_height,
        pooled_w=how.output_width,
        sampling_ratio=max(how.sampling_ratio, 0),
        spatial_scale=float(how.spatial_scale),
        aligned_mode="half_pixel_for_nn" if how.aligned else "asymmetric",
    )
    if how.aligned and how.sampling_ratio <= 0:
        made = _without_empty(g, made, g.cast(rois, FLOAT32))
    return made


def _without_empty(g: Emitter, made: Ref, rois: Ref) -> Ref:
    """0 for regions of no extent, in which nothing is sampled."""
    left, top, right, bottom = g.node("Split", rois, g.scalar(1), outputs=4, num_splits=4)
    flat = (right <= left) | (bottom <= top)
    return g.where(g.reshape(flat, [-1, 1, 1, 1]), 0, made)
