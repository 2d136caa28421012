"""Samples and maxima of regions of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .borders import count_beside

CHUNK = 1 << 24
"""So many samples are made at once."""


def _axis(
    start: torch.Tensor, length: torch.Tensor, bins: int, ratio: int, size: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Two neighbours [R, bins, S] of each sample on an axis, the weight of the second, which lie
    inside, and how many each region has."""
    step = length / bins
    if ratio > 0:
        count = torch.full_like(step, float(ratio))
        most = ratio
    else:
        count = torch.ceil(step)
        most = max(int(count.max().item()), 0) if count.numel() else 0
    number = count_beside(start, most).to(torch.float64)
    bin_at = start[:, None] + count_beside(start, bins) * step[:, None]
    inner = (number + 0.5) * (step / count.clamp(min=1))[:, None]
    at = bin_at[:, :, None] + inner[:, None, :]
    inside = (at >= -1) & (at <= size) & (number < count[:, None, None])
    positive = at.clamp(min=0)
    low = positive.to(torch.int64).clamp(max=max(size - 1, 0))
    part = torch.where(low >= size - 1, 0.0, positive - low)
    return low, (low + 1).clamp(max=max(size - 1, 0)), part, inside, count


def aligned_regions(
    x: torch.Tensor,
    rois: torch.Tensor,
    images: torch.Tensor,
    bins: Sequence[int],
    ratio: int,
    scale: float,
    aligned: bool,
    maximal: bool,
) -> torch.Tensor:
    """ROI_ALIGN, or with `maximal` the largest weighted neighbour of each bin."""
    corners = rois.to(torch.float64) * scale - (0.5 if aligned else 0.0)
    spans = corners[:, 2:] - corners[:, :2]
    spans = spans if aligned else spans.clamp(min=1.0)
    rows = _axis(corners[:, 1], spans[:, 1], bins[0], ratio, x.shape[2])
    columns = _axis(corners[:, 0], spans[:, 0], bins[1], ratio, x.shape[3])
    samples = rows[0].shape[2] * columns[0].shape[2]
    width = max(x.shape[1] * bins[0] * bins[1] * samples, 1)
    if ratio > 0 and torch.compiler.is_exporting():
        return _pool_bins(x, images, rows, columns, maximal)
    many = max(CHUNK // width, 1)
    parts = [
        _pool_bins(
            x,
            images[k : k + many],
            tuple(t[k : k + many] for t in rows),
            tuple(t[k : k + many] for t in columns),
            maximal,
        )
        for k in range(0, rois.shape[0], many)
    ]
    return torch.cat(parts) if parts else x.new_zeros([0, x.shape[1], *bins])


def _pool_bins(
    x: torch.Tensor,
    images: torch.Tensor,
    rows: tuple[torch.Tensor, ...],
    columns: tuple[torch.Tensor, ...],
    maximal: bool,
) -> torch.Tensor:
    """Means (or maxima) of [R, C, bins, S, bins, S]."""
    y0, y1, down, above, rows_count = rows
    x0, x1, across, beside, columns_count = columns
    inside = above[:, :, :, None, None] & beside[:, None, None]
    flat = x.flatten(2)[images]
    shape = (*x.shape[1:2], *inside.shape[1:])
    total: Any = 0
    found = None
    for row, vertical in ((y0, 1 - down), (y1, down)):
        for column, horizontal in ((x0, 1 - across), (x1, across)):
            weight = vertical[:, :, :, None, None] * horizontal[:, None, None]
            weight = torch.where(inside, weight, 0.0).to(x.dtype)[:, None]
            at = (row[:, :, :, None, None] * x.shape[3] + column[:, None, None]).flatten(1)
            values = torch.gather(flat, 2, at[:, None].expand(-1, x.shape[1], -1))
            part = values.reshape(len(images), *shape) * weight
            if not maximal:
                total = total + part
            else:
                found = part if found is None else torch.maximum(found, part)
    count = (rows_count * columns_count).clamp(min=1).to(x.dtype)[:, None, None, None]
    if found is None:
        return total.sum((3, 5)) / count
    if not found.numel():
        return found.new_zeros([*found.shape[:3], found.shape[4]])
    some = (rows_count * columns_count > 0)[:, None, None, None]
    # samples beyond those of a region are none of its
    counted = _count_mask(rows_count, y0.shape[2])[:, None, None, :, None, None]
    counted = counted & _count_mask(columns_count, x0.shape[2])[:, None, None, None, None, :]
    best = torch.where(counted, found, -torch.inf).amax((3, 5))
    return torch.where(some, best, 0.0)


def _count_mask(count: torch.Tensor, most: int) -> torch.Tensor:
    return count_beside(count, most) < count[:, None]


def _round_away(x: torch.Tensor) -> torch.Tensor:
    """Halves away from zero."""
    return torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x)).to(torch.int64)


def _bounds(
    start: torch.Tensor, end: torch.Tensor, bins: int, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The first element of each bin [R, bins], and the one behind the last."""
    length = (end - start + 1).clamp(min=1).to(torch.float32)
    step = (length / torch.tensor(bins, dtype=torch.float32))[:, None]
    number = count_beside(start, bins + 1).to(torch.float32)
    low = torch.floor(number[:-1] * step).to(torch.int64) + start[:, None]
    high = torch.ceil(number[1:] * step).to(torch.int64) + start[:, None]
    return low.clamp(0, size), high.clamp(0, size)


def maximal_regions(
    x: torch.Tensor, rois: torch.Tensor, bins: Sequence[int], scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """MAX_ROI_POOL, and where in its plane each maximum is."""
    height, width = x.shape[2:]
    wide = rois.to(torch.float32)
    scaled = _round_away(wide[:, 1:] * torch.tensor(scale, dtype=torch.float32))
    images = wide[:, 0].to(torch.int64)
    top, bottom = _bounds(scaled[:, 1], scaled[:, 3], bins[0], height)
    left, right = _bounds(scaled[:, 0], scaled[:, 2], bins[1], width)
    best = x.new_zeros([len(rois), x.shape[1], *bins])
    places = x.new_full(best.shape, -1, dtype=torch.int64)
    plane = count_beside(x, height * width).reshape(height, width)
    for n in range(len(rois)):
        for i in range(bins[0]):
            for j in range(bins[1]):
                rows = slice(int(top[n, i]), int(bottom[n, i]))
                columns = slice(int(left[n, j]), int(right[n, j]))
                cut = x[images[n], :, rows, columns].flatten(1)
                if cut.shape[1]:
                    where = cut.argmax(1)
                    best[n, :, i, j] = cut.gather(1, where[:, None])[:, 0]
                    places[n, :, i, j] = plane[rows, columns].reshape(-1)[where]
    return best, places
