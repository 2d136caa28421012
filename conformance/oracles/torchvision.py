"""torchvision's operators in plain PyTorch, by their definitions: its wheel needs CUDA."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Boxes by falling score, without those that overlap a better one too much."""
    area = (dets[:, 2] - dets[:, 0]) * (dets[:, 3] - dets[:, 1])
    kept: list[int] = []
    for k in scores.argsort(descending=True, stable=True).tolist():
        for other in kept:
            low = torch.maximum(dets[k, :2], dets[other, :2])
            high = torch.minimum(dets[k, 2:], dets[other, 2:])
            common = (high - low).clamp(min=0).prod()
            if common / (area[k] + area[other] - common) > iou_threshold:
                break
        else:
            kept.append(k)
    return torch.tensor(kept, dtype=torch.int64)


def _pixel(plane: Tensor, y: float, x: float) -> Tensor:
    """A bilinear value of [C, H, W]; 0 more than one pixel outside, the border else."""
    height, width = plane.shape[1:]
    if y < -1 or y > height or x < -1 or x > width:
        return torch.zeros(plane.shape[0])
    y, x = max(y, 0.0), max(x, 0.0)
    top, left = min(int(y), height - 1), min(int(x), width - 1)
    down, right = min(top + 1, height - 1), min(left + 1, width - 1)
    v = y - top if top < height - 1 else 0.0
    h = x - left if left < width - 1 else 0.0
    upper = plane[:, top, left] * (1 - h) + plane[:, top, right] * h
    lower = plane[:, down, left] * (1 - h) + plane[:, down, right] * h
    return upper * (1 - v) + lower * v


def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """The mean of samples in every bin."""
    result = torch.zeros(len(rois), input.shape[1], pooled_height, pooled_width)
    shift = 0.5 if aligned else 0.0
    for n, roi in enumerate(rois):
        image = input[int(roi[0])]
        x1, y1, x2, y2 = (float(v) * spatial_scale - shift for v in roi[1:])
        width, height = x2 - x1, y2 - y1
        if not aligned:
            width, height = max(width, 1.0), max(height, 1.0)
        tall, wide = height / pooled_height, width / pooled_width
        rows = sampling_ratio if sampling_ratio > 0 else math.ceil(tall)
        columns = sampling_ratio if sampling_ratio > 0 else math.ceil(wide)
        for i in range(pooled_height):
            for j in range(pooled_width):
                total = torch.zeros(input.shape[1])
                for a in range(rows):
                    for b in range(columns):
                        y = y1 + i * tall + (a + 0.5) * tall / rows
                        x = x1 + j * wide + (b + 0.5) * wide / columns
                        total += _pixel(image, y, x)
                result[n, :, i, j] = total / max(rows * columns, 1)
    return result


def _round_away(value: float) -> int:
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """The maximum of every bin and its position in the plane."""
    height, width = input.shape[2:]
    best = torch.zeros(len(rois), input.shape[1], pooled_height, pooled_width)
    where = torch.full(best.shape, -1, dtype=torch.int32)
    for n, roi in enumerate(rois):
        x1, y1, x2, y2 = (_round_away(float(v) * spatial_scale) for v in roi[1:])
        tall = max(y2 - y1 + 1, 1) / pooled_height
        wide = max(x2 - x1 + 1, 1) / pooled_width
        for i in range(pooled_height):
            for j in range(pooled_width):
                top = min(max(math.floor(i * tall) + y1, 0), height)
                bottom = min(max(math.ceil((i + 1) * tall) + y1, 0), height)
                left = min(max(math.floor(j * wide) + x1, 0), width)
                right = min(max(math.ceil((j + 1) * wide) + x1, 0), width)
                cut = input[int(roi[0]), :, top:bottom, left:right]
                if cut.numel():
                    values, at = cut.reshape(len(cut), -1).max(dim=1)
                    size = right - left
                    best[n, :, i, j] = values
                    where[n, :, i, j] = ((at // size + top) * width + at % size + left).int()
    return best, where


def ps_roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
) -> tuple[Tensor, Tensor]:
    """As roi_align, but every bin reads a channel of its own."""
    given = (spatial_scale, pooled_height, pooled_width, sampling_ratio, True)
    whole = roi_align(input, rois, *given)
    channels = input.shape[1] // (pooled_height * pooled_width)
    mapping = torch.arange(input.shape[1], dtype=torch.int32)
    mapping = mapping.reshape(channels, pooled_height, pooled_width)
    result = torch.zeros(len(rois), *mapping.shape)
    for i in range(pooled_height):
        for j in range(pooled_width):
            result[:, :, i, j] = whole[:, mapping[:, i, j].long(), i, j]
    return result, mapping.expand(len(rois), *mapping.shape)


def _tap(plane: Tensor, y: float, x: float) -> Tensor:
    """A bilinear value of [C, H, W]; everything outside is 0."""
    height, width = plane.shape[1:]
    top, left = math.floor(y), math.floor(x)
    total = torch.zeros(plane.shape[0])
    for row, v in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, h in ((left, 1 - (x - left)), (left + 1, x - left)):
            if 0 <= row < height and 0 <= column < width:
                total += plane[:, row, column] * v * h
    return total


def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """A convolution whose taps are moved by offsets."""
    batch, channels = input.shape[:2]
    kh, kw = weight.shape[2:]
    rows, columns = offset.shape[2:]
    each, inside = channels // offset_groups, channels // groups
    taps = torch.zeros(batch, channels, kh, kw, rows, columns)
    for n in range(batch):
        for g in range(offset_groups):
            part = input[n, g * each : (g + 1) * each]
            for k in range(kh * kw):
                at = g * kh * kw + k
                i, j = divmod(k, kw)
                for r in range(rows):
                    for c in range(columns):
                        y = r * stride_h - pad_h + i * dilation_h + float(offset[n, 2 * at, r, c])
                        shift = float(offset[n, 2 * at + 1, r, c])
                        x = c * stride_w - pad_w + j * dilation_w + shift
                        value = _tap(part, y, x)
                        if use_mask:
                            value = value * mask[n, at, r, c]
                        taps[n, g * each : (g + 1) * each, i, j, r, c] = value
    split = taps.reshape(batch, groups, inside, kh, kw, rows, columns)
    filters = weight.reshape(groups, weight.shape[0] // groups, inside, kh, kw)
    result = torch.einsum("ngcijrs,gocij->ngors", split, filters)
    return result.reshape(batch, weight.shape[0], rows, columns) + bias.reshape(-1, 1, 1)
