"""Dense layers and products of matrices."""

from __future__ import annotations

import math

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import linear

from ...lowering import Lowerings
from .binary import fill
from .conv import cut
from .emitter import Emitter, Operand, Ref, result_shape
from .graph import Tensor
from .shape import join

table = Lowerings[Ref]()
MOST_PRODUCTS = 256
"""Products of many matrices are written one by one; more of them are refused."""


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Value, weight: Value, bias: Value) -> Ref:
    rows, weights = (g.plain(g.real(v)) for v in (input, weight))
    made = dense(g, rows, weights, g.whole(g.real(bias)))
    return g.lay(made, result_shape(g))


def dense(g: Emitter, rows: Ref, weights: Ref, bias: Tensor | None = None) -> Ref:
    """Rows, whose last axis is multiplied, times [units, inputs]."""
    units, width = weights.shape
    count = math.prod(rows.shape) // width
    if bias is None:
        bias = g.constant(np.zeros(units, np.float32)).tensor
    operands = [g.dims(rows, (count, width)), g.whole(weights), bias]
    return g.one(OperationType.FULLY_CONNECTED, operands, (count, units))


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    """One product of a stack of rows, or one for each matrix."""
    left, right = _turn_matrix(g, x, transpose_x), _turn_matrix(g, y, not transpose_y)
    if right.rank > 2:
        return g.lay(_each(g, left, right), result_shape(g))
    return g.lay(dense(g, g.plain(left), g.plain(right)), result_shape(g))


def _turn_matrix(g: Emitter, operand: Operand, swap: bool) -> Ref:
    """A matrix with its last two axes exchanged where that is asked for; a vector as a row."""
    ref = g.real(operand)
    if ref.rank < 2:
        return g.reshape(ref, (1, *ref.sizes))
    last = ref.rank - 1
    other = {last: last - 1, last - 1: last} if swap else {}
    return ref.stored(ref.shape, tuple(other.get(a, a) for a in ref.order))


def _each(g: Emitter, left: Ref, right: Ref) -> Ref:
    """A product for each matrix of a stack."""
    outer = np.broadcast_shapes(left.sizes[:-2], right.sizes[:-2])
    count = math.prod(outer)
    if count > MOST_PRODUCTS:
        raise NoLowering(f"nnapi multiplies single matrices: {count} of them are too many")
    stacks = []
    for ref in (left, right):
        sizes = ref.sizes[-2:]
        flat = fill(g, g.plain(ref), (*outer, *sizes)).stored((count, *sizes))
        stacks.append([part.stored(sizes) for part in cut(g, flat, 0, count)])
    products = [dense(g, a, b) for a, b in zip(*stacks, strict=True)]
    return join(g, products, 0) if count > 1 else products[0]
