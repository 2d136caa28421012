"""Orders of axes: what a transpose does to sizes and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..broadcast import axis_of
from ..dim import Dim, Expr
from ..model import Operation, Value
from ..ops import shape

Perm = tuple[int, ...]


def perm_of(transpose: Operation) -> Perm:
    """The permutation of a transpose, where no permutation reverses the axes."""
    rank = transpose.outputs[0].rank
    return tuple(axis_of(p, rank) for p in transpose.attributes["perm"] or range(rank)[::-1])


def order_of(value: Value | None) -> tuple[Value, Perm] | None:
    """What a value is a transpose of, and how."""
    made = None if value is None else value.producer
    if made is None or made.operator is not shape.transpose or made.inputs[0] is None:
        return None
    return made.inputs[0], perm_of(made)


def is_swap(perm: Perm) -> bool:
    """Whether the last two axes change places, and no others."""
    leading = len(perm) - 2
    return leading >= 0 and perm == (*range(leading), leading + 1, leading)


def transpose_by(value: Value, perm: Perm) -> Value:
    """A transpose, where it is one."""
    if perm == tuple(range(len(perm))):
        return value
    return shape.transpose(value, perm=perm)


def repeat(
    operation: Operation, inputs: tuple[Value | None, ...], **attributes: Any
) -> tuple[Value, ...]:
    """The results of the same operator on other operands, with some attributes changed; all are
    taken as bound."""
    model = operation.outputs[0].model
    return model.append(operation.operator, inputs, {**operation.attributes, **attributes})


def inverse(perm: Perm) -> Perm:
    """The order that undoes `perm`."""
    return tuple(int(k) for k in np.argsort(perm))


def keeps_order(sizes: Sequence[Dim], perm: Perm) -> bool:
    """Whether a transpose moves only axes of size 1, and so no element."""
    moved = [p for p in perm if sizes[p] != 1]
    return moved == sorted(moved)


def move_ones(value: Value, perm: Perm) -> Value:
    """A transpose that moves only axes of size 1, as a reshape where its target is known."""
    sizes = [value.shape[p] for p in perm]
    if not is_plain(sizes):
        return transpose_by(value, perm)
    return shape.reshape(value, plain(sizes))


def is_plain(sizes: Sequence[Dim]) -> bool:
    """Whether RESHAPE can be told these sizes with numbers."""
    return sum(isinstance(s, Expr) for s in sizes) < 2 and 0 not in sizes


def plain(sizes: Sequence[Dim]) -> list[int]:
    """The sizes as RESHAPE takes them; one may be open."""
    return [-1 if isinstance(s, Expr) else s for s in sizes]


def without(axes: Sequence[int]) -> Perm:
    """The order of the axes that are left, counted anew."""
    kept = sorted(axes)
    return tuple(kept.index(a) for a in axes)
