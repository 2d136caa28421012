"""Paddle's operators on boxes and regions of images."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, detection, index, linear, reduce, shape, unary

from ...table import Floats, Pair, Table
from . import proposals, suppression
from .boxes import corners, images_of, plus, rounded_away, times

table = Table()


@table.convert("yolo_box")
def yolo_box(
    x: Value,
    img_size: Value,
    anchors: tuple[int, ...],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> Pair:
    both: Pair = detection.yolo_box(
        x,
        img_size,
        anchors=anchors,
        class_num=class_num,
        conf_thresh=conf_thresh,
        downsample_ratio=downsample_ratio,
        clip_bbox=clip_bbox,
        scale_x_y=scale_x_y,
        iou_aware=iou_aware,
        iou_aware_factor=iou_aware_factor,
    )
    return both


@table.convert("prior_box")
def prior_box(
    input: Value,
    image: Value,
    min_sizes: Floats,
    max_sizes: Floats,
    aspect_ratios: Floats,
    variances: Floats,
    flip: bool,
    clip: bool,
    step_w: float,
    step_h: float,
    offset: float,
    min_max_aspect_ratios_order: bool,
) -> Pair:
    """One step that is 0 stands for both."""
    if not step_w or not step_h:
        step_w = step_h = 0.0
    both: Pair = detection.prior_box(
        input,
        image,
        min_sizes=min_sizes,
        max_sizes=max_sizes or None,
        aspect_ratios=aspect_ratios,
        variances=variances,
        flip=flip,
        clip=clip,
        step_w=step_w,
        step_h=step_h,
        offset=offset,
        min_max_aspect_ratios_order=min_max_aspect_ratios_order,
    )
    return both


@table.convert("anchor_generator")
def anchor_generator(
    input: Value,
    anchor_sizes: Floats,
    aspect_ratios: Floats,
    variances: Floats,
    stride: Floats,
    offset: float,
) -> Pair:
    """Anchors of every position of a feature map, whose size must be known."""
    height, width = input.shape[2:]
    if isinstance(height, Expr) or isinstance(width, Expr):
        raise NotConstant(f"anchor_generator of {input.type}")
    step_w, step_h = stride
    sides = []
    for ratio in aspect_ratios:
        base_w = np.floor((step_w * step_h / ratio) ** 0.5 + 0.5)
        base_h = np.floor(base_w * ratio + 0.5)
        sides += [(size / step_w * base_w, size / step_h * base_h) for size in anchor_sizes]
    half = (np.array(sides).reshape(-1, 2) - 1) / 2
    across = np.arange(width) * step_w + offset * (step_w - 1)
    down = np.arange(height) * step_h + offset * (step_h - 1)
    centre = np.stack(np.meshgrid(across, down), axis=-1)[:, :, None]
    boxes = np.concatenate([centre - half, centre + half], axis=-1).astype(input.dtype)
    spread = np.broadcast_to(np.asarray(variances, input.dtype), boxes.shape)
    return input.model.constant(boxes), input.model.constant(spread.copy())


@table.convert("box_coder")
def box_coder(
    prior_box: Value,
    prior_box_var: Value | None,
    target_box: Value,
    code_type: str,
    box_normalized: bool,
    axis: int,
    variance: Floats,
) -> Value:
    """Boxes relative to anchors, or back; the variances are of each anchor or of all."""
    extra = 0.0 if box_normalized else 1.0
    spread = prior_box_var
    if spread is None and variance:
        spread = target_box.model.constant(np.array([variance], target_box.dtype))
    match code_type:
        case "encode_center_size":
            anchors, targets = (
                shape.unsqueeze(v, [k]) for k, v in enumerate((prior_box, target_box))
            )
            code = encode_boxes(anchors, targets, extra)
            return code if spread is None else code / spread
        case "decode_center_size":
            anchors = shape.unsqueeze(prior_box, [axis])
            if spread is not None:
                lay = spread if prior_box_var is None else shape.unsqueeze(spread, [axis])
                target_box = target_box * lay
            return decode_boxes(anchors, target_box, extra)
    raise Unsupported(f"box_coder with {code_type=}")


def encode_boxes(anchors: Value, targets: Value, extra: float) -> Value:
    """Distances of centres and logarithms of sizes, in sizes of the anchors."""
    left, top, right, bottom = corners(anchors)
    wide, high = (plus(b - a, extra) for a, b in ((left, right), (top, bottom)))
    x, y = left + times(wide, 0.5), top + times(high, 0.5)
    l2, t2, r2, b2 = corners(targets)
    w2, h2 = (plus(b - a, extra) for a, b in ((l2, r2), (t2, b2)))
    x2, y2 = (times(a + b, 0.5) for a, b in ((l2, r2), (t2, b2)))
    parts = [(x2 - x) / wide, (y2 - y) / high]
    parts += [unary.log(abs(b / a)) for a, b in ((wide, w2), (high, h2))]
    return shape.concat(*parts, axis=-1)


def decode_boxes(anchors: Value, code: Value, extra: float) -> Value:
    """The inverse of `encode_boxes`."""
    left, top, right, bottom = corners(anchors)
    wide, high = (plus(b - a, extra) for a, b in ((left, right), (top, bottom)))
    dx, dy, dw, dh = corners(code)
    x = dx * wide + (left + times(wide, 0.5))
    y = dy * high + (top + times(high, 0.5))
    w, h = (times(unary.exp(d) * s, 0.5) for d, s in ((dw, wide), (dh, high)))
    parts = [x - w, y - h]
    parts += [plus(x + w, -extra), plus(y + h, -extra)]
    return shape.concat(*parts, axis=-1)


@table.convert("roi_align")
def roi_align(
    x: Value,
    boxes: Value,
    boxes_num: Value | None,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
) -> Value:
    return detection.roi_align(
        x,
        boxes,
        images_of(boxes, boxes_num),
        output_height=pooled_height,
        output_width=pooled_width,
        sampling_ratio=max(sampling_ratio, 0),
        spatial_scale=spatial_scale,
        aligned=aligned,
    )


@table.convert("roi_pool")
def roi_pool(
    x: Value,
    boxes: Value,
    boxes_num: Value | None,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
) -> Value:
    images = shape.unsqueeze(images_of(boxes, boxes_num), [1]).cast(boxes.precision)
    rows = shape.concat(images, boxes, axis=1)
    bins = (pooled_height, pooled_width)
    return detection.max_roi_pool(x, rows, pooled_shape=bins, spatial_scale=spatial_scale)


@table.convert("psroi_pool")
def psroi_pool(
    x: Value,
    boxes: Value,
    boxes_num: Value | None,
    pooled_height: int,
    pooled_width: int,
    output_channels: int,
    spatial_scale: float,
) -> Value:
    """The mean of every bin in a channel of its own, by masks of rows and columns."""
    bins = pooled_height * pooled_width
    if isinstance(x.shape[1], int) and x.shape[1] != output_channels * bins:
        raise BadType(f"psroi_pool of {x.type} into {output_channels} channels of {bins} bins")
    planes = index.gather(x, images_of(boxes, boxes_num), axis=0)
    rows, columns = build.sizes_of(x)[2:]
    cut = build.reshape(planes, [-1, output_channels, pooled_height, pooled_width, rows, columns])
    left, top, right, bottom = (rounded_away(v) for v in corners(boxes))
    down = bin_masks(x, 2, top, bottom, pooled_height, spatial_scale)
    across = bin_masks(x, 3, left, right, pooled_width, spatial_scale)
    total = linear.einsum(cut, down, across, equation="rcijyx,riy,rjx->rcij")
    counts = [reduce.reduce_sum(m, [2], keepdim=False) for m in (down, across)]
    area = shape.unsqueeze(counts[0], [1, 3]) * shape.unsqueeze(counts[1], [1, 1])
    one = x.scalar(1)
    mean = total / binary.max_(area, one)
    return compare.where(area < one, 0, mean)


def bin_masks(x: Value, axis: int, start: Value, end: Value, bins: int, scale: float) -> Value:
    """1 where an element of an axis lies in a bin [R, bins, size]."""
    first, last = times(start, scale), times(plus(end, 1), scale)
    step = times(binary.max_(last - first, 0.1), 1.0)
    step = step / bins
    places = x.model.constant(np.arange(bins, dtype=x.dtype))
    low = unary.floor(places * step + first)
    high = unary.ceil(plus(places, 1) * step + first)
    at = build.arange_along(x, axis, x.precision)
    low, high = (shape.unsqueeze(v, [2]) for v in (low, high))
    return (at >= low).cast(x.precision) * (at < high).cast(x.precision)


table = Table.merge([table, proposals.table, suppression.table])
