"""Shapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from .. import build
from ..broadcast import axis_of, contents, ints
from ..dim import Dim, Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops.binary import max_, min_
from ..ops.generate import meshgrid, range_
from ..ops.index import gather, slice_
from ..ops.shape import (
    MODES,
    concat,
    expand,
    flatten,
    pad,
    reshape,
    reshape_exact,
    split,
    squeeze,
    stack,
    unsqueeze,
    unstack,
)
from ..types import PadMode, Precision


@reshape_exact.decomposes()
def _reshape_exact(input: Value, shape: Value) -> Value:
    """RESHAPE, for which a size of 0 is that of the input at the same place."""
    target = contents(shape)
    if target is None:
        raise Unsupported(f"{input.type} in a shape that the model computes")
    if 0 in target and -1 not in target and not any(isinstance(d, Expr) for d in target):
        return input.model.constant(np.empty(target, input.dtype))
    at_risk = [k for k, d in enumerate(target) if _may_go_wrong(d, k, input.shape)]
    if not at_risk:
        return reshape(input, shape)
    others = [d for k, d in enumerate(target) if k not in at_risk]
    if len(at_risk) > 1 or any(isinstance(d, Expr) or d <= 0 for d in others):
        return _reshape_within(input, shape, target)
    (place,) = at_risk
    sizes = [-1 if k == place else d for k, d in enumerate(target)]
    return reshape(input, input.model.constant(np.array(sizes, np.int64)))


def _reshape_within(input: Value, shape: Value, target: Sequence[Dim]) -> Value:
    """A shape whose sizes may be 0, as the part of one whose sizes are at least 1: where one is 0,
    there are no elements, and that shape is filled with others."""
    if -1 in target:
        raise Unsupported(f"{input.type} in the shape {list(map(str, target))}: sizes may be 0")
    least = max_(build.int64(shape), 1)
    room, count = (build.product(build.elements(sizes)) for sizes in (least, shape))
    missing = build.vector(input.model, [build.minus(room, count)])
    filling = expand(build.reshape(input.scalar(0), [1]), missing)
    whole = reshape(concat(build.reshape(input, [-1]), filling, axis=0), least)
    return slice_(whole, list(range(len(target))), [0] * len(target), build.int64(shape))


@flatten.decomposes()
def _flatten(input: Value, *, start_axis: int, end_axis: int) -> Value:
    rank = max(input.rank, 1)
    first, last = axis_of(start_axis, rank), axis_of(end_axis, rank)
    sizes = build.sizes_of(input)
    merged = build.product(sizes[first : last + 1])
    return build.reshape(input, [*sizes[:first], merged, *sizes[last + 1 :]])


@meshgrid.decomposes()
def _meshgrid(*input: Value) -> tuple[Value, ...]:
    """Each vector with axes of size 1 behind it, as often as the others have elements."""
    sizes = build.vector(input[0].model, [build.size_of(v, 0) for v in input])
    behind = reversed(range(len(input)))
    return tuple(
        expand(unsqueeze(v, list(range(1, count + 1))) if count else v, sizes)
        for v, count in zip(input, behind, strict=True)
    )


@unstack.decomposes()
def _unstack(input: Value, *, axis: int, num: int) -> tuple[Value, ...]:
    parts = split(input, [1] * num, axis=axis)
    return tuple(squeeze(part, [axis]) for part in parts)


@stack.decomposes()
def _stack(*input: Value, axis: int) -> Value:
    place = axis_of(axis, input[0].rank, extra=1)
    return concat(*(unsqueeze(v, [place]) for v in input), axis=place)


@split.decomposes()
def _split(input: Value, split: Value, *, axis: int) -> tuple[Value, ...]:
    bounds = list(accumulate([0, *build.elements(split)], build.plus))
    ends = (build.vector(input.model, [bound]) for bound in bounds)
    return tuple(slice_(input, [axis], *pair) for pair in pairwise(ends))


@pad.decomposes()
def _pad_and_cut(input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Value:
    """Borders below 0, cut off what grew."""
    amounts = _amounts(input, pads)
    if mode != PadMode.CONSTANT or min(amounts, default=0) >= 0:
        raise Unsupported(f"a border of {input.type} that cuts nothing, or is repeated")
    return _cut(pad(input, [max(n, 0) for n in amounts], value), amounts)


def _cut(x: Value, amounts: Sequence[int]) -> Value:
    """Without what borders below 0 take away."""
    for axis, (before, after) in enumerate(zip(amounts[::2], amounts[1::2], strict=True)):
        if before < 0 or after < 0:
            x = slice_(x, [axis], [max(-before, 0)], [min(after, 0) or build.END])
    return x


@pad.decomposes()
def _cut_and_pad(input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Value:
    """Borders below 0, cut off before the others are made of what is left."""
    amounts = _amounts(input, pads)
    if mode == PadMode.CONSTANT or min(amounts, default=0) >= 0:
        raise Unsupported(f"a border of {input.type} that cuts nothing, or is a number")
    return pad(_cut(input, amounts), [max(n, 0) for n in amounts], mode=mode)


@pad.decomposes()
def _pad_by_positions(input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Value:
    """Borders of the tensor's own elements, axis after axis; what is below 0 is cut first."""
    if mode == PadMode.CONSTANT:
        raise Unsupported(f"a border of {input.type} that is a number, as it is")
    amounts = _amounts(input, pads)
    for axis, (before, after) in enumerate(zip(amounts[::2], amounts[1::2], strict=True)):
        if before or after:
            (size,) = build.known_sizes(input, [axis])
            left = np.arange(size)[max(-before, 0) : max(size + min(after, 0), 0)]
            if not left.size and max(before, after) > 0:
                raise Unsupported(f"a border of {input.type}, which has no edge to repeat")
            near = np.pad(left, (max(before, 0), max(after, 0)), MODES[mode])  # type: ignore[call-overload]
            input = gather(input, near, axis=axis)
    return input


@pad.decomposes()
def _pad_by_computed_positions(
    input: Value, pads: Value, value: Value | None, *, mode: PadMode
) -> Value:
    """Borders of the tensor's own elements whose widths only a run says, axis after axis."""
    if mode == PadMode.CONSTANT or contents(pads) is not None:
        raise Unsupported(f"a border of {input.type} that is a number, or known")
    widths, one = pads.cast(Precision.INT32), input.model.constant(np.ones(1, np.int32))
    for axis in range(input.rank):
        before, behind = (slice_(widths, [0], [2 * axis + k], [2 * axis + k + 1]) for k in (0, 1))
        size = build.vector(input.model, [build.size_of(input, axis)]).cast(Precision.INT32)
        first = max_(-before, 0)
        left = size + min_(behind, 0) - first
        at = range_(-max_(before, 0), left + max_(behind, 0), one)
        input = gather(input, _inner_positions(at, left, mode) + first, axis=axis)
    return input


def _inner_positions(at: Value, size: Value, mode: PadMode) -> Value:
    """Which elements stand for positions around a line of a size."""
    if mode == PadMode.WRAP:
        return at % max_(size, 1)
    if mode == PadMode.REFLECT:
        period = max_(size * 2 - 2, 1)
        near = at % period
        return min_(near, period - near)
    return max_(min_(at, size - 1), 0)


def _amounts(input: Value, pads: Value) -> list[int]:
    amounts = ints(pads)
    if amounts is None:
        raise NotConstant(f"the borders of {input.type}")
    return list(amounts)


def _may_go_wrong(size: Dim, place: int, sizes: tuple[Dim, ...]) -> bool:
    """Whether a size may be 0 while the input's at the same place is not."""
    if not isinstance(size, Expr):
        return size == 0
    if place >= len(sizes):
        return True
    own = sizes[place]
    if len(size.terms) > 1:
        return size != own
    if not isinstance(own, Expr):
        return own != 0
    ((factors, _),) = size.terms
    return not all(all(f in monomial for monomial, _ in own.terms) for f in factors)
