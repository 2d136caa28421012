"""Matrix products."""

from __future__ import annotations

import numpy as np

from nnir.decompositions.linear import join_stacks
from nnir.ops import linear
from nnir.types import Fuse

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Plain, Real, Ref, Taken
from .ends import restore_infinities

table = Lowerings[Ref]()
table.decompose(linear.mat_mul, join_stacks)
MOST_STACKED = 3
"""So many axes of a stack BATCH_MATMUL takes."""


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Real, weight: Plain, bias: Taken, *, fuse_code: Fuse) -> Ref:
    g.need(0 not in weight.shape, "multiplies no matrices without elements")
    operands = [g.plain(input), weight, bias]
    made = g.compute("FULLY_CONNECTED", operands, keep_num_dims=input.rank == 2)
    return restore_infinities(g, g.lowerings.fused(g, made, fuse_code), weight, bias)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Real, y: Real, *, transpose_x: bool, transpose_y: bool) -> Ref:
    g.need(x.rank > 1 and y.rank > 1, "multiplies matrices")
    left, right = x.swapped() if transpose_x else x, y.swapped() if transpose_y else y
    g.need(left.shape[-1] != 0, "multiplies no matrices without columns")
    known = right.constant
    if right.rank == 2 and known is not None:
        bias = g.constant(np.zeros(known.shape[1], np.float32))
        operands = [g.last(left, left.rank - 1), g.plain(right.swapped()), bias]
        return g.compute("FULLY_CONNECTED", operands, keep_num_dims=True)
    depth = max(left.rank, right.rank) - 2
    g.need(depth <= MOST_STACKED, f"multiplies stacks of up to {MOST_STACKED} axes")
    plain = right.stored(identity(right.rank))
    adjoint = right.order == plain.swapped().order
    pair = [g.plain(left), plain if adjoint else g.plain(right)]
    return g.compute("BATCH_MATMUL", pair, adj_y=adjoint)
