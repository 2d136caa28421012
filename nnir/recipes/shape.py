"""Operators that rearrange, join or cut elements, with sizes that may be computed."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axis_of, broadcast, contents
from ..dim import Expr
from ..errors import BadType
from ..model import Index, Value
from ..ops import compare, index, shape
from ..types import Precision


def reshape_to(x: Value, target: Value) -> Value:
    """`x` in a new shape; unlike RESHAPE's, a size of 0 is 0."""
    known = contents(target)
    if known is None:
        return shape.reshape_exact(x, build.int64(target))
    if known == x.shape:
        return x
    has_zero = any(not isinstance(d, Expr) and d == 0 for d in known)
    return (shape.reshape_exact if has_zero else shape.reshape)(x, build.int64(target))


def squeeze_axes(input: Value, *, squeeze_dims: tuple[int, ...] = ()) -> Value:
    """Without the axes named, or without all axes of one element where none is named."""
    if not squeeze_dims and input.is_static and 1 not in input.shape:
        return input
    return shape.squeeze(input, list(squeeze_dims) or None)


def permute(x: Value, perm: tuple[int, ...]) -> Value:
    """A transpose; negative axes count from the last, and the order as it is changes nothing."""
    if len(perm) != x.rank:
        raise BadType(f"a transpose of {x.type} with perm {list(perm)}")
    order = tuple(axis_of(a, x.rank) for a in perm)
    return x if order == tuple(range(x.rank)) else shape.transpose(x, perm=order)


def unstack(value: Value, *, num: int, axis: int = 0) -> list[Value]:
    """The slices along an axis; sizes stay known one by one."""
    if not num:
        return []
    if value.content is not None and value.rank == 1:  # sizes stay known one by one
        places = (value.model.constant(np.int64(k)) for k in range(num))
        return [index.gather(value, place, axis=0) for place in places]
    return list(shape.unstack(value, axis=axis, num=num))


def split_evenly(split_dim: int, value: Value, *, num_split: int) -> list[Value]:
    """`num_split` equal pieces along an axis."""
    size = build.size_of(value, axis_of(split_dim, value.rank))
    if isinstance(size, int) and size % num_split:
        raise BadType(f"Split of an axis of {size} into {num_split} equal pieces")
    return split_pieces(value, [build.over(size, num_split)] * num_split, split_dim)


def split_by_lengths(
    value: Value, size_splits: Index, split_dim: int, *, num_split: int
) -> list[Value]:
    """Pieces of given lengths; one of the lengths may be -1: what the others leave."""
    lengths = build.elements(size_splits)
    rest = [k for k, n in enumerate(lengths) if n == -1]
    if rest:
        left = build.size_of(value, axis_of(split_dim, value.rank))
        for k, length in enumerate(lengths):
            left = left if k in rest else build.minus(left, length)
        lengths[rest[0]] = left
    return split_pieces(value, lengths, split_dim)


def split_pieces(x: Value, lengths: list[build.Size], axis: int) -> list[Value]:
    """SPLIT; pieces of a shape are cut by SLICE, which keeps what is known of their elements."""
    if len(lengths) == 1:
        return [x]
    known = [n for n in lengths if isinstance(n, int)]
    if x.content is None or len(known) < len(lengths) or sum(known) != x.shape[axis]:
        return list(shape.split(x, build.vector(x.model, lengths), axis=axis))
    ends = np.cumsum(known).tolist()
    pairs = zip(known, ends, strict=True)
    return [index.slice_(x, [axis], [end - n], [end]) for n, end in pairs]


def expand_to(x: Value, target: Value) -> Value:
    """`x` repeated until it has a shape."""
    return x if contents(target) == x.shape else shape.expand(x, build.int64(target))


def broadcast_shapes(s0: Index, s1: Index) -> Value:
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


def reverse_axes(tensor: Value, axis: tuple[int, ...]) -> Value:
    """The elements along some axes in reverse order."""
    if not axis:
        return tensor
    count = len(axis)
    return index.slice_(tensor, list(axis), [-1] * count, [build.FRONT] * count, [-1] * count)


def shape_vector(x: Value, dtype: Precision) -> Value:
    """The shape as a vector: a constant where it is known."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, dtype.dtype))
    return shape.shape(x, dtype=dtype)
