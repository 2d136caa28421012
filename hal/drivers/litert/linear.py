"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import broadcast
from nnir.dim import Dim, product
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Fuse

from ...lowering import Lowerings
from ...orders import identity
from .binary import CODES, apply_fuse_code, spread
from .emitter import Emitter, Ref, result_shape
from .static import numbers
from .unary import real

table = Lowerings[Ref]()


@table.lower(linear.fully_connected)
def fully_connected(
    g: Emitter, input: Value, weight: Value, bias: Value, *, fuse_code: Fuse
) -> Ref:
    if 0 in weight.shape:
        raise NoLowering("litert multiplies no matrices without elements")
    x, shift = g.plain(real(g, input)), g.take(bias)
    keep, target = input.rank == 2, result_shape(g)
    return dense(g, x, g.plain(weight), shift, target, fuse_code, keep=keep)


def dense(
    g: Emitter,
    x: Ref,
    weight: Ref,
    bias: Ref | None,
    shape: tuple[Dim, ...],
    fuse_code: Fuse = Fuse.NONE,
    *,
    keep: bool = True,
) -> Ref:
    """FULLY_CONNECTED: x [..., n] with weights [units, n]."""
    fields: dict[str, Any] = {"fused_activation_function": CODES.get(fuse_code, 0)}
    fields["keep_num_dims"] = keep
    shift = g.constant(np.zeros(numbers(shape[-1:]), np.float32)) if bias is None else bias
    order = x.order if keep else identity(len(shape))
    made = g.compute("FULLY_CONNECTED", [x, weight, shift], shape, order, **fields)
    return made if fuse_code in CODES else apply_fuse_code(g, made, fuse_code)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    if x.rank == 1 or y.rank == 1:
        raise NoLowering("litert multiplies matrices")
    left, right = real(g, x), real(g, y)
    left = swap_last(left) if transpose_x else left
    right = swap_last(right) if transpose_y else right
    units = right.shape[-1]
    if left.shape[-1] == 0:
        raise NoLowering("litert multiplies no matrices without columns")
    if right.rank == 2 and right.tensor.data is not None and isinstance(units, int):
        rows = g.last(left, left.rank - 1)
        return dense(g, rows, g.plain(swap_last(right)), None, (*rows.tensor.shape[:-1], units))
    return _batch_product(g, left, right)


def swap_last(ref: Ref) -> Ref:
    """The last two axes the other way round, which is no work."""
    a, b = ref.rank - 2, ref.rank - 1
    turned = {a: b, b: a}
    return ref.stored(tuple(turned.get(k, k) for k in ref.order))


def _batch_product(g: Emitter, left: Ref, right: Ref) -> Ref:
    """BATCH_MATMUL; stacks over more than one axis are one where both have the same."""
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    shape = (*batch, left.shape[-2], right.shape[-1])
    x, plain = g.plain(left), right.stored(identity(right.rank))
    adjoint = right.order == swap_last(plain).order
    y = plain if adjoint else g.plain(right)
    if len(batch) > 2:
        x, y = _merge_batch(g, x, batch), _merge_batch(g, y, batch)
    stack = (product(batch),) if len(batch) > 2 else batch
    sizes = (*stack, *shape[-2:])
    made = g.compute("BATCH_MATMUL", [x, y], sizes, identity(len(sizes)), adj_y=adjoint)
    return g.reshape(made, shape) if len(batch) > 2 else made


def _merge_batch(g: Emitter, ref: Ref, batch: tuple[Dim, ...]) -> Ref:
    """The axes of the stack as one."""
    if ref.rank == 2:
        return ref
    if ref.shape[:-2] != batch:
        whole = (1,) * (len(batch) + 2 - ref.rank) + ref.shape
        wide = g.reshape(ref, whole)
        ref = spread(g, wide, (*batch, *ref.shape[-2:]), identity(len(batch) + 2))
    return g.reshape(ref, (product(batch), *ref.shape[-2:]))
