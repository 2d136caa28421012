"""Matrix products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.broadcast import broadcast
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from ...orders import identity
from .binary import CODES, apply_fuse_code
from .emitter import Emitter, Ref, result_shape
from .reduce import reduce_axes
from .static import numbers

table = Lowerings[Ref]()
LARGEST = 1 << 22
"""As many products of integers are made at once."""


@table.lower(linear.fully_connected)
def fully_connected(
    g: Emitter, input: Value, weight: Value, bias: Value, *, fuse_code: Fuse
) -> Ref:
    target = result_shape(g)
    if not input.is_float:
        rows = g.reshape(input, (target[0], input.shape[-1]))
        product = _integers(g, rows, g.plain(weight), transpose=True)
        return apply_fuse_code(g, product + bias, fuse_code)
    x = g.plain(input)
    return dense(g, x, g.plain(weight), g.take(bias), target, fuse_code, keep=input.rank == 2)


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
    if x.tensor.precision != Precision.FLOAT32:
        raise NoLowering(f"litert has no matrix products of {x.tensor.precision.name}")
    if 0 in weight.tensor.shape:
        return _of_nothing(g, bias, shape, fuse_code)
    fields: dict[str, Any] = {"fused_activation_function": CODES.get(fuse_code, 0)}
    fields["keep_num_dims"] = keep
    shift = g.constant(np.zeros(numbers(shape[-1:]), np.float32)) if bias is None else bias
    order = x.order if keep else identity(len(shape))
    made = g.compute("FULLY_CONNECTED", [x, weight, shift], shape, order, **fields)
    return made if fuse_code in CODES else apply_fuse_code(g, made, fuse_code)


def _of_nothing(
    g: Emitter, bias: Ref | None, shape: tuple[Dim, ...], fuse_code: Fuse = Fuse.NONE
) -> Ref:
    """A product over no columns: zeros, or the bias."""
    zeros = g.constant(np.zeros(numbers(shape), np.float32))
    return apply_fuse_code(g, zeros if bias is None else zeros + bias, fuse_code)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    target = result_shape(g)
    left, right = g.take(x), g.take(y)
    if transpose_x and x.rank > 1:
        left = swap_last(left)
    if transpose_y and y.rank > 1:
        right = swap_last(right)
    if x.rank == 1:
        left = g.reshape(left, (1, x.shape[0]))
    if y.rank == 1:
        right = g.reshape(right, (y.shape[0], 1))
    return g.reshape_last(product(g, left, right), target)


def swap_last(ref: Ref) -> Ref:
    """The last two axes the other way round, which is no work."""
    a, b = ref.rank - 2, ref.rank - 1
    turned = {a: b, b: a}
    return ref.stored(tuple(turned.get(k, k) for k in ref.order))


def product(g: Emitter, left: Ref, right: Ref) -> Ref:
    """Of two stacks of matrices."""
    if not left.precision.is_float:
        return _integers(g, g.plain(left), g.plain(right), transpose=False)
    if left.tensor.precision != Precision.FLOAT32:
        raise NoLowering(f"litert has no matrix products of {left.tensor.precision.name}")
    units = right.shape[-1]
    if left.shape[-1] == 0:
        batch = broadcast(left.shape[:-2], right.shape[:-2])
        return _of_nothing(g, None, (*batch, left.shape[-2], right.shape[-1]))
    if right.rank == 2 and right.tensor.data is not None and isinstance(units, int):
        x = g.last(left, left.rank - 1)
        shape = (*x.tensor.shape[:-1], units)
        return dense(g, x, g.plain(swap_last(right)), None, shape)
    return _batch_product(g, left, right)


def _batch_product(g: Emitter, left: Ref, right: Ref) -> Ref:
    """BATCH_MATMUL; stacks over more than one axis are one where both have the same."""
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    shape = (*batch, left.shape[-2], right.shape[-1])
    x, adjoint = g.plain(left), False
    plain = right.stored(identity(right.rank))
    if right.order == swap_last(plain).order:
        adjoint = True
        y = plain
    else:
        y = g.plain(right)
    if len(batch) > 2:
        x, y = _merge_batch(g, x, batch), _merge_batch(g, y, batch)
    stack = (math_prod(batch),) if len(batch) > 2 else batch
    sizes = (*stack, *shape[-2:])
    made = g.compute("BATCH_MATMUL", [x, y], sizes, identity(len(sizes)), adj_y=adjoint)
    return g.reshape(made, shape) if len(batch) > 2 else made


def math_prod(sizes: tuple[Dim, ...]) -> Dim:
    total: Dim = 1
    for size in sizes:
        total = total * size
    return total


def _merge_batch(g: Emitter, ref: Ref, batch: tuple[Dim, ...]) -> Ref:
    """The axes of the stack as one."""
    from .binary import spread

    if ref.rank == 2:
        return ref
    if ref.shape[:-2] != batch:
        whole = (1,) * (len(batch) + 2 - ref.rank) + ref.shape
        wide = g.reshape(ref, whole)
        ref = spread(g, wide, (*batch, *ref.shape[-2:]), identity(len(batch) + 2))
    return g.reshape(ref, (math_prod(batch), *ref.shape[-2:]))


def _integers(g: Emitter, left: Ref, right: Ref, *, transpose: bool) -> Ref:
    """Every product, added up: LiteRT has no kernel for integers."""
    if transpose:
        right = g.plain(swap_last(right))
    sizes = (*broadcast(left.shape[:-2], right.shape[:-2]), left.shape[-2], *right.shape[-2:])
    static = [d for d in sizes if isinstance(d, int)]
    if len(static) < len(sizes) or math.prod(static) > LARGEST:
        raise NoLowering(f"litert multiplies no large matrices of {left.precision.name}")
    if len(sizes) > 6:
        raise NoLowering("litert multiplies no stacks of integer matrices over so many axes")
    rows = g.reshape(left, (*left.shape, 1))
    columns = g.reshape(right, (*right.shape[:-2], 1, *right.shape[-2:]))
    every = rows * columns
    return reduce_axes(g, "SUM", every, (every.rank - 2,), keepdim=False)
