"""ATen operators that turn, shift, interleave or combine elements."""

from __future__ import annotations

import itertools
import math

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, axis_of, ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import generate, index, reduce, shape, unary
from nnir.types import Precision

from ..table import Items, Table

table = Table()
BACK = -(1 << 62)
"""Before the first element of any axis."""


@table.convert("aten.flip.default")
def flip(self: Value, dims: tuple[int, ...]) -> Value:
    axes = axes_of(dims, max(self.rank, 1)) if self.rank else ()
    if not axes:
        return self
    back = [-1] * len(axes)
    return index.slice_(self, list(axes), back, [BACK] * len(axes), back)


def _require_rank(x: Value, rank: int) -> None:
    if x.rank < rank:
        raise BadType(f"{x.type}, where at least {rank} axes are needed")


@table.convert("aten.fliplr.default")
def fliplr(self: Value) -> Value:
    _require_rank(self, 2)
    return flip(self, (1,))


@table.convert("aten.flipud.default")
def flipud(self: Value) -> Value:
    _require_rank(self, 1)
    return flip(self, (0,))


@table.convert("aten.rot90.default")
def rot90(self: Value, k: int = 1, dims: tuple[int, ...] = (0, 1)) -> Value:
    a, b = axes_of(dims, self.rank)
    perm = list(range(self.rank))
    perm[a], perm[b] = b, a
    match k % 4:
        case 0:
            return self
        case 2:
            return flip(self, (a, b))
        case turns:
            flipped = flip(self, (b if turns == 1 else a,))
            return shape.transpose(flipped, perm=tuple(perm))


@table.convert("aten.roll.default")
def roll(self: Value, shifts: Index, dims: tuple[int, ...] = ()) -> Value:
    if not self.rank:
        return self
    return index.roll(self, shifts, list(dims) or None)


@table.convert("aten.pixel_shuffle.default")
def pixel_shuffle(self: Value, upscale_factor: int) -> Value:
    """Channels become blocks of r by r pixels."""
    _require_rank(self, 3)
    r = upscale_factor
    *head, c, h, w = build.sizes_of(self)
    n = len(head)
    cut = build.reshape(self, [*head, build.over(c, r * r), r, r, h, w])
    moved = shape.transpose(cut, perm=(*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return build.reshape(moved, [*head, build.over(c, r * r), build.times(h, r), build.times(w, r)])


@table.convert("aten.pixel_unshuffle.default")
def pixel_unshuffle(self: Value, downscale_factor: int) -> Value:
    """Blocks of r by r pixels become channels."""
    _require_rank(self, 3)
    r = downscale_factor
    *head, c, h, w = build.sizes_of(self)
    n = len(head)
    cut = build.reshape(self, [*head, c, build.over(h, r), r, build.over(w, r), r])
    moved = shape.transpose(cut, perm=(*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return build.reshape(moved, [*head, build.times(c, r * r), build.over(h, r), build.over(w, r)])


@table.convert("aten.channel_shuffle.default", "aten.native_channel_shuffle.default")
def channel_shuffle(self: Value, groups: int) -> Value:
    return index.channel_shuffle(self, group=groups)


@table.convert("aten.meshgrid.default")
def meshgrid(tensors: Items) -> list[Value]:
    lines = [v if v.rank else shape.reshape(v, [1]) for v in tensors]
    return list(generate.meshgrid(*lines)) if len(lines) > 1 else lines


@table.convert("aten.meshgrid.indexing")
def meshgrid_indexing(tensors: Items, *, indexing: str) -> list[Value]:
    match indexing:
        case "ij":
            return meshgrid(tensors)
        case "xy" if len(tensors) < 2:
            return meshgrid(tensors)
        case "xy":
            first, second, *rest = meshgrid(Items((tensors[1], tensors[0], *tensors[2:])))
            return [second, first, *rest]
    raise Unsupported(f"meshgrid with indexing={indexing!r}")


@table.convert("aten.cartesian_prod.default")
def cartesian_prod(tensors: Items) -> Value:
    if len(tensors) == 1:
        return tensors[0]
    columns = [shape.flatten(v, start_axis=0, end_axis=-1) for v in meshgrid(tensors)]
    return shape.stack(*columns, axis=1)


@table.convert("aten.combinations.default")
def combinations(self: Value, r: int = 2, with_replacement: bool = False) -> Value:
    _require_rank(self, 1)
    size = self.shape[0]
    if isinstance(size, Expr):
        raise NotConstant(f"combinations of {self.type}")
    if r <= 0:
        return self.model.constant(np.zeros(0, self.dtype))
    build.arange(math.comb(size + (r - 1) * with_replacement, r) * r)  # too many are refused
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(chosen(range(size), r)), np.int64).reshape(-1, r)
    return index.gather(self, rows, axis=0)


@table.convert("aten.repeat_interleave.self_int")
def repeat_interleave_int(
    self: Value, repeats: Index, dim: int | None = None, *, output_size: Index | None = None
) -> Value:
    x, axis = _line(self, dim)
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


def _line(x: Value, dim: int | None) -> tuple[Value, int]:
    """A tensor and the axis that an operator works on; without one the flattened tensor."""
    if dim is None or not x.rank:
        return (x if x.rank == 1 else shape.flatten(x, start_axis=0, end_axis=-1)), 0
    return x, axis_of(dim, x.rank)


@table.convert("aten.repeat_interleave.self_Tensor")
def repeat_interleave(
    self: Value, repeats: Value, dim: int | None = None, *, output_size: Index | None = None
) -> Value:
    x, axis = _line(self, dim)
    if repeats.rank == 0 or repeats.shape[0] == 1 != x.shape[axis]:
        one = shape.reshape(repeats, [])
        return repeat_interleave_int(x, one.cast(Precision.INT64), axis)
    return index.gather(x, repeated(repeats, output_size), axis=axis)


@table.convert("aten.repeat_interleave.Tensor")
def repeat_interleave_tensor(repeats: Value, *, output_size: Index | None = None) -> Value:
    return repeated(repeats, output_size).cast(repeats.precision)


def repeated(repeats: Value, total: Value | None) -> Value:
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


@table.convert("aten.unfold.default")
def unfold(self: Value, dimension: int, size: int, step: int) -> Value:
    """Windows along an axis; their elements are the last axis of the result."""
    if size < 0 or step < 1:
        raise BadType(f"unfold into windows of {size} with step {step}")
    x = self if self.rank else shape.reshape(self, [1])
    axis = axis_of(dimension, x.rank)
    length = x.shape[axis]
    if isinstance(length, int):
        count = (length - size) // step + 1
        if length < size:
            raise BadType(f"unfold of {self.type} into windows of {size}")
        build.arange(count * size)  # too many are refused
        where = x.model.constant(np.arange(count)[:, None] * step + np.arange(size))
    else:
        room = build.over(build.minus(build.size_of(x, axis), size), step)
        starts = generate.range_([0], build.vector(x.model, [build.plus(room, 1)]), [1])
        starts = starts * [step] if step != 1 else starts
        where = shape.unsqueeze(starts, [1]) + np.arange(size)
    if not self.rank:
        return shape.reshape(index.gather(x, where, axis=0), [-1])
    windows = index.gather(x, where, axis=axis)
    perm = (*range(axis + 1), *range(axis + 2, x.rank + 1), axis + 1)
    return windows if axis == x.rank - 1 else shape.transpose(windows, perm=perm)
