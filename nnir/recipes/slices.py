"""Slices: bounds for some axes, and masks for what Python writes `...` and `None`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import build
from ..broadcast import contents, ints
from ..dim import Dim
from ..errors import BadType, NotConstant
from ..model import Index, Value
from ..ops import compare, index, shape
from ..records import dataclass
from ..types import Row


@dataclass(frozen=True)
class Cut:
    """What happens to one axis: bounds, or one position (`is_one`)."""

    axis: int
    start: build.Size
    end: build.Size = 0
    step: int = 1
    is_one: bool = False


@dataclass(frozen=True)
class Masks:
    """The five masks: bit i is about entry i of the bounds."""

    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink_axis: int


def bound_axes(rank: int, count: int, masks: Masks) -> Iterator[tuple[int, int | None]]:
    """Pairs (entry of the bounds, axis); the axis is None for a new one."""
    new = [k for k in range(count) if masks.new_axis >> k & 1 and not masks.ellipsis >> k & 1]
    dots = [k for k in range(count) if masks.ellipsis >> k & 1]
    if len(dots) > 1:
        raise BadType("a slice with several ellipses")
    used = count - len(new) - len(dots)
    if used > rank:
        raise BadType(f"a slice of {used} axes of {rank}")
    axis = 0
    for k in range(count):
        if k in dots:
            axis += rank - used
        elif k in new:
            yield k, None
        else:
            yield k, axis
            axis += 1


def slice_strided(x: Value, begin: Value, end: Value, strides: Value, masks: Masks) -> Value:
    """A strided slice."""
    steps = ints(strides)
    if steps is None:
        raise NotConstant("a slice whose strides are only known while running")
    starts, ends = Row(build.elements(begin)), Row(build.elements(end))
    cuts: list[Cut] = []
    order: list[int | None] = []
    for k, axis in bound_axes(x.rank, len(steps), masks):
        order.append(axis)
        if axis is None:
            continue
        if masks.shrink_axis >> k & 1:
            cuts.append(Cut(axis, starts[k], is_one=True))
            continue
        forward = steps[k] > 0
        first: build.Size = (0 if forward else -1) if masks.begin >> k & 1 else starts[k]
        last: build.Size = (
            (build.END if forward else build.FRONT) if masks.end >> k & 1 else ends[k]
        )
        cuts.append(Cut(axis, first, last, steps[k]))
    result = _apply_cuts(x, cuts)
    return _insert_new_axes(result, x.rank, order, {c.axis for c in cuts if c.is_one}, masks)


def _insert_new_axes(
    x: Value, rank: int, order: list[int | None], gone: set[int], masks: Masks
) -> Value:
    """Put the new axes between the ones that are left."""
    if None not in order:
        return x
    named = [a for a in order if a is not None]
    first = len(order)
    if masks.ellipsis:
        first = (masks.ellipsis & -masks.ellipsis).bit_length() - 1
    hidden = [a for a in range(rank) if a not in named]
    whole = [*order[:first], *hidden, *order[first:]]
    left = [a for a in whole if a is None or a not in gone]
    return shape.unsqueeze(x, [k for k, a in enumerate(left) if a is None])


def _apply_cuts(x: Value, cuts: list[Cut]) -> Value:
    ones = [c for c in cuts if c.is_one]
    plain = [c for c in cuts if not c.is_one and not _is_whole(c, x.shape[c.axis])]
    if len(ones) > 1 and all(isinstance(c.start, int) for c in ones):
        singles = [Cut(c.axis, c.start, c.start + 1 or build.END) for c in ones]
        x = slice_axes(x, sorted([*plain, *singles], key=lambda c: c.axis))
        return shape.squeeze(x, [c.axis for c in ones])
    x = slice_axes(x, plain) if plain else x
    for one in reversed(ones):
        if isinstance(one.start, int):
            where = x.model.constant(np.int64(one.start))
        else:
            where = shape.reshape(one.start, [])
        x = index.gather(x, where, axis=one.axis)
    return x


def slice_axes(x: Value, cuts: list[Cut]) -> Value:
    """SLICE on some axes."""
    axes = [c.axis for c in cuts]
    steps = [c.step for c in cuts]
    bounds = (
        build.vector(x.model, [c.start for c in cuts], negative=True),
        build.vector(x.model, [c.end for c in cuts], negative=True),
    )
    return index.slice_(x, axes, *bounds, None if set(steps) == {1} else steps)


def _is_whole(part: Cut, size: Dim) -> bool:
    if part.step != 1 or part.start != 0:
        return False
    if isinstance(part.end, Value):
        return contents(part.end) == (size,)
    return part.end == build.END or (isinstance(size, int) and part.end >= size)


def slice_with_masks(
    input: Value,
    begin: Index,
    end: Index,
    strides: Index,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Value:
    """A strided slice whose five masks say what of the bounds counts."""
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return slice_strided(input, begin, end, strides, masks)


def slice_from(input: Value, begin: Index, size: Index) -> Value:
    """So many elements from a place; -1 goes on to the end."""
    starts, lengths = build.elements(begin), build.elements(size)
    if len(starts) != input.rank or len(lengths) != input.rank:
        raise BadType(f"a slice of {input.type} from {begin.type} of {size.type}")
    cuts = []
    x = input
    for axis, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        whole = input.shape[axis]
        if isinstance(length, int) and length >= 0 and length == whole:
            if isinstance(start, int):
                _require_inside(start, length, whole)
            continue
        if isinstance(length, int) and length < 0:
            cuts.append(Cut(axis, start, build.END))
        elif isinstance(start, int) and isinstance(length, int):
            _require_inside(start, length, whole)
            cuts.append(Cut(axis, start, start + length))
        elif isinstance(length, int) and contents(start) is None:  # type: ignore[arg-type]
            steps = x.model.constant(build.arange(length))
            x = index.gather(x, start + steps, axis=axis)
        else:
            end = build.plus(start, length) if start != 0 else length
            if isinstance(length, Value) and build.is_unknown(length):  # it may be -1
                end = compare.where(length < 0, build.size_of(input, axis), end)
            cuts.append(Cut(axis, start, end))
    kept = [c for c in cuts if not _is_whole(c, input.shape[c.axis])]
    return slice_axes(x, kept) if kept else x


def _require_inside(start: int, length: int, size: Dim) -> None:
    if start < 0 or (isinstance(size, int) and start + length > size):
        raise BadType(f"a slice of {length} elements from {start} of an axis of {size}")
