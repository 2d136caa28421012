"""Reductions over axes and sizes that are known only while running."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def extreme(
    x: torch.Tensor, axes: Sequence[int], keepdim: bool, identity: torch.Tensor, largest: bool
) -> torch.Tensor:
    """The largest or smallest elements; of nothing the identity."""
    places = sorted(a % x.ndim for a in axes)
    if any(x.shape[a] == 0 for a in places):
        kept = [1 if k in places else n for k, n in enumerate(x.shape)]
        rest = [n for k, n in enumerate(x.shape) if k not in places]
        return identity.expand(kept if keepdim else rest)
    return (torch.amax if largest else torch.amin)(x, places, keepdim=keepdim)


def product(
    x: torch.Tensor, axes: Sequence[int], keepdim: bool, dtype: torch.dtype
) -> torch.Tensor:
    """The product over several axes, the last one first."""
    for axis in sorted((a % x.ndim for a in axes), reverse=True):
        x = torch.prod(x, axis, keepdim=keepdim, dtype=dtype)
    return x


def shift_along(x: torch.Tensor, axis: int, identity: int) -> torch.Tensor:
    """Every element one place further, behind the identity."""
    size = x.shape[axis]
    first = torch.full_like(x.narrow(axis, 0, min(size, 1)), identity)
    return torch.cat([first, x.narrow(axis, 0, max(size - 1, 0))], axis)


def count_up(start: int, end: int, step: int) -> torch.Tensor:
    """start, start + step, ... up to `end`."""
    count = max(-((start - end) // step), 0)
    return start + torch.arange(count) * step
