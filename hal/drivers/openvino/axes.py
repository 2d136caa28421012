"""Axes that are only known while running: the axes in question are moved behind the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nnir.broadcast import length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape

from ...quirks import report_met
from .emitter import Emitter, Operand, Ref
from .integers import product
from .quirks import REPEATS_OF_REPEATS

Fold = Callable[[Ref, list[int]], Ref]


def fold_axes(g: Emitter, input: Ref, axes: Value, fold: Fold, *, keepdim: bool) -> Ref:
    """A reduction over distinct axes, as many as `axes` holds; `fold` reduces to a size of 1."""
    count = length_of(axes)
    if count > input.rank:
        raise NoLowering(f"openvino: {count} axes of {input.rank}")
    mask = mark_axes(g, axes, input.rank)
    order, sizes = sorted_behind(g, mask), g.dims(input)
    rest = input.rank - count
    moved = g.node("Transpose", input, order)
    kept = g.gather(sizes, g.part(order, 0, rest), 0)
    inside = g.gather(sizes, g.part(order, rest, input.rank), 0)
    whole = product(g, inside, [0], [count], keepdim=True)
    flat = g.reshape(moved, g.concat(kept, whole) if rest else whole)
    result = fold(flat, [rest])
    if not keepdim:
        return g.reshape(result, kept if rest else [])
    return g.reshape(result, g.where(mask, g.ints(1), sizes))


def mark_axes(g: Emitter, axes: Value, rank: int) -> Ref:
    """Which of `rank` axes are named."""
    named = g.reshape(g.int64(axes), [-1, 1])
    every = g.ints(*range(rank)), g.ints(*range(-rank, 0))
    same = g.pair("LogicalOr", *(named.equal(e) for e in every))
    return g.node("ReduceLogicalOr", same, g.ints(0), keep_dims=False)


def sorted_behind(g: Emitter, mask: Ref) -> Ref:
    """An order of the axes, those that are marked behind."""
    rank = int(mask.output.get_partial_shape()[0].get_length())
    marks = g.where(mask, g.ints(1), g.ints(0))
    _, order = g.ranked(marks, g.scalar(rank), 0, "min", stable=True)
    return order


def squeeze_axes(g: Emitter, input: Value, axes: Value) -> Ref:
    """`input` without the axes."""
    order = sorted_behind(g, mark_axes(g, axes, input.rank))
    kept = g.part(order, 0, input.rank - length_of(axes))
    return g.reshape(input, g.gather(g.dims(input), kept, 0))


def unsqueeze_axes(g: Emitter, input: Value, axes: Value) -> Ref:
    """`input` with axes of size 1, one after the other."""
    sizes: Ref = g.dims(input)
    named = g.int64(axes)
    for position in range(length_of(axes)):
        rank = input.rank + position + 1
        at = g.part(named, position, position + 1)
        at = g.where(at < g.ints(0), at + g.ints(rank), at)
        line = g.ints(*range(rank))
        before, behind = g.concat(sizes, g.ints(1)), g.concat(g.ints(1), sizes)
        later = g.where(line.equal(at), g.ints(1), behind)
        sizes = g.where(line < at, before, later)
    return g.reshape(input, sizes)


def tile_axes(g: Emitter, input: Operand, rank: int, counts: Ref) -> Ref:
    """As many copies along each axis as are only known while running.

    OpenVINO's Tile misplaces them; each axis is repeated by an axis of its own in front of it.
    """
    sizes = g.dims(input)
    pairs = g.reshape(g.unsqueeze(sizes, 1), [-1, 1])
    ones = g.reshape(g.ints(*[1] * rank), [rank, 1])
    flat = g.reshape(g.concat(ones, pairs, axis=1), [-1])
    target = g.reshape(g.concat(g.reshape(counts, [rank, 1]), pairs, axis=1), [-1])
    wide = g.node("Broadcast", g.reshape(input, flat), target, mode="numpy")
    return g.reshape(wide, sizes * counts)


def is_repeated(value: Value) -> bool:
    """Whether a value is another one several times: OpenVINO repeats such a one wrongly by Tile,
    Broadcast or Concat where something else reads it, too."""
    made = value.producer
    if made is None:
        return False
    is_joined = made.operator is shape.concat and len(made.inputs) > len(set(made.inputs)) == 1
    return is_joined or made.operator in (shape.tile, shape.expand)


def repeat(g: Emitter, whole: Ref, counts: Mapping[int, int]) -> Ref:
    """An axis after another several times, by positions."""
    report_met(REPEATS_OF_REPEATS)
    for axis, count in counts.items():
        positions = g.node("Tile", g.line(g.size(whole, axis)), g.ints(count))
        whole = g.gather(whole, positions, axis)
    return whole
