"""Reductions of sliding windows by any operator in which order does not matter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import index, shape
from nnir.records import dataclass


@dataclass(frozen=True)
class Windows:
    """Axis by axis: sizes, steps, distances between elements, and what is put around them."""

    sizes: Sequence[int]
    strides: Sequence[int]
    base_dilations: Sequence[int]
    dilations: Sequence[int]
    pads: Sequence[tuple[int, int]]

    def check(self, x: Value) -> None:
        """BadType for lists that do not fit `x`."""
        lists = (self.sizes, self.strides, self.base_dilations, self.dilations, self.pads)
        numbers = [n for given in lists[:4] for n in given]
        if any(len(given) != x.rank for given in lists) or min(numbers, default=1) < 1:
            raise BadType(f"windows of {list(self.sizes)} over {x.type}")


def reduce_windows(x: Value, start: Value, operator: Operator, how: Windows) -> Value:
    """Every window of `x` and `start` to one number."""
    how.check(x)
    if start.rank:
        start = shape.reshape(start, [])
    x = pad_between(x, start, [d - 1 for d in how.base_dilations], how.pads)
    for axis, size in enumerate(how.sizes):
        x = _along(x, axis, operator, size, how.dilations[axis], how.strides[axis])
    return operator(x, start)


def _along(x: Value, axis: int, operator: Operator, size: int, dilation: int, step: int) -> Value:
    """Windows along one axis, put together of halves: few operators also for long ones."""
    if size == 1 and step == 1:
        return x
    length = x.shape[axis]
    if isinstance(length, Expr):
        raise NotConstant(f"windows over axis {axis} of {x.type}, whose size must be known")
    count = max(length - (size - 1) * dilation, 0)
    found: Value | None = None
    part, left, width, done = x, length, 1, 0
    while True:
        if size & width:
            piece = cut(part, axis, done * dilation, done * dilation + count)
            found = piece if found is None else operator(found, piece)
            done += width
        if done == size:
            break
        reach = width * dilation
        part = operator(cut(part, axis, 0, left - reach), cut(part, axis, reach, left))
        left -= reach
        width *= 2
    if found is None:
        raise BadType(f"windows of {size} elements")
    return found if step == 1 else index.slice_(found, [axis], [0], [count], [step])


def cut(x: Value, axis: int, first: int, last: int) -> Value:
    """Some elements of an axis."""
    return index.slice_(x, [axis], [first], [max(last, first)])


def pad_between(
    x: Value, value: Value, between: Sequence[int], around: Sequence[tuple[int, int]]
) -> Value:
    """Elements of `value` between those of each axis and around them; fewer than 0 are cut off."""
    for axis, gap in enumerate(between):
        if gap < 0:
            raise BadType(f"{gap} elements between those of {x.type}")
        if gap:
            x = _dilate(x, value, axis, gap + 1)
    if any(n for pair in around for n in pair):
        x = shape.pad(x, [n for pair in around for n in pair], value)
    return x


def _dilate(x: Value, value: Value, axis: int, step: int) -> Value:
    size = x.shape[axis]
    if isinstance(size, Expr):
        raise NotConstant(f"elements between those of axis {axis} of {x.type}")
    if not size:
        return x
    pads = np.zeros((x.rank + 1, 2), np.int64)
    pads[axis + 1, 1] = step - 1
    wide = shape.pad(shape.unsqueeze(x, [axis + 1]), pads.reshape(-1).tolist(), value)
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    whole = shape.reshape_exact(wide, [*before, size * step, *after])
    return cut(whole, axis, 0, (size - 1) * step + 1)
