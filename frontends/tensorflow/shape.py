"""TensorFlow's operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, broadcast, contents
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import compare, complex, generate, index, shape, unary
from nnir.types import Precision

from ..table import Items, Table
from ..translate import Translator
from . import blocks, matrices, padding, patches

table = Table.merge([blocks.table, matrices.table, padding.table, patches.table])


@table.convert("Reshape")
def reshape(tensor: Value, shape: Index) -> Value:
    return reshaped(tensor, shape)


def reshaped(x: Value, target: Value) -> Value:
    """`x` in a new shape; unlike RESHAPE's, a size of 0 is 0."""
    known = contents(target)
    if known is None:
        return shape.reshape_exact(x, build.int64(target))
    if known == x.shape:
        return x
    has_zero = any(not isinstance(d, Expr) and d == 0 for d in known)
    return (shape.reshape_exact if has_zero else shape.reshape)(x, build.int64(target))


@table.convert("ExpandDims")
def expand_dims(input: Value, dim: int) -> Value:
    return shape.unsqueeze(input, [axis_of(dim, input.rank, extra=1)])


@table.convert("Squeeze")
def squeeze(input: Value, *, squeeze_dims: tuple[int, ...] = ()) -> Value:
    if not squeeze_dims and input.is_static and 1 not in input.shape:
        return input
    return shape.squeeze(input, list(squeeze_dims) or None)


@table.convert("Transpose")
def transpose(x: Value, perm: tuple[int, ...]) -> Value:
    if len(perm) != x.rank:
        raise BadType(f"a transpose of {x.type} with perm {list(perm)}")
    order = tuple(axis_of(a, x.rank) for a in perm)
    return x if order == tuple(range(x.rank)) else shape.transpose(x, perm=order)


@table.convert("ConjugateTranspose")
def conjugate_transpose(x: Value, perm: tuple[int, ...]) -> Value:
    moved = transpose(x, perm)
    return complex.conj(moved) if complex.is_complex(moved) else moved


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
    if not num:
        return []
    if value.content is not None and value.rank == 1:  # sizes stay known one by one
        places = (value.model.constant(np.int64(k)) for k in range(num))
        return [index.gather(value, place, axis=0) for place in places]
    return list(shape.unstack(value, axis=axis, num=num))


@table.convert("Split")
def split(split_dim: int, value: Value, *, num_split: int) -> list[Value]:
    size = build.size_of(value, axis_of(split_dim, value.rank))
    if isinstance(size, int) and size % num_split:
        raise BadType(f"Split of an axis of {size} into {num_split} equal pieces")
    return cut(value, [build.over(size, num_split)] * num_split, split_dim)


@table.convert("SplitV")
def split_v(value: Value, size_splits: Index, split_dim: int, *, num_split: int) -> list[Value]:
    """One of the lengths may be -1: what the others leave."""
    lengths = build.elements(size_splits)
    rest = [k for k, n in enumerate(lengths) if n == -1]
    if rest:
        left = build.size_of(value, axis_of(split_dim, value.rank))
        for k, length in enumerate(lengths):
            left = left if k in rest else build.minus(left, length)
        lengths[rest[0]] = left
    return cut(value, lengths, split_dim)


def cut(x: Value, lengths: list[build.Size], axis: int) -> list[Value]:
    """SPLIT; pieces of a shape are cut by SLICE, which keeps what is known of their elements."""
    if len(lengths) == 1:
        return [x]
    known = [n for n in lengths if isinstance(n, int)]
    if x.content is None or len(known) < len(lengths) or sum(known) != x.shape[axis]:
        return list(shape.split(x, build.vector(x.model, lengths), axis=axis))
    ends = np.cumsum(known).tolist()
    pairs = zip(known, ends, strict=True)
    return [index.slice_(x, [axis], [end - n], [end]) for n, end in pairs]


@table.convert("Tile")
def tile(input: Value, multiples: Index) -> Value:
    return shape.tile(input, multiples) if input.rank else input


@table.convert("BroadcastTo")
def broadcast_to(input: Value, shape: Index) -> Value:
    return expanded(input, shape)


def expanded(x: Value, target: Value) -> Value:
    """`x` repeated until it has a shape."""
    return x if contents(target) == x.shape else shape.expand(x, build.int64(target))


@table.convert("BroadcastArgs")
def broadcast_args(s0: Index, s1: Index) -> Value:
    """The broadcast of two shapes."""
    known = [contents(s) for s in (s0, s1)]
    both = None if None in known else broadcast(*known)  # type: ignore[arg-type]
    if both is not None and not any(isinstance(d, Expr) for d in both):
        return s0.model.constant(np.array(both, s0.dtype))
    missing = len(build.elements(s0)) - len(build.elements(s1))
    lines = []
    for line, count in ((s0, -missing), (s1, missing)):
        ones = np.ones(max(count, 0), s0.dtype)
        lines.append(shape.concat(line.model.constant(ones), line, axis=0) if count > 0 else line)
    one = s0.model.constant(np.ones(1, s0.dtype))
    result = compare.where(compare.equal(lines[0], one), lines[1], lines[0])
    if both is not None:
        result.content = np.array(both, object)
    return result


@table.convert("Reverse")
def reverse(tensor: Value, dims: tuple[bool, ...]) -> Value:
    return reverse_v2(tensor, tuple(k for k, turned in enumerate(dims) if turned))


@table.convert("ReverseV2")
def reverse_v2(tensor: Value, axis: tuple[int, ...]) -> Value:
    if not axis:
        return tensor
    count = len(axis)
    return index.slice_(tensor, list(axis), [-1] * count, [build.FRONT] * count, [-1] * count)


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
    if input.is_static:
        return input.model.constant(np.array(input.shape, out_type.dtype))
    return shape.shape(input, dtype=out_type)


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
def ensure_shape(input: Value, *, shape: Any) -> Value:
    require_shape(input, shape)
    return input


@table.convert("PlaceholderWithDefault")
def placeholder_with_default(input: Value, *, shape: Any) -> Value:
    return input


def require_shape(x: Value, wanted: Any) -> None:
    """BadType where a tensor surely does not have a shape; None and -1 stand for any size."""
    if wanted is None:
        return
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
