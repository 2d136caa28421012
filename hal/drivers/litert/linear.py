"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import broadcast
from nnir.decompositions.linear import join_stacks
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Fuse

from ...lowering import Lowerings
from ...orders import identity
from .binary import CODES, finish
from .emitter import Emitter, Ref
from .static import numbers
from .unary import real

table = Lowerings[Ref]()
table.decompose(linear.mat_mul, join_stacks)
MOST_STACKED = 3
"""So many axes of a stack BATCH_MATMUL takes."""


@table.lower(linear.fully_connected)
def fully_connected(
    g: Emitter, input: Value, weight: Value, bias: Value, *, fuse_code: Fuse
) -> Ref:
    if 0 in weight.shape:
        raise NoLowering("litert multiplies no matrices without elements")
    x, shift, keep = g.plain(real(g, input)), g.take(bias), input.rank == 2
    return dense(g, x, g.plain(weight), shift, fuse_code, keep=keep)


def dense(
    g: Emitter,
    x: Ref,
    weight: Ref,
    bias: Ref | None = None,
    fuse_code: Fuse = Fuse.NONE,
    *,
    keep: bool = True,
) -> Ref:
    """FULLY_CONNECTED: x [..., n] with weights [units, n]."""
    fields: dict[str, Any] = {"fused_activation_function": CODES.get(fuse_code, 0)}
    operands = [x, weight, bias or g.constant(np.zeros(numbers(weight.shape[:1]), np.float32))]
    made = g.compute("FULLY_CONNECTED", operands, keep_num_dims=keep, **fields)
    return finish(g, made, fuse_code)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    if x.rank == 1 or y.rank == 1:
        raise NoLowering("litert multiplies matrices")
    left, right = real(g, x), real(g, y)
    left = swap_last(left) if transpose_x else left
    right = swap_last(right) if transpose_y else right
    if left.shape[-1] == 0:
        raise NoLowering("litert multiplies no matrices without columns")
    if right.rank == 2 and right.tensor.data is not None:
        return dense(g, g.last(left, left.rank - 1), g.plain(swap_last(right)))
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    if len(batch) > MOST_STACKED:
        raise NoLowering(f"litert multiplies stacks of up to {MOST_STACKED} axes")
    plain = right.stored(identity(right.rank))
    adjoint = right.order == swap_last(plain).order
    pair = [g.plain(left), plain if adjoint else g.plain(right)]
    return g.compute("BATCH_MATMUL", pair, adj_y=adjoint)


def swap_last(ref: Ref) -> Ref:
    """The last two axes the other way round, which is no work."""
    return ref.transposed((*range(ref.rank - 2), ref.rank - 1, ref.rank - 2))
