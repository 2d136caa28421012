"""Views by strides, and patches of images."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import ints
from ..dim import Dim
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..operator import Pattern
from ..ops import generate, index, shape

MOVED = frozenset({"TRANSPOSE", "SLICE", "EXPAND", "SPLIT", "UNSTACK"})
"""What PyTorch gives as a view, with strides of its own."""


FARTHEST = 64
"""So many values are looked at."""


def is_contiguous(x: Value) -> bool:
    """Whether the elements of `x` surely lie in PyTorch's memory one after the other."""
    waiting, seen = [x], 0
    while waiting and seen < FARTHEST:
        value = waiting.pop()
        seen += 1
        if value.constant is not None and not value.constant.flags.c_contiguous:
            return False
        made = value.producer
        if made is None:
            continue
        if made.operator.name in MOVED:
            return False
        if made.operator.pattern is Pattern.ELEMENTWISE or made.operator.name.startswith("RESHAPE"):
            waiting += [v for v in made.inputs if v is not None and v.rank]
    return not waiting


def strided_positions(
    x: Value, size: Value, stride: Value, offset: Value | None, memory: Sequence[int] | None
) -> np.ndarray:
    """Which element of `x`, in its own order, each element of a strided view is.

    `memory`: where `x` begins in its memory, and its strides, as the export recorded them.
    """
    if memory is None and not is_contiguous(x):
        raise Unsupported(f"the memory of {x.type}, which may be a view of something else")
    target, strides = ints(size), ints(stride)
    start = (0 if memory is None else memory[0],) if offset is None else ints(offset)
    if target is None or strides is None or start is None:
        raise NotConstant(f"strides of {x.type} that are only known while running")
    if not x.is_static:
        return _of_open_sizes(x, target, strides, start[0])
    count = math.prod(x.sizes)
    if len(target) != len(strides) or max(math.prod(target), count) > build.LARGEST_CONSTANT:
        raise Unsupported(f"as_strided to {target} by {strides}")
    where = _addresses(start[0], target, strides)
    own = np.arange(count)
    if memory is not None:
        own = _addresses(memory[0], x.sizes, memory[1:]).reshape(-1)
    order = np.argsort(own, kind="stable")
    found = np.searchsorted(own, where, sorter=order)
    if where.size and (found.max() == own.size or not np.array_equal(own[order[found]], where)):
        raise Unsupported(f"memory beyond {x.type}")
    return order[found]


def _of_open_sizes(x: Value, size: Sequence[int], strides: Sequence[int], start: int) -> np.ndarray:
    """Places that do not depend on the sizes of `x`; what is not there fails when running."""
    if not is_contiguous(x):
        raise NotConstant(f"strides of {x.type} that are only known while running")
    if len(size) != len(strides) or math.prod(size) > build.LARGEST_CONSTANT:
        raise Unsupported(f"as_strided to {size} by {strides}")
    return _addresses(start, size, strides)


def _addresses(start: int, size: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """Where in memory each element of a tensor lies."""
    where = np.full((), start, np.int64)
    for length, step in zip(size, strides, strict=True):
        where = where[..., None] + np.arange(length) * step
    return where


def im2col(
    input: Value,
    kernel_size: tuple[int, ...],
    dilation: tuple[int, ...],
    padding: tuple[int, ...],
    stride: tuple[int, ...],
) -> Value:
    """Patches of images as columns."""
    if input.rank not in (3, 4):
        raise BadType(f"im2col of {input.type}")
    n = input.rank - 2
    x = input
    if any(padding):
        x = shape.pad(input, [*[0, 0] * n, *(p for p in padding for _ in range(2))])
    pairs = list(zip(kernel_size, dilation, stride, strict=True))
    grids = [_grid(x, n + k, *pairs[k]) for k in range(2)]
    head, channels = build.sizes_of(x)[: n - 1], build.size_of(x, n - 1)
    (kh, oh), (kw, ow) = (build.sizes_of(g) for g in grids)
    if all(_tiles(g, x.shape[n + k]) for k, g in enumerate(grids)):
        cut = build.reshape(x, [*head, channels, oh, kh, ow, kw])
        windows = shape.transpose(cut, perm=(*range(n), n + 1, n + 3, n, n + 2))
    else:
        rows = index.gather(x, grids[0], axis=n)
        both = index.gather(rows, grids[1], axis=n + 2)
        windows = shape.transpose(both, perm=(*range(n), n, n + 2, n + 1, n + 3))
    taps = kernel_size[0] * kernel_size[1]
    return build.reshape(windows, [*head, build.times(channels, taps), build.times(oh, ow)])


def _grid(x: Value, axis: int, kernel: int, dilation: int, stride: int) -> Value:
    """The places along an axis [kernel, windows] of the elements of every window."""
    length, reach = x.shape[axis], dilation * (kernel - 1)
    taps = build.arange(kernel)[:, None] * dilation
    if isinstance(length, int):
        count = (length - reach - 1) // stride + 1
        build.arange(kernel * max(count, 0))  # too many are refused
        return x.model.constant(taps + np.arange(count) * stride)
    last = build.vector(x.model, [build.minus(build.size_of(x, axis), reach)])
    return generate.range_([0], last, [stride]) + taps


def _tiles(grid: Value, length: Dim) -> bool:
    """Whether windows lie side by side and fill an axis."""
    known = grid.constant
    if known is None or known.size != length:
        return False
    return np.array_equal(known.T.reshape(-1), np.arange(known.size))
