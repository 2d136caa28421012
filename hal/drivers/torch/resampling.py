"""Resampling of axes by weighted neighbours, for sizes that may be known only while running."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .borders import count_beside

MOST_EXACT = 1 << 24
"""Below it is what a FLOAT32 has of digits: times a size, it is a whole number of FLOAT64."""


def positions(
    coordinates: str,
    size: int,
    out: int,
    scale: float,
    roi: tuple[float, float] | None,
    x: torch.Tensor,
) -> torch.Tensor:
    """Where in an axis of `size` of `x` the `out` results lie (ONNX Resize)."""
    at = count_beside(x, out).to(torch.float64)
    length = scale * size
    if coordinates == "align_corners":
        return unless_one(length, at * (size - 1) / others(length, at), 0.0)
    if coordinates == "asymmetric":
        return at / scale
    if coordinates == "pytorch_half_pixel":
        return unless_one(out, (at + 0.5) / scale - 0.5, 0.0)
    if coordinates == "half_pixel_symmetric":
        return size / 2 * (1 - out / length) + (at + 0.5) / scale - 0.5
    if coordinates == "tf_crop_and_resize":
        start, end = roi or (0.0, 1.0)
        many = at * (end - start) * (size - 1) / others(length, at) + start * (size - 1)
        return unless_one(length, many, (start + end) / 2 * (size - 1))
    return (at + 0.5) / scale - 0.5


def is_known_equal(a: int | torch.SymInt, b: int | torch.SymInt) -> bool:
    """Whether two sizes are equal, whatever open ones become: those are not asked for it."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    # takes a second to import, and only export has such sizes
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(a == b)


def others(length: float, at: torch.Tensor) -> torch.Tensor:
    """length - 1 at each position, 1 where that is 0."""
    less = torch.full_like(at, length - 1)
    return torch.where(less == 0, 1.0, less)


def unless_one(count: float, many: torch.Tensor, one: float) -> torch.Tensor:
    """`many`, or `one` at each position where `count` is 1: an open size is not asked for that."""
    return torch.where(torch.full_like(many, count) == 1, torch.full_like(many, one), many)


def nearest(at: torch.Tensor, how: str) -> torch.Tensor:
    """The whole positions that stand for others."""
    if how == "round_prefer_ceil":
        return torch.floor(at + 0.5)
    if how == "floor":
        return torch.floor(at)
    return torch.ceil(at) if how == "ceil" else torch.ceil(at - 0.5)


def cubic(distance: torch.Tensor, a: float) -> torch.Tensor:
    """The convolution kernel of Keys (1981) with parameter `a`."""
    x = torch.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return torch.where(x <= 1, near, torch.where(x < 2, far, 0.0))


def take_nearest(x: torch.Tensor, axis: int, at: torch.Tensor, how: str) -> torch.Tensor:
    """The nearest element of an axis for every position."""
    near = nearest(at, how).to(torch.int64).clamp(0, max(x.shape[axis] - 1, 0))
    return torch.index_select(x, axis, near)


def blend(
    x: torch.Tensor,
    axis: int,
    at: torch.Tensor,
    mode: str,
    shrink: float,
    exclude_outside: bool,
    normalises: bool,
    a: float,
) -> torch.Tensor:
    """Weighted sums of the neighbours of every position on an axis."""
    size = x.shape[axis]
    radius = math.ceil((2 if mode == "cubic" else 1) / shrink)
    steps = count_beside(x, 2 * radius) + 1 - radius
    near = torch.floor(at).to(torch.int64)[:, None] + steps
    distance = torch.abs(near - at[:, None]) * shrink
    factors = cubic(distance, a) if mode == "cubic" else torch.clamp(1 - distance, 0, 1)
    if exclude_outside:
        factors = torch.where((near >= 0) & (near < size), factors, 0.0)
    if normalises:
        total = factors.sum(1, keepdim=True)
        factors = factors / torch.where(total == 0, 1.0, total)
    near = near.clamp(0, max(size - 1, 0))
    tail = [1] * (x.ndim - axis - 1)
    made: Any = 0
    for k in range(2 * radius):
        weight = factors[:, k].to(x.dtype).reshape([-1, *tail])
        made = made + torch.index_select(x, axis, near[:, k]) * weight
    return made


def resize_axes(
    x: torch.Tensor,
    axes: Sequence[int],
    sizes: Sequence[int] | None,
    scales: Sequence[float] | None,
    roi: Sequence[float] | None,
    policy: str,
    mode: str,
    coordinates: str,
    nearest_mode: str,
    antialias: bool,
    exclude_outside: bool,
    a: float,
    fill: float,
) -> torch.Tensor:
    """Resize some axes, with every rule of ONNX Resize."""
    out, steps = resolve_sizes([x.shape[k] for k in axes], sizes, scales, policy)
    lost = []
    for k, axis in enumerate(axes):
        part = None if roi is None else (float(roi[k]), float(roi[k + len(axes)]))
        crop = coordinates == "tf_crop_and_resize"
        part = part if crop else None
        size = x.shape[axis]
        is_kept = isinstance(steps[k], torch.SymFloat) or steps[k] == 1
        if is_kept and is_known_equal(out[k], size) and part in (None, (0.0, 1.0)):
            continue
        at = positions(coordinates, size, out[k], steps[k], part, x)
        if mode == "nearest":
            x = take_nearest(x, axis, at, nearest_mode)
        else:
            shrink = min(steps[k], 1.0) if antialias else 1.0
            normalises = antialias or exclude_outside
            x = blend(x, axis, at, mode, shrink, exclude_outside, normalises, a)
        if crop:
            lost.append(((at < 0) | (at > size - 1)).reshape([-1, *[1] * (x.ndim - axis - 1)]))
    for outside in lost:
        x = torch.where(outside, torch.full_like(x[:0].reshape(-1).sum(), fill), x)
    return x


def resolve_sizes(
    own: Sequence[int],
    sizes: Sequence[int] | None,
    scales: Sequence[float] | None,
    policy: str,
) -> tuple[Sequence[int], Sequence[float]]:
    """The size and the scale of each axis."""
    if sizes is None:
        factors = [float(s) for s in scales or ()]
        return whole_sizes(own, factors), factors
    factors = [s / n if n else 1.0 for s, n in zip(sizes, own, strict=True)]
    if policy == "stretch":
        return sizes, factors
    scale = min(factors) if policy == "not_larger" else max(factors)
    return [math.floor(scale * n + 0.5) for n in own], [scale] * len(own)


def resized_nearest(x: torch.Tensor, sizes: Sequence[int], align_corners: bool) -> torch.Tensor:
    """RESIZE_NEAREST of the last two axes, in whole numbers."""
    for axis, out in enumerate(sizes, start=2):
        size, at = x.shape[axis], count_beside(x, out)
        if align_corners:
            steps = max(out - 1, 1)
            near = (2 * at * (size - 1) + steps) // (2 * steps)
        else:
            near = at * size // max(out, 1)
        x = torch.index_select(x, axis, near)
    return x


def resized_linear(
    x: torch.Tensor, sizes: Sequence[int], align_corners: bool, align_mode: int | None
) -> torch.Tensor:
    """RESIZE_LINEAR of the last two axes."""
    for axis, out in enumerate(sizes, start=2):
        size = x.shape[axis]
        at = count_beside(x, out).to(torch.float64)
        if align_corners:
            at = at * (torch.full_like(at, size - 1) / others(out, at))
        elif align_mode == 0:
            at = torch.clamp((at + 0.5) * size / max(out, 1) - 0.5, min=0)
        else:
            at = at * size / max(out, 1)
        at = torch.minimum(at, torch.full_like(at, max(size - 1, 0)))
        x = blend(x, axis, at, "linear", 1.0, False, False, 0.0)
    return x


def whole_sizes(sizes: Sequence[int], scales: Sequence[float]) -> list[int]:
    """floor(size * scale)."""
    return [_scale_size(n, f) for n, f in zip(sizes, scales, strict=True)]


def _scale_size(size: int, scale: Any) -> int:
    """In whole numbers where no product rounds: torch has no ranges for those of floats."""
    if isinstance(scale, torch.SymFloat) or not math.isfinite(scale):
        return math.floor(size * float(scale))
    over, under = float(scale).as_integer_ratio()
    return size * over // under if over < MOST_EXACT else math.floor(size * float(scale))
