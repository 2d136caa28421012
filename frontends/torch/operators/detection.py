"""Detection operators of torchvision."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import detection, linear, shape
from nnir.ops import index as ops
from nnir.recipes.conv import Slide, convolve_deformed
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("torchvision.nms.default")
def nms(dets: Value, scores: Value, iou_threshold: float) -> Value:
    return detection.suppress_boxes(dets, scores, iou_threshold=iou_threshold)


def regions(rois: Value) -> tuple[Value, Value]:
    """Corners [R, 4] and images [R] of rows (image, x1, y1, x2, y2)."""
    if rois.rank != 2 or not (rois.shape[1] == 5 or isinstance(rois.shape[1], Expr)):
        raise BadType(f"regions {rois.type}, where rows of 5 numbers are needed")
    images = shape.squeeze(ops.slice_(rois, [1], [0], [1]), [1])
    return ops.slice_(rois, [1], [1], [5]), images.cast(Precision.INT64)


@table.convert("torchvision.roi_align.default")
def roi_align(
    input: Value,
    rois: Value,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Value:
    corners, images = regions(rois)
    return detection.roi_align(
        input,
        corners,
        images,
        output_height=pooled_height,
        output_width=pooled_width,
        sampling_ratio=max(sampling_ratio, 0),
        spatial_scale=spatial_scale,
        aligned=aligned,
    )


@table.convert("torchvision.roi_pool.default")
def roi_pool(
    input: Value, rois: Value, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Value, Value]:
    bins = (pooled_height, pooled_width)
    best = detection.max_roi_pool(input, rois, pooled_shape=bins, spatial_scale=spatial_scale)
    where = detection.max_roi_positions(input, rois, pooled_shape=bins, spatial_scale=spatial_scale)
    return best, where


@table.convert("torchvision.ps_roi_align.default")
def ps_roi_align(
    input: Value,
    rois: Value,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
) -> tuple[Value, Value]:
    """Every bin reads a channel of its own: ROI_ALIGN of all channels, of which it takes one."""
    channels, bins = input.shape[1], pooled_height * pooled_width
    if isinstance(channels, Expr) or channels % bins:
        raise BadType(f"ps_roi_align of {input.type} into {bins} bins")
    given = (spatial_scale, pooled_height, pooled_width, sampling_ratio, True)
    whole = roi_align(input, rois, *given)
    split = shape.reshape(whole, [-1, channels // bins, bins, bins])
    own = linear.einsum(split, equation="rcbb->rcb")
    output = shape.reshape(own, [-1, channels // bins, pooled_height, pooled_width])
    mapping = np.arange(channels, dtype=np.int32).reshape(output.sizes[1:])
    count = shape.shape(rois, dtype=Precision.INT64)
    target = shape.concat(
        ops.slice_(count, [0], [0], [1]),
        input.model.constant(np.array(mapping.shape, np.int64)),
        axis=0,
    )
    return output, shape.expand(input.model.constant(mapping), target)


@table.convert("torchvision.deform_conv2d.default")
def deform_conv2d(
    input: Value,
    weight: Value,
    offset: Value,
    mask: Value,
    bias: Value,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Value:
    pads = pad_h, pad_h, pad_w, pad_w
    slide = Slide((stride_h, stride_w), pads, (dilation_h, dilation_w), groups)
    weights = mask if use_mask else None
    return convolve_deformed(input, offset, weights, weight, bias, slide, offset_groups)
