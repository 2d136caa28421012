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


def squeeze_axes(x: Value, *, axes: tuple[int, ...] = ()) -> Value:
    """Without the axes named, or without all axes of one element where none is named."""
    if not axes and x.is_static and 1 not in x.shape:
        return x
    return shape.squeeze(x, list(axes) or None)


def permute(x: Value, perm: tuple[int, ...]) -> Value:
    """A transpose; negative axes count from the last, and the order as it is changes nothing."""
    if len(perm) != x.rank:
        raise BadType(f"a transpose of {x.type} with perm {list(perm)}")
    order = tuple(axis_of(a, x.rank) for a in perm)
    return x if order == tuple(range(x.rank)) else shape.transpose(x, perm=order)


def unstack(x: Value, *, count: int, axis: int) -> list[Value]:
    """The slices along an axis; of a vector of sizes each stays known."""
    if not count:
        return []
    if x.content is not None and x.rank == 1:
        places = (x.model.constant(np.int64(k)) for k in range(count))
        return [index.gather(x, place, axis=0) for place in places]
    return list(shape.unstack(x, axis=axis, num=count))


def split_evenly(x: Value, count: int, axis: int) -> list[Value]:
    """`count` equal pieces along an axis."""
    size = build.size_of(x, axis_of(axis, x.rank))
    if isinstance(size, int) and size % count:
        raise BadType(f"Split of an axis of {size} into {count} equal pieces")
    return split_pieces(x, [build.over(size, count)] * count, axis)


def split_by_lengths(x: Value, sizes: Index, axis: int) -> list[Value]:
    """Pieces of given lengths; one of the lengths may be -1: what the others leave."""
    lengths = build.elements(sizes)
    rest = [k for k, n in enumerate(lengths) if n == -1]
    if rest:
        left = build.size_of(x, axis_of(axis, x.rank))
        for k, length in enumerate(lengths):
            left = left if k in rest else build.minus(left, length)
        lengths[rest[0]] = left
    return split_pieces(x, lengths, axis)


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


def broadcast_shapes(a: Index, b: Index) -> Value:
    """The broadcast of two shapes."""
    known = [contents(s) for s in (a, b)]
    both = None if None in known else broadcast(*known)  # type: ignore[arg-type]
    if both is not None and not any(isinstance(d, Expr) for d in both):
        return a.model.constant(np.array(both, a.dtype))
    missing = len(build.elements(a)) - len(build.elements(b))
    lines = []
    for line, count in ((a, -missing), (b, missing)):
        ones = np.ones(max(count, 0), a.dtype)
        lines.append(shape.concat(line.model.constant(ones), line, axis=0) if count > 0 else line)
    one = a.model.constant(np.ones(1, a.dtype))
    result = compare.where(compare.equal(lines[0], one), lines[1], lines[0])
    if both is not None:
        result.content = np.array(both, object)
    return result


def reverse_axes(x: Value, axes: tuple[int, ...]) -> Value:
    """The elements along some axes in reverse order."""
    if not axes:
        return x
    count = len(axes)
    return index.slice_(x, list(axes), [-1] * count, [build.FRONT] * count, [-1] * count)


def shape_vector(x: Value, dtype: Precision) -> Value:
    """The shape as a vector: a constant where it is known."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, dtype.dtype))
    return shape.shape(x, dtype=dtype)
