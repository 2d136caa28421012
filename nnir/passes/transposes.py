"""Transposes behind each other, and what is one."""

from __future__ import annotations

from ..model import Operation, Value
from ..ops import shape
from .matching import ANY, Variable, node, rule
from .orders import is_swap, perm_of, transpose_by

PERM = {"perm": ANY}
x = Variable("x")


@rule(
    node(
        shape.transpose,
        node(shape.transpose, x, name="first", attributes=PERM),
        name="second",
        attributes=PERM,
    )
)
def cancel_transposes(x: Value, first: Operation, second: Operation) -> Value:
    """Join a transpose of a transpose; a pair that undoes itself disappears."""
    order = perm_of(first)
    return transpose_by(x, tuple(order[k] for k in perm_of(second)))


RESHAPES = frozenset({shape.reshape, shape.reshape_exact})
TURNED = node(
    shape.transpose,
    node(RESHAPES, x, ANY, name="merged"),
    name="turned",
    attributes=PERM,
)


def _swaps(x: Value, merged: Operation, turned: Operation, result: Value) -> bool:
    """Whether only the last two axes of `x` change places; others are as before, or known."""
    if min(x.rank, result.rank) < 2 or not is_swap(perm_of(turned)):
        return False
    *leading, rows, columns = x.shape
    *others, last, before = result.shape
    ends = (rows, columns)
    kept = others == leading or result.is_static
    return kept and merged.outputs[0].shape[-2:] == ends and (before, last) == ends


@rule(node(RESHAPES, TURNED, ANY), where=_swaps)
def name_transposes(x: Value, result: Value) -> Value:
    """Write a transpose of the last two axes as one, where the others were made one meanwhile, as
    PyTorch's exporter to ONNX does."""
    *leading, columns, rows = result.shape
    if x.shape[:-2] != tuple(leading):
        x = shape.reshape(x, [*leading, rows, columns])
    return transpose_by(x, (*range(x.rank - 2), x.rank - 1, x.rank - 2))
