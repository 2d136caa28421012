"""Dense layers and products of matrices."""

from __future__ import annotations

import math

import numpy as np

from nnir.decompositions.linear import multiply_each
from nnir.errors import NoLowering
from nnir.ops import linear

from ...lowering import Lowerings
from .emitter import Emitter, Real, Ref, result_shape

table = Lowerings[Ref]()
table.decompose(linear.mat_mul, multiply_each)


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Real, weight: Real, bias: Real) -> Ref:
    return dense(g, g.plain(input), g.plain(weight), bias).stored(result_shape(g))


def dense(g: Emitter, rows: Ref, weights: Ref, bias: Ref | None = None) -> Ref:
    """Rows, whose last axis is multiplied, times [units, inputs]."""
    units, width = weights.shape
    count = math.prod(rows.shape) // width
    shift = g.constant(np.zeros(units, np.float32)) if bias is None else bias
    operands = [rows.stored((count, width)), weights, shift]
    return g.one("FULLY_CONNECTED", operands, (count, units))


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Real, y: Real, *, transpose_x: bool, transpose_y: bool) -> Ref:
    """One product of a stack of rows."""
    if x.rank < 2 or y.rank != 2:
        raise NoLowering("nnapi multiplies rows by one matrix")
    left, right = x.swapped() if transpose_x else x, y if transpose_y else y.swapped()
    return dense(g, g.plain(left), g.plain(right)).stored(result_shape(g))
