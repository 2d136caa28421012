"""Shapes: expand, permute, flip, roll, repeat, split, pixels into channels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import axes_of, axis_of, broadcast, contents, ints, length_of
from ..dim import Expr
from ..errors import BadType
from ..model import Index, Value
from ..ops import compare, generate, index, reduce, shape, sort, unary
from ..ops import shape as ops
from ..types import Precision


def flip(x: Value, dims: tuple[int, ...]) -> Value:
    """The elements along axes in reverse."""
    axes = axes_of(dims, max(x.rank, 1)) if x.rank else ()
    if not axes:
        return x
    back = [-1] * len(axes)
    return index.slice_(x, list(axes), back, [build.FRONT] * len(axes), back)


def require_rank(x: Value, rank: int) -> None:
    """BadType where there are fewer axes."""
    if x.rank < rank:
        raise BadType(f"{x.type}, where at least {rank} axes are needed")


def roll(x: Value, shifts: Index, dims: tuple[int, ...] = ()) -> Value:
    """The elements moved along axes; what leaves at one end enters at the other."""
    if not x.rank:
        return x
    return index.roll(x, shifts, list(dims) or None)


def pixel_shuffle(x: Value, upscale_factor: int, *, blocks_first: bool = False) -> Value:
    """Channels moved into blocks of r times r pixels: [c * r * r], or [r * r * c] blocks first."""
    require_rank(x, 3)
    r = upscale_factor
    *head, c, h, w = build.sizes_of(x)
    n, depth = len(head), build.over(c, r * r)
    channels = [r, r, depth] if blocks_first else [depth, r, r]
    places = (2, 3, 0, 4, 1) if blocks_first else (0, 3, 1, 4, 2)
    cut = build.reshape(x, [*head, *channels, h, w])
    moved = shape.transpose(cut, perm=(*range(n), *(n + k for k in places)))
    return build.reshape(moved, [*head, depth, build.times(h, r), build.times(w, r)])


def pixel_unshuffle(x: Value, downscale_factor: int, *, blocks_first: bool = False) -> Value:
    """Blocks of r times r pixels moved into channels, as `pixel_shuffle` takes them."""
    require_rank(x, 3)
    r = downscale_factor
    *head, c, h, w = build.sizes_of(x)
    n = len(head)
    cut = build.reshape(x, [*head, c, build.over(h, r), r, build.over(w, r), r])
    places = (2, 4, 0, 1, 3) if blocks_first else (0, 2, 4, 1, 3)
    moved = shape.transpose(cut, perm=(*range(n), *(n + k for k in places)))
    return build.reshape(moved, [*head, build.times(c, r * r), build.over(h, r), build.over(w, r)])


def meshgrid(tensors: Sequence[Value]) -> list[Value]:
    """Each vector spread over the axes of all."""
    lines = [v if v.rank else shape.reshape(v, [1]) for v in tensors]
    return list(generate.meshgrid(*lines)) if len(lines) > 1 else lines


def repeat_all(
    input: Value, repeats: Index, dim: int | None, *, output_size: Index | None = None
) -> Value:
    """Every slice along an axis so many times."""
    x, axis = _line_of(input, dim)
    known, size = ints(repeats), x.shape[axis]
    if known is not None and isinstance(size, int):
        if known[0] == 1:
            return x
        if known[0] < 0:
            raise BadType(f"repeat_interleave {known[0]} times")
        return index.gather(x, build.arange(size * known[0]) // max(known[0], 1), axis=axis)
    own = build.sizes_of(x)
    times = known[0] if known is not None else shape.reshape(repeats, [1])
    wide = build.vector(x.model, [*own[: axis + 1], times, *own[axis + 1 :]])
    copies = shape.expand(shape.unsqueeze(x, [axis + 1]), wide)
    return build.reshape(copies, [*own[:axis], build.times(own[axis], times), *own[axis + 1 :]])


def _line_of(x: Value, axis: int | None) -> tuple[Value, int]:
    """A tensor and the axis that an operator works on; without one the flattened tensor."""
    if axis is None or not x.rank:
        return (x if x.rank == 1 else shape.flatten(x, start_axis=0, end_axis=-1)), 0
    return x, axis_of(axis, x.rank)


def repeat_each(
    input: Value, repeats: Value, dim: int | None, *, output_size: Index | None = None
) -> Value:
    """Every slice along an axis as often as a tensor says."""
    x, axis = _line_of(input, dim)
    if repeats.rank == 0 or repeats.shape[0] == 1 != x.shape[axis]:
        one = shape.reshape(repeats, [])
        return repeat_all(x, one.cast(Precision.INT64), axis)
    return index.gather(x, repeat_positions(repeats, output_size), axis=axis)


def repeat_positions(repeats: Value, total: Value | None) -> Value:
    """0 as often as the first number says, then 1 as often as the second, ..."""
    if repeats.precision not in (Precision.INT32, Precision.INT64):
        raise BadType(f"repeat_interleave as often as {repeats.type}")
    if repeats.known is not None:
        known = repeats.known
        if known.size and (known.min() < 0 or known.sum() > build.LARGEST_CONSTANT):
            raise BadType(f"repeat_interleave {known.min()} to {known.max()} times")
        return repeats.model.constant(np.repeat(np.arange(known.size), known))
    counts = repeats.cast(Precision.INT64)
    ends = reduce.cum_sum(counts, [0])
    whole = total if total is not None else reduce.reduce_sum(counts, [0], keepdim=False)
    steps = generate.range_([0], shape.reshape(whole, [1]), [1])
    passed = shape.unsqueeze(steps, [1]) >= ends
    return reduce.reduce_sum(unary.cast(passed, dtype=Precision.INT64), [1], keepdim=False)


def unfold(input: Value, dimension: int, size: int, step: int) -> Value:
    """Windows along an axis; their elements are the last axis of the result."""
    if size < 0 or step < 1:
        raise BadType(f"unfold into windows of {size} with step {step}")
    x = input if input.rank else shape.reshape(input, [1])
    axis = axis_of(dimension, x.rank)
    length = x.shape[axis]
    if isinstance(length, int):
        count = (length - size) // step + 1
        if length < size:
            raise BadType(f"unfold of {input.type} into windows of {size}")
        build.arange(count * size)  # too many are refused
        where = x.model.constant(np.arange(count)[:, None] * step + np.arange(size))
    else:
        room = build.over(build.minus(build.size_of(x, axis), size), step)
        starts = generate.range_([0], build.vector(x.model, [build.plus(room, 1)]), [1])
        starts = starts * [step] if step != 1 else starts
        where = shape.unsqueeze(starts, [1]) + np.arange(size)
    if not input.rank:
        return shape.reshape(index.gather(x, where, axis=0), [-1])
    windows = index.gather(x, where, axis=axis)
    perm = (*range(axis + 1), *range(axis + 2, x.rank + 1), axis + 1)
    return windows if axis == x.rank - 1 else shape.transpose(windows, perm=perm)


def flatten(x: Value, start_dim: int = 0, end_dim: int = -1) -> Value:
    """A range of axes as one."""
    rank = max(x.rank, 1)
    first, last = axis_of(start_dim, rank), axis_of(end_dim, rank)
    if first == last and x.rank:
        return x
    return ops.flatten(x, start_axis=first, end_axis=last)


def flatten_to_matrix(input: Value, *, axis: int) -> Value:
    """Two axes: what is before `axis` and the rest."""
    first = axis_of(axis, input.rank, extra=0) if axis != input.rank else input.rank
    if first in (0, input.rank):
        flat = ops.flatten(input, start_axis=0, end_axis=-1)
        return ops.unsqueeze(flat, [0 if first == 0 else 1])
    tail = ops.flatten(input, start_axis=first, end_axis=-1)
    return ops.flatten(tail, start_axis=0, end_axis=first - 1)


def insert_axes(data: Value, axes: Index) -> Value:
    """Axes of size 1 where they are in the result; UNSQUEEZE inserts one after the other."""
    known = ints(axes)
    if known is not None:
        return ops.unsqueeze(data, sorted(axes_of(known, data.rank + len(known))))
    count = length_of(axes)
    if count > 1:
        wrapped = axes + (data.rank + count)
        axes = compare.where(axes < 0, wrapped, axes)
        axes, _ = sort.top_k(axes, [count], axis=0, largest=False)
    return ops.unsqueeze(data, axes)


def drop_axes(x: Value, axes: list[int]) -> Value:
    """`x` without axes of size 1."""
    return ops.squeeze(x, axes) if axes else x


def permute(x: Value, perm: Sequence[int]) -> Value:
    """`x` with its axes in another order."""
    order = axes_of(perm, x.rank)
    if order == tuple(range(x.rank)):
        return x
    return ops.transpose(x, perm=order)


def place_first_axis(x: Value, axis: int) -> Value:
    """`x` with its first axis moved to where `axis` says."""
    order = list(range(1, x.rank))
    order.insert(axis_of(axis, x.rank), 0)
    return permute(x, order)


def expand_to(x: Value, size: Value) -> Value:
    """`x` with axes of size 1 repeated; itself where it has the sizes already."""
    target = contents(size)
    if target is not None and len(target) == x.rank:
        is_same = all(d in (-1, n) for d, n in zip(target, x.shape, strict=True))
        return x if is_same else ops.expand(x, size)
    return ops.expand(x, size)


def common_sizes(*tensors: Value) -> Value:
    """The shape that tensors broadcast to, as an int64 vector."""
    shape = broadcast(*(v.shape for v in tensors))
    for value in tensors:
        if value.shape == shape:
            return build.shape_of(value)
    found: list[int | Value] = []
    for behind, dim in zip(range(len(shape), 0, -1), shape, strict=True):
        if isinstance(dim, Expr):
            longer = [v for v in tensors if v.rank >= behind and v.shape[-behind] != 1]
            found.append(longer[0].size(-behind))
        else:
            found.append(dim)
    return build.vector(tensors[0].model, found)


def tile(x: Value, repeats: Value) -> Value:
    """`x` several times along every axis; as many 1s as axes change nothing."""
    times = contents(repeats)
    if times is not None and all(n == 1 for n in times):
        extra = len(times) - x.rank
        return ops.unsqueeze(x, [0] * extra) if extra > 0 else x
    return ops.tile(x, repeats)


def squeeze_axes(x: Value, *, axes: tuple[int, ...] = ()) -> Value:
    """Without the axes named, or without all axes of one element where none is named."""
    if not axes and x.is_static and 1 not in x.shape:
        return x
    return shape.squeeze(x, list(axes) or None)


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


def split_up(x: Value, count: int, axis: int) -> list[Value]:
    """`count` pieces along an axis, equal but for a smaller last one."""
    whole = build.size_of(x, axis_of(axis, x.rank))
    piece = build.over(build.plus(whole, count - 1), count)
    if isinstance(whole, int) and isinstance(piece, int):
        lengths = np.diff(np.minimum(np.arange(count + 1) * piece, whole)).tolist()
    else:
        last = build.minus(whole, build.times(piece, count - 1))
        lengths = [piece] * (count - 1) + [last]
    return split_pieces(x, lengths, axis)


def split_by_lengths(x: Value, sizes: Index, axis: int) -> list[Value]:
    """Pieces of given lengths; one of the lengths may be -1: what the others leave."""
    lengths = build.elements(sizes)
    rest = [k for k, n in enumerate(lengths) if n == -1]
    if rest:
        left = build.size_of(x, axis_of(axis, x.rank))
        for k, length in enumerate(lengths):
            left = left if k in rest else build.minus(left, length)
        lengths[rest[0]] = left
    elif any(map(build.is_unknown, lengths)):
        given = build.vector(x.model, lengths)
        whole = build.vector(x.model, [build.size_of(x, axis_of(axis, x.rank))])
        told = reduce.reduce_sum(compare.where(given < 0, 0, given), [0], keepdim=True)
        return split_pieces(x, compare.where(given < 0, whole - told, given), axis)
    return split_pieces(x, lengths, axis)


def split_pieces(x: Value, lengths: Value | Sequence[build.Size], axis: int) -> list[Value]:
    """SPLIT; pieces of a shape are cut by SLICE, which keeps what is known of their elements."""
    sizes = lengths if isinstance(lengths, Value) else build.vector(x.model, lengths)
    if length_of(sizes) == 1:
        return [x]
    known = ints(sizes)
    if x.content is None or known is None or sum(known) != x.shape[axis]:
        return list(shape.split(x, sizes, axis=axis))
    ends = np.cumsum(known).tolist()
    pairs = zip(known, ends, strict=True)
    return [index.slice_(x, [axis], [end - n], [end]) for n, end in pairs]


def broadcast_shapes(a: Index, b: Index) -> Value:
    """The broadcast of two shapes."""
    known = [contents(s) for s in (a, b)]
    both = None if None in known else broadcast(*known)  # type: ignore[arg-type]
    if both is not None and not any(isinstance(d, Expr) for d in both):
        return a.model.constant(np.array(both, a.dtype))
    missing = length_of(a) - length_of(b)
    lines = []
    for line, count in ((a, -missing), (b, missing)):
        ones = np.ones(max(count, 0), a.dtype)
        lines.append(shape.concat(line.model.constant(ones), line, axis=0) if count > 0 else line)
    one = a.model.constant(np.ones(1, a.dtype))
    result = compare.where(compare.equal(lines[0], one), lines[1], lines[0])
    if both is not None:
        result.content = np.array(both, object)
    return result


def shape_vector(x: Value, dtype: Precision) -> Value:
    """The shape as a vector: a constant where it is known."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, dtype.dtype))
    return shape.shape(x, dtype=dtype)
