"""Functions of tensors and sizes that are known only while running."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch


def reshape_to(x: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """RESHAPE: a 0 copies a size."""
    return x.reshape([x.shape[k] if n == 0 else n for k, n in enumerate(sizes)])


def count_beside(x: torch.Tensor, count: int) -> torch.Tensor:
    """0, 1, ... count - 1 where a tensor is."""
    return torch.arange(count, device=x.device)


def to_list(sizes: torch.Tensor) -> list[int]:
    """The elements of a vector as numbers."""
    return sizes.reshape(-1).tolist()


def squeeze_axes(x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    """Without axes of size 1."""
    return x.squeeze(tuple(int(a) for a in axes))


def places_of(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """Which element of an axis stands at each place of a padded one, as NumPy pads."""
    at = np.arange(max(-before, 0), max(size + min(after, 0), 0))
    wide = (max(before, 0), max(after, 0))
    return np.pad(at, wide, mode).astype(np.int64)  # type: ignore[call-overload]


def add_border(x: torch.Tensor, axis: int, before: int, after: int, mode: str) -> torch.Tensor:
    """An axis with a border; negative amounts crop first."""
    front, back = max(before, 0), max(after, 0)
    cut = x.narrow(axis, front - before, max(x.shape[axis] - (front - before) + after - back, 0))
    size = cut.shape[axis]
    at = count_beside(x, front + size + back) - front
    if mode == "edge":
        at = at.clamp(0, size - 1)
    elif mode == "wrap":
        at = torch.remainder(at, size)
    elif size == 1:
        at = torch.zeros_like(at)
    else:
        at = torch.remainder(at, 2 * (size - 1))
        at = torch.where(at < size, at, 2 * (size - 1) - at)
    return torch.index_select(cut, axis, at)


def slice_strided(x: torch.Tensor, axis: int, start: int, end: int, step: int) -> torch.Tensor:
    """A slice of an axis by Python's rules, also backwards."""
    axis %= x.ndim
    if step > 0:
        return x[(slice(None),) * axis + (slice(start, end, step),)]
    size = x.shape[axis]
    first = min(start, size - 1) if start >= 0 else start + size
    last = end if end >= 0 else max(end + size, -1)
    first = max(first, -1)
    count = max((first - last - step - 1) // -step, 0)
    at = first + step * count_beside(x, count)
    return torch.index_select(x, axis, at)


def float_range(start: torch.Tensor, end: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    """start + i * step up to `end`."""
    span = (end - start).to(torch.float64) / step.to(torch.float64)
    count = max(int(torch.ceil(span).item()), 0)
    return start + count_beside(start, count).to(start.dtype) * step
