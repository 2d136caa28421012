"""Deformable convolution by samples between pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .borders import count_beside


def deform(
    x: torch.Tensor,
    offset: torch.Tensor,
    mask: torch.Tensor,
    weight: torch.Tensor,
    starts: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
    parts: int,
) -> torch.Tensor:
    """The products of filters with taps that are shifted by offsets and weighted by a mask."""
    batch, channels = x.shape[:2]
    (kh, kw), (oh, ow) = weight.shape[2:], offset.shape[2:]
    shifts = offset.reshape(batch, parts, kh, kw, 2, oh, ow)
    rows = _grid(oh, kh, strides[0], dilations[0], starts[0], x).reshape(kh, 1, oh, 1)
    columns = _grid(ow, kw, strides[1], dilations[1], starts[1], x).reshape(1, kw, 1, ow)
    split = x.reshape(batch, parts, channels // parts, x.shape[2], x.shape[3])
    sampled = sampled_at(split, shifts[:, :, :, :, 0] + rows, shifts[:, :, :, :, 1] + columns)
    sampled = sampled * mask.reshape(batch, parts, 1, kh, kw, oh, ow)
    flat = sampled.reshape(batch, group, channels // group * kh * kw, oh * ow)
    filters = weight.reshape(group, weight.shape[0] // group, channels // group * kh * kw)
    return torch.matmul(filters, flat).reshape(batch, weight.shape[0], oh, ow)


def _grid(
    out: int, kernel: int, stride: int, dilation: int, start: int, like: torch.Tensor
) -> torch.Tensor:
    windows = count_beside(like, out) * stride - start
    taps = count_beside(like, kernel) * dilation
    return (taps[:, None] + windows).to(like.dtype)


def sampled_at(x: torch.Tensor, y: torch.Tensor, across: torch.Tensor) -> torch.Tensor:
    """Bilinear samples of [N, G, C, H, W] at positions [N, G, ...]; zero outside."""
    height, width = x.shape[3:]
    top, left = torch.floor(y), torch.floor(across)
    planes = x.flatten(3)
    total: Any = 0
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, right in ((left, 1 - (across - left)), (left + 1, across - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            at = torch.where(inside, row * width + column, 0.0).to(torch.int64)
            weight = torch.where(inside, down * right, 0.0)
            flat = at.flatten(2)[:, :, None].expand(-1, -1, x.shape[2], -1)
            found = torch.gather(planes, 3, flat)
            total = total + found.reshape(*x.shape[:3], *y.shape[2:]) * weight[:, :, None]
    return total
