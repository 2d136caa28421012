"""Boxes: anchors, suppression and pooling of regions."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import detection
from nnir.types import Precision

from ...attributes import Floats
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


@table.lower(detection.non_max_suppression_indices)
def non_max_suppression_indices(
    g: Emitter,
    boxes: Value,
    scores: Value,
    max_output_boxes_per_class: Value | None = None,
    iou_threshold: Value | None = None,
    score_threshold: Value | None = None,
    *,
    center_point_box: bool,
) -> Ref:
    if max_output_boxes_per_class is None:
        most = g.scalar(0)
    else:
        most = g.reshape(g.int64(max_output_boxes_per_class), [])
    found, _, count = g.node(
        "NonMaxSuppression",
        g.cast(boxes, FLOAT32),
        g.cast(scores, FLOAT32),
        most,
        _above(g, _one(g, iou_threshold, 0.0)),
        _one(g, score_threshold, -3.4e38),
        outputs=3,
        box_encoding="center" if center_point_box else "corner",
        sort_result_descending=False,
        output_type="i64",
    )
    last = g.reshape(g.cast(count, Precision.INT64), [1])
    return g.node("Slice", found, g.ints(0), last, g.ints(1), g.ints(0))


def _above(g: Emitter, threshold: Ref) -> Ref:
    """The next float: OpenVINO suppresses at the threshold too, the standard above it."""
    grown = g.pair("Multiply", threshold, g.number(1 + 2**-23, threshold))
    return g.pair("Maximum", grown, g.number(2e-38, threshold))


def _one(g: Emitter, value: Value | None, default: float) -> Ref:
    if value is None:
        return g.constant(default, "float32")
    return g.reshape(g.cast(value, FLOAT32), [])


@table.lower(detection.prior_box)
def prior_box(
    g: Emitter,
    input: Value,
    image: Value,
    *,
    min_sizes: Floats,
    max_sizes: Floats | None,
    aspect_ratios: Floats,
    variances: Floats,
    flip: bool,
    clip: bool,
    step_w: float,
    step_h: float,
    offset: float,
    min_max_aspect_ratios_order: bool,
) -> Refs:
    """Constants: the result depends on the sizes only."""
    feature, size = (windows.sized("prior_box", v) for v in (input, image))
    found = detection.prior_boxes(
        (feature[0], feature[1]),
        (size[0], size[1]),
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
    return tuple(g.constant(f.astype(input.dtype)) for f in found)


@table.lower(detection.roi_align)
def roi_align(
    g: Emitter,
    input: Value,
    rois: Value,
    batch_indices: Value,
    *,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    aligned: bool,
) -> Ref:
    if not input.is_float:
        raise NoLowering(f"openvino: roi_align of {input.type}")
    made = g.node(
        "ROIAlign",
        g.cast(input, FLOAT32),
        g.cast(rois, FLOAT32),
        g.int64(batch_indices),
        pooled_h=output_height,
        pooled_w=output_width,
        sampling_ratio=max(sampling_ratio, 0),
        spatial_scale=float(spatial_scale),
        mode="avg",
        aligned_mode="half_pixel_for_nn" if aligned else "asymmetric",
    )
    if aligned and sampling_ratio <= 0:
        made = _without_empty(g, made, g.cast(rois, FLOAT32))
    return g.cast(made, input.precision)


def _without_empty(g: Emitter, made: Ref, rois: Ref) -> Ref:
    """0 for regions of no extent, in which nothing is sampled."""
    left, top, right, bottom = g.node("Split", rois, g.scalar(1), outputs=4, num_splits=4)
    flat = g.pair("LogicalOr", g.pair("LessEqual", right, left), g.pair("LessEqual", bottom, top))
    return g.where(g.reshape(flat, [-1, 1, 1, 1]), g.number(0, made), made)
