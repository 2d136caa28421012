"""Dense layers and products of matrices."""

from __future__ import annotations

import math

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .binary import fill
from .conv import cut
from .emitter import Argument, Emitter, Operand, Ref, result_shape
from .graph import Tensor
from .shape import join
from .sizes import join_axes

table = Lowerings[Ref]()
MOST_PRODUCTS = 256
"""Products of many matrices are written one by one; more of them are refused."""


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Value, weight: Value, bias: Value) -> Ref:
    rows = g.plain(g.real(input))
    weights = g.plain(g.real(weight))
    made = dense(g, rows, weights, g.whole(g.real(bias)))
    shape = result_shape(g)
    return Ref(g.dims(made, join_axes(shape)), shape, identity(len(shape)), Precision.FLOAT32)


def dense(g: Emitter, rows: Ref, weights: Ref, bias: Tensor | None = None) -> Ref:
    """Rows, whose last axis is multiplied, times [units, inputs]."""
    units, width = weights.shape
    count = math.prod(rows.shape) // width
    if bias is None:
        bias = g.constant(np.zeros(units, np.float32)).tensor
    inputs: list[Argument] = [
        g.dims(rows, (count, width)),
        g.whole(weights),
        bias,
        int(FusedActivation.NONE),
    ]
    made = g.step(OperationType.FULLY_CONNECTED, inputs, (count, units))
    return Ref(made, (count, units), identity(2), Precision.FLOAT32)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    """One product of a stack of rows, or one for each matrix."""
    left, right = _turn_matrix(g, x, transpose_x), _turn_matrix(g, y, not transpose_y)
    shape = result_shape(g)
    if right.rank == 2:
        found = dense(g, g.plain(left), g.plain(right))
    else:
        found = _each(g, left, right, shape)
    return Ref(g.dims(found, join_axes(shape)), shape, identity(len(shape)), Precision.FLOAT32)


def _turn_matrix(g: Emitter, operand: Operand, swap: bool) -> Ref:
    """A matrix with its last two axes exchanged where that is asked for; a vector as a row."""
    ref = g.real(operand)
    if ref.rank < 2:
        return g.reshape(ref, (1, *ref.sizes))
    if not swap:
        return ref
    last = ref.rank - 1
    other = {last: last - 1, last - 1: last}
    order = tuple(other.get(a, a) for a in ref.order)
    return Ref(ref.tensor, ref.shape, order, ref.precision)


def _each(g: Emitter, left: Ref, right: Ref, shape: tuple[int, ...]) -> Ref:
    """A product for each matrix of a stack."""
    outer = np.broadcast_shapes(left.sizes[:-2], right.sizes[:-2])
    count = math.prod(outer)
    if count > MOST_PRODUCTS:
        raise NoLowering(f"nnapi multiplies single matrices: {count} of them are too many")
    stacks = []
    for ref in (left, right):
        sizes = (*outer, *ref.sizes[-2:])
        whole = fill(g, g.plain(ref), sizes)
        flat = Ref(whole.tensor, (count, *sizes[-2:]), identity(3), ref.precision)
        stacks.append([_matrix(p) for p in cut(g, flat, 0, count)])
    products = [dense(g, a, b) for a, b in zip(*stacks, strict=True)]
    return join(g, products, 0) if count > 1 else products[0]


def _matrix(ref: Ref) -> Ref:
    return Ref(ref.tensor, ref.shape[1:], identity(2), ref.precision)
