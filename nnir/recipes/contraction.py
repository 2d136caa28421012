"""Products of tensors summed over shared axes, by transposes, matrix products and sums."""

from __future__ import annotations

from collections.abc import Sequence

from .. import build
from ..model import Value
from ..ops import linear, reduce, shape
from ..ops.index import slice_

FAR = (1 << 63) - 1


def contract(inputs: Sequence[Value], labels: Sequence[list[str]], result: list[str]) -> Value:
    """Fold the operands from the left; a label is summed as soon as nothing needs it any more."""
    value, row = _diagonals(inputs[0], labels[0])
    for position in range(1, len(inputs)):
        other, theirs = _diagonals(inputs[position], labels[position])
        later = {x for more in labels[position + 1 :] for x in more} | set(result)
        value, row = _pair(value, row, other, theirs, later)
    value, row = _sum_over(value, row, set(result))
    return _arrange(value, row, result)


def _diagonals(value: Value, row: list[str]) -> tuple[Value, list[str]]:
    """Only the elements with equal positions on the axes of a repeated label."""
    for label in dict.fromkeys(row):
        while row.count(label) > 1:
            first = row.index(label)
            second = row.index(label, first + 1)
            rest = [a for a in range(len(row)) if a not in (first, second)]
            value = shape.transpose(value, perm=(*rest, first, second))
            step = build.plus(build.size_of(value, -1), 1)
            flat = shape.flatten(value, start_axis=-2, end_axis=-1)
            value = slice_(flat, [-1], [0], [FAR], build.vector(value.model, [step]))
            row = [*(row[a] for a in rest), label]
    return value, row


def _sum_over(value: Value, row: list[str], needed: set[str]) -> tuple[Value, list[str]]:
    axes = [a for a, label in enumerate(row) if label not in needed]
    if not axes:
        return value, row
    kept = [label for label in row if label in needed]
    return reduce.reduce_sum(value, axes, keepdim=False), kept


def _arrange(value: Value, row: list[str], order: Sequence[str]) -> Value:
    """The axes in an order of labels."""
    perm = tuple(row.index(label) for label in order)
    return value if perm == tuple(range(len(row))) else shape.transpose(value, perm=perm)


def _pair(
    a: Value, mine: list[str], b: Value, theirs: list[str], later: set[str]
) -> tuple[Value, list[str]]:
    """The product of two operands, as one matrix product over the labels of both."""
    a, mine = _sum_over(a, mine, later | set(theirs))
    b, theirs = _sum_over(b, theirs, later | set(mine))
    both = [x for x in mine if x in theirs and x in later]
    inner = [x for x in mine if x in theirs and x not in later]
    left = [x for x in mine if x not in theirs]
    right = [x for x in theirs if x not in mine]
    a = _arrange(a, mine, [*both, *left, *inner])
    b = _arrange(b, theirs, [*both, *inner, *right])
    found, others = build.sizes_of(a), build.sizes_of(b)
    k, m, n = len(both), len(left), len(inner)
    rows, columns = found[k : k + m], others[k + n :]
    a = build.reshape(a, [*found[:k], build.product(rows), build.product(found[k + m :])])
    b = build.reshape(b, [*others[:k], build.product(others[k : k + n]), build.product(columns)])
    product = linear.mat_mul(a, b)
    batch: list[build.Size] = [build.size_of(product, axis) for axis in range(k)]
    return build.reshape(product, [*batch, *rows, *columns]), [*both, *left, *right]
