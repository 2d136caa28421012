"""Transposes go behind operators that change shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..broadcast import axis_of, ints
from ..dim import Dim, Expr
from ..model import Operation, Value
from ..operator import Operator
from ..ops import index, shape
from .orders import (
    inverse,
    is_plain,
    keeps_order,
    move_ones,
    order_of,
    plain,
    transpose_by,
    without,
)

RESHAPES: frozenset[Operator] = frozenset({shape.reshape, shape.reshape_exact, shape.unsqueeze})


def sink_transpose(operation: Operation) -> list[Value] | None:
    """Two transposes are one; of a reshape, one that moves only axes of size 1 is part of it."""
    outer = order_of(operation.outputs[0])
    if outer is None:
        return None
    source, perm = outer
    inner = order_of(source)
    if inner is not None:
        first, before = inner
        return [transpose_by(first, tuple(before[p] for p in perm))]
    made = source.producer
    if made is not None and made.operator in RESHAPES and keeps_order(source.shape, perm):
        reshaped = move_ones(source, perm)
        if reshaped.producer is not None and reshaped.producer.operator is shape.reshape:
            return [shape.reshape(made.inputs[0], reshaped.producer.inputs[1])]
    return [source] if perm == tuple(range(len(perm))) else None


def sink_repeat(operation: Operation) -> list[Value] | None:
    """EXPAND and TILE, whose second operand has an entry for each axis."""
    order = order_of(operation.inputs[0])
    counts = operation.inputs[1]
    if order is None or counts is None or counts.shape != (len(order[1]),):
        return None
    source, perm = order
    known = ints(counts)
    back = inverse(perm)
    inner = [known[k] for k in back] if known else index.gather(counts, list(back))
    return [transpose_by(operation.operator(source, inner), perm)]


def sink_stack(operation: Operation) -> list[Value] | None:
    """The new axis comes last before the transpose."""
    orders = [order_of(v) for v in operation.inputs]
    perms = {None if o is None else o[1] for o in orders}
    if len(perms) != 1 or None in perms:
        return None
    perm = next(o[1] for o in orders if o is not None)
    place = axis_of(operation.attributes["axis"], len(perm), extra=1)
    made = shape.stack(*(o[0] for o in orders if o is not None), axis=len(perm))
    return [transpose_by(made, (*perm[:place], len(perm), *perm[place:]))]


def sink_unstack(operation: Operation) -> list[Value] | None:
    """The axes that are left keep their order."""
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    source, perm = order
    place = axis_of(operation.attributes["axis"], len(perm))
    made = shape.unstack(source, axis=perm[place], num=operation.attributes["num"])
    kept = without([p for a, p in enumerate(perm) if a != place])
    return [transpose_by(v, kept) for v in (made if isinstance(made, (list, tuple)) else [made])]


def sink_unsqueeze(operation: Operation) -> list[Value] | None:
    """A new axis comes after the one that is in front of it before the transpose too."""
    order = order_of(operation.inputs[0])
    axes = ints(operation.inputs[1])
    if order is None or axes is None:
        return None
    source, perm = order
    rank = len(perm) + len(axes)
    new = {axis_of(a, rank) for a in axes}
    own = iter(perm)
    keys: list[tuple[int, int]] = []
    for place in range(rank):
        last = keys[-1] if keys else (-1, 0)
        keys.append((last[0], last[1] + 1) if place in new else (next(own), 0))
    ranked = sorted(keys)
    made = shape.unsqueeze(source, sorted(ranked.index(keys[a]) for a in new))
    return [transpose_by(made, tuple(ranked.index(k) for k in keys))]


def sink_squeeze(operation: Operation) -> list[Value] | None:
    """The axes that are left keep their order."""
    order = order_of(operation.inputs[0])
    axes = ints(operation.inputs[1])
    if order is None or axes is None:
        return None
    source, perm = order
    gone = {axis_of(a, len(perm)) for a in axes}
    made = shape.squeeze(source, sorted(perm[a] for a in gone))
    return [transpose_by(made, without([perm[a] for a in range(len(perm)) if a not in gone]))]


def sink_reshape(operation: Operation) -> list[Value] | None:
    """A reshape that merges or splits axes which lie side by side before the transpose too.

    What changes places among the axes to merge, as channels that are shuffled, stays in front.
    """
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    (source, perm), target = order, operation.outputs[0].shape
    if not is_plain(target):
        return None
    if keeps_order(source.shape, perm):
        return [shape.reshape(source, plain(target))]
    groups = _groups(tuple(source.shape[p] for p in perm), target)
    if groups is None:
        return None
    ranked = sorted(groups, key=lambda g: min(perm[a] for a in g[0]))
    before = tuple(perm[a] for old, _ in ranked for a in old)
    places = [a for _, new in ranked for a in new]
    after = inverse(tuple(places))
    if before != tuple(range(len(perm))):
        runs = [{perm[a] for a in old} for old, _ in ranked]
        if after == tuple(range(len(target))) or any(max(r) - min(r) >= len(r) for r in runs):
            return None
    made = shape.reshape(transpose_by(source, before), plain([target[a] for a in places]))
    return [transpose_by(made, after)]


Groups = list[tuple[list[int], list[int]]]
"""Axes before and the axes that they become, in order."""


def _groups(old: Sequence[Dim], new: Sequence[Dim]) -> Groups | None:
    """The smallest runs of axes with as many elements before as after; None where not known."""
    groups: Groups = []
    i = j = 0
    while i < len(old) and j < len(new):
        before, after = [i], [j]
        left, right = old[i], new[j]
        i, j = i + 1, j + 1
        while left != right:
            if isinstance(left, Expr) or isinstance(right, Expr):
                return None
            if left < right and i < len(old):
                left, before, i = left * old[i], [*before, i], i + 1
            elif right < left and j < len(new):
                right, after, j = right * new[j], [*after, j], j + 1
            else:
                return None
        groups.append((before, after))
    if i < len(old) or not groups:
        return None
    groups[-1][1].extend(range(j, len(new)))
    return groups


def sink_concat(operation: Operation) -> list[Value] | None:
    """Tensors that were all transposed in the same way."""
    orders = [order_of(v) for v in operation.inputs]
    perms = {None if o is None else o[1] for o in orders}
    if len(perms) != 1 or None in perms:
        return None
    perm = next(o[1] for o in orders if o is not None)
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    return [transpose_by(shape.concat(*(o[0] for o in orders if o is not None), axis=axis), perm)]


def split(operation: Operation) -> list[Value] | None:
    """Along the axis that the axis was before."""
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    source, perm = order
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    made = shape.split(source, operation.inputs[1], axis=axis)
    parts = made if isinstance(made, (list, tuple)) else [made]
    return [transpose_by(v, perm) for v in parts]


def sink_pad(operation: Operation) -> list[Value] | None:
    """The pads of each axis go with it."""
    order = order_of(operation.inputs[0])
    pads = ints(operation.inputs[1])
    if order is None or pads is None:
        return None
    source, perm = order
    pairs = np.array(pads).reshape(len(perm), 2)[list(inverse(perm))]
    made = shape.pad(source, pairs.reshape(-1), *operation.inputs[2:], **operation.attributes)
    return [transpose_by(made, perm)]


RULES: dict[Operator[Any], Callable[[Operation], list[Value] | None]] = {
    shape.concat: sink_concat,
    shape.expand: sink_repeat,
    shape.pad: sink_pad,
    shape.reshape: sink_reshape,
    shape.split: split,
    shape.squeeze: sink_squeeze,
    shape.stack: sink_stack,
    shape.tile: sink_repeat,
    shape.transpose: sink_transpose,
    shape.unsqueeze: sink_unsqueeze,
    shape.unstack: sink_unstack,
}
