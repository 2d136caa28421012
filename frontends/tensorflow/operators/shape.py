"""TensorFlow's operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import complex, generate, index, shape, unary
from nnir.recipes.shape import (
    broadcast_shapes,
    expand_to,
    flip,
    permute,
    shape_vector,
    split_by_lengths,
    split_evenly,
    squeeze_axes,
    unstack,
)
from nnir.types import Precision

from ...table import Items, Table
from ...translate import Translator
from . import blocks, matrices, padding, patches

table = Table.merge([blocks.table, matrices.table, padding.table, patches.table])


@table.convert("Reshape")
def reshape(tensor: Value, shape: Index) -> Value:
    return build.reshape_to(tensor, build.int64(shape))


@table.convert("ExpandDims")
def expand_dims(input: Value, dim: int) -> Value:
    return shape.unsqueeze(input, [axis_of(dim, input.rank, extra=1)])


@table.convert("Squeeze")
def squeeze(input: Value, *, squeeze_dims: tuple[int, ...] = ()) -> Value:
    return squeeze_axes(input, axes=squeeze_dims)


@table.convert("Transpose")
def transpose(x: Value, perm: tuple[int, ...]) -> Value:
    return permute(x, perm)


@table.convert("ConjugateTranspose")
def conjugate_transpose(x: Value, perm: tuple[int, ...]) -> Value:
    moved = transpose(x, perm)
    return complex.conj(moved) if moved.precision.is_complex else moved


@table.convert("Concat")
def concat_of(concat_dim: int, values: Items) -> Value:
    return values[0] if len(values) == 1 else shape.concat(*values, axis=concat_dim)


@table.convert("ConcatV2")
def concat(values: Items, axis: int) -> Value:
    return concat_of(axis, values)


@table.convert("ParallelConcat")
def parallel_concat(values: Items, *, shape: Any) -> Value:
    return concat_of(0, values)


@table.convert("ConcatOffset")
def concat_offset(concat_dim: int, shape: Items) -> list[Value]:
    """Where each of several shapes begins when their tensors are joined."""
    first = shape[0]
    count = first.shape[0] if first.rank == 1 else 0
    if not isinstance(count, int):
        raise BadType(f"ConcatOffset of shapes {first.type}")
    axis = axis_of(concat_dim, count)
    mask = np.zeros(first.shape, first.dtype)
    mask[axis] = 1
    along = first.model.constant(mask)
    offsets = [first.model.constant(np.zeros_like(mask))]
    for value in shape[:-1]:
        offsets.append(offsets[-1] + value * along)
    return offsets


@table.convert("Pack")
def pack(values: Items, *, axis: int = 0) -> Value:
    return shape.stack(*values, axis=axis)


@table.convert("Unpack")
def unpack(value: Value, *, num: int, axis: int = 0) -> list[Value]:
    return unstack(value, count=num, axis=axis)


@table.convert("Split")
def split(split_dim: int, value: Value, *, num_split: int) -> list[Value]:
    return split_evenly(value, num_split, split_dim)


@table.convert("SplitV")
def split_v(value: Value, size_splits: Index, split_dim: int, *, num_split: int) -> list[Value]:
    return split_by_lengths(value, size_splits, split_dim)


@table.convert("Tile")
def tile(input: Value, multiples: Index) -> Value:
    return shape.tile(input, multiples)


@table.convert("BroadcastTo")
def broadcast_to(input: Value, shape: Index) -> Value:
    return expand_to(input, build.int64(shape))


@table.convert("BroadcastArgs")
def broadcast_args(s0: Index, s1: Index) -> Value:
    return broadcast_shapes(s0, s1)


@table.convert("Reverse")
def reverse(tensor: Value, dims: tuple[bool, ...]) -> Value:
    return reverse_v2(tensor, tuple(k for k, turned in enumerate(dims) if turned))


@table.convert("ReverseV2")
def reverse_v2(tensor: Value, axis: tuple[int, ...]) -> Value:
    return flip(tensor, axis)


@table.convert("ReverseSequence")
def reverse_sequence(
    input: Value, seq_lengths: Value, *, seq_dim: int, batch_dim: int = 0
) -> Value:
    return index.reverse_sequence(input, seq_lengths, batch_axis=batch_dim, time_axis=seq_dim)


@table.convert("Roll")
def roll(input: Value, shift: Index, axis: tuple[int, ...]) -> Value:
    """An axis that is named twice is rolled twice."""
    amounts: dict[int, build.Size] = {}
    for place, amount in zip(axis, build.elements(shift), strict=True):
        where = axis_of(place, input.rank)
        amounts[where] = build.plus(amounts[where], amount) if where in amounts else amount
    return index.roll(
        input, build.vector(input.model, list(amounts.values()), negative=True), list(amounts)
    )


@table.convert("Shape")
def shape_of(input: Value, *, out_type: Precision = Precision.INT32) -> Value:
    return shape_vector(input, out_type)


@table.convert("ShapeN")
def shape_n(input: Items, *, out_type: Precision = Precision.INT32) -> list[Value]:
    return [shape_of(x, out_type=out_type) for x in input]


@table.convert("Size")
def size(input: Value, *, out_type: Precision = Precision.INT32) -> Value:
    count = build.product(build.sizes_of(input))
    if isinstance(count, int):
        return input.model.constant(np.array(count, out_type.dtype))
    single = shape.squeeze(count, [0])
    return single if out_type == Precision.INT64 else unary.cast(single, dtype=out_type)


@table.convert("Rank")
def rank(input: Value) -> Value:
    return input.model.constant(np.int32(input.rank))


@table.convert("IdentityN")
def identity_n(input: Any) -> Any:
    return list(input)


@table.convert("GuaranteeConst")
def guarantee_const(input: Value) -> Value:
    return input


@table.convert("EnsureShape")
def ensure_shape(input: Value, *, shape: Any = None) -> Value:
    if shape is not None:
        require_shape(input, shape)
    return input


@table.convert("PlaceholderWithDefault")
def placeholder_with_default(input: Value, *, shape: Any = None) -> Value:
    return input


def require_shape(x: Value, wanted: Any) -> None:
    """BadType where a tensor surely does not have a shape; None and -1 stand for any size."""
    if not isinstance(wanted, (list, tuple)):
        raise BadType(f"{wanted!r} is no shape")
    pairs = list(zip(x.shape, wanted, strict=False))
    wrong = any(isinstance(a, int) and isinstance(b, int) and b >= 0 and a != b for a, b in pairs)
    if wrong or len(wanted) != x.rank:
        raise BadType(f"a tensor of the shape {list(wanted)} is needed, not {x.type}")


@table.convert("Empty")
def empty(shape: Index, *, dtype: Precision, init: bool = False, translator: Translator) -> Value:
    """What it holds without `init` is not said; here zeros."""
    return generate.fill(build.int64(shape), translator.model.constant(0, dtype.dtype))
