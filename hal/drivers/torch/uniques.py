"""Distinct elements and slices, with where each occurs first."""

from __future__ import annotations

import torch

from .borders import count_beside

Result = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def unique_elements(x: torch.Tensor, ascending: bool) -> Result:
    """The distinct elements of a vector; every NaN is the same."""
    ordered, order = torch.sort(x, stable=True)
    same = ordered[1:] == ordered[:-1]
    if x.is_floating_point():
        same = same | (ordered[1:].isnan() & ordered[:-1].isnan())
    begins = torch.cat([torch.ones_like(order[:1], dtype=torch.bool), ~same])
    group = torch.cumsum(begins, 0) - 1
    inverse = torch.empty_like(order).scatter(0, order, group)
    starts = torch.nonzero(begins).reshape(-1)
    first = order[starts]
    counts = torch.zeros_like(first).scatter_add(0, group, torch.ones_like(group))
    return _arrange(ordered[starts], first, inverse, counts, 0, ascending)


def unique_slices(x: torch.Tensor, axis: int, ascending: bool) -> Result:
    """The distinct slices along an axis."""
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
    at = count_beside(x, inverse.numel())
    first = torch.full_like(counts, inverse.numel()).scatter_reduce(0, inverse, at, "amin")
    return _arrange(values, first, inverse, counts, axis, ascending)


def _arrange(
    values: torch.Tensor,
    first: torch.Tensor,
    inverse: torch.Tensor,
    counts: torch.Tensor,
    axis: int,
    ascending: bool,
) -> Result:
    if ascending:
        return values, first, inverse, counts
    order = torch.argsort(first, stable=True)
    rank = torch.empty_like(order).scatter(0, order, count_beside(order, len(order)))
    return torch.index_select(values, axis, order), first[order], rank[inverse], counts[order]
