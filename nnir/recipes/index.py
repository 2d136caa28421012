"""Elements at positions, read, replaced or added, also by NumPy's advanced indexing."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from .. import build
from ..broadcast import axis_of, contents, ints
from ..dim import Expr
from ..errors import BadType, NotConstant
from ..model import Index, Value
from ..ops import compare, generate, index, shape, unary
from ..ops.reduce import highest, lowest
from ..records import dataclass
from ..types import Precision
from .promotion import Number
from .shape import common_sizes, expand_to, permute

MASKS = (Precision.BOOL8, Precision.UINT8)


@dataclass(frozen=True)
class Places:
    """Positions `where`, one tensor for each of `axes` (in order) of `x`."""

    x: Value
    axes: tuple[int, ...]
    where: tuple[Value, ...]

    @property
    def is_adjacent(self) -> bool:
        """Whether the axes follow one another: the result has theirs at their place, not first."""
        return self.axes == tuple(range(self.axes[0], self.axes[0] + len(self.axes)))

    @property
    def perm(self) -> tuple[int, ...]:
        """The order that puts the indexed axes first."""
        return (*self.axes, *(k for k in range(self.x.rank) if k not in self.axes))


def locate(x: Value, indices: Sequence[Value | None]) -> Places:
    """What `indices`, one for each of the first axes or masks over several, select."""
    axes: list[int] = []
    where: list[Value] = []
    axis = 0
    for one in indices:
        if one is None:
            axis += 1
        elif one.precision in MASKS:
            if one.rank == 0:  # one more axis, of size 1 or 0
                x = shape.unsqueeze(x, [axis])
                one = shape.reshape(one, [1])
            rows = index.non_zero(one)
            found = shape.unstack(rows, axis=0, num=one.rank)
            where += found
            axes += range(axis, axis + one.rank)
            axis += one.rank
        else:
            axes.append(axis)
            where.append(one)
            axis += 1
    if axis > x.rank or not axes:
        raise BadType(f"{len(indices)} indices of {x.type}")
    return Places(x, tuple(axes), tuple(where))


def index_vectors(where: Sequence[Value]) -> Value:
    """Positions as vectors along a last axis, as GATHER_ND takes them."""
    known = [v.known for v in where if v.known is not None]
    if len(known) == len(where):
        arrays = np.broadcast_arrays(*known)
        return where[0].model.constant(np.stack(arrays, -1).astype(np.int64))
    whole = [v.cast(Precision.INT64) for v in where]
    if len(whole) == 1:
        return shape.unsqueeze(whole[0], [whole[0].rank])
    made = whole[0].producer
    if made is not None and made.outputs == tuple(whole) and made.operator is shape.unstack:
        rows = made.inputs[0]  # of a mask: its positions are columns already
        if rows is not None and rows.rank == 2:
            return shape.transpose(rows, perm=(1, 0))
    size = common_sizes(*whole)
    return shape.stack(*(expand_to(v, size) for v in whole), axis=-1)


def put_at(x: Value, indices: Sequence[Value | None], values: Value, reduction: str) -> Value:
    """A copy of `x` with `values` at `indices`, or combined with what is there."""
    found = locate(x, indices)
    front = permute(found.x, found.perm)
    where = index_vectors(found.where)
    count = where.rank - 1
    rest = found.x.rank - len(found.axes)
    before = found.axes[0] if found.is_adjacent else 0
    updates = _spread(values, front, where, count, before, rest)
    result = index.scatter_nd(front, where, updates, reduction=reduction)
    back = permute(result, tuple(int(k) for k in np.argsort(found.perm)))
    return back if found.x is x else shape.squeeze(back, [found.axes[0]])


def _spread(values: Value, front: Value, where: Value, count: int, before: int, rest: int) -> Value:
    """Values broadcast to what indexing gives, with the axes of the positions first."""
    head = build.sizes_of(where)[:count]
    tail = build.sizes_of(front)[front.rank - rest :]
    wanted = [*tail[:before], *head, *tail[before:]]
    x = values
    if x.rank > len(wanted):
        x = build.reshape_to(x, build.vector(x.model, build.sizes_of(x)[x.rank - len(wanted) :]))
    dims = [*front.shape[front.rank - rest :][:before], *where.shape[:count]]
    dims += front.shape[front.rank - rest :][before:]
    if x.shape != tuple(dims):
        x = expand_to(x, build.vector(front.model, wanted))
    order = (*range(before, before + count), *range(before), *range(before + count, len(wanted)))
    return permute(x, order)


END = np.iinfo(np.int64).max


def take(x: Value, where: Value, axis: int) -> Value:
    """GATHER; the axis goes where the position has none."""
    return index.gather(x, where, axis=axis)


def slice_axis(
    x: Value, dim: int, start: Index | None, end: Index | None, step: Index | int
) -> Value:
    """A slice along one axis; itself where that is all of it."""
    axis = axis_of(dim, x.rank)
    by = step if isinstance(step, int) else (ints(step) or (None,))[0]
    if by is None:
        raise NotConstant("a slice whose step is only known while running")
    if by == 1 and _is_start(start) and _is_end(end, x, axis):
        return x
    bounds = [[n] if v is None else as_vector(v) for v, n in ((start, 0), (end, END))]
    return index.slice_(x, [axis], *bounds, None if by == 1 else [by])


def _is_start(start: Value | None) -> bool:
    return start is None or contents(start) == (0,)


def _is_end(end: Value | None, x: Value, axis: int) -> bool:
    """Whether a slice goes on to the end of an axis."""
    bound = (END,) if end is None else contents(end)
    if bound is None:
        return False
    size = x.shape[axis]
    both = isinstance(bound[0], int) and isinstance(size, int)
    return bound[0] == size or bound[0] == END or (both and bound[0] > size)  # type: ignore[operator]


def as_vector(number: Value) -> Value:
    """A number as a vector of one."""
    if number.rank == 1:
        return number
    if number.known is not None:
        return number.model.constant(number.known.reshape(1))
    return shape.reshape(number, [1])


def gather_along(x: Value, axis: int, where: Value) -> Value:
    """GATHER_ELEMENTS, of tensors without axes too."""
    if 0 in where.shape:  # whose rank may then be any
        return generate.fill(build.shape_of(where), x.model.constant(0, x.dtype))
    if x.rank and where.rank:
        return index.gather_elements(x, where, axis=axis_of(axis, x.rank))
    flat = shape.reshape(x, [-1]) if not x.rank else x
    return take(flat, where, 0)


def masked_select(input: Value, mask: Value) -> Value:
    """The elements where the mask holds, as a vector."""
    size = common_sizes(input, mask)
    x, where = expand_to(input, size), expand_to(mask.cast(Precision.BOOL8), size)
    if x.rank == 0:
        x, where = (shape.reshape(v, [1]) for v in (x, where))
    return index.gather_nd(x, shape.transpose(index.non_zero(where), perm=(1, 0)))


def nonzero(x: Value) -> Value:
    """The positions of elements that are not 0, one a row."""
    return shape.transpose(index.non_zero(x), perm=(1, 0))


def nonzero_numpy(input: Value) -> list[Value]:
    """The positions of elements that are not 0, a vector for each axis."""
    x = input if input.rank else shape.reshape(input, [1])
    return list(shape.unstack(index.non_zero(x), axis=0, num=x.rank))


def where_positions(condition: Value) -> list[Value]:
    """The positions where a mask holds, a vector for each axis."""
    return nonzero_numpy(condition)


ADD = {True: "add", False: "none"}


def index_put(x: Value, indices: Sequence[Value | None], values: Value, accumulate: bool) -> Value:
    """A copy of `x` with `values` at positions or masks, or added there."""
    given = [(k, v) for k, v in enumerate(indices) if v is not None]
    if len(given) == 1 and not accumulate:
        (axis, mask), *_ = given
        one = all(d == 1 for d in values.shape)
        if mask.precision in MASKS and mask.rank and one:
            behind = x.rank - axis - mask.rank
            wide = (
                shape.unsqueeze(mask.cast(Precision.BOOL8), [mask.rank] * behind)
                if behind
                else mask.cast(Precision.BOOL8)
            )
            single = shape.reshape(values, []) if values.rank else values
            return compare.where(wide, single, x)
    return put_at(x, indices, values, ADD[accumulate])


def place_rows(x: Value, dim: int, where: Value, source: Value, reduction: str = "none") -> Value:
    """Whole slices of `source` at the positions `where` of an axis."""
    if not x.rank:
        one = shape.reshape(x, [1])
        updates = shape.reshape(source, [-1])
        return shape.reshape(place_rows(one, 0, as_vector(where), updates, reduction), [])
    axis = axis_of(dim, x.rank)
    spots = as_vector(where) if where.rank == 0 else where
    updates = source if source.rank else shape.reshape(source, [1])
    if axis == 0:
        column = shape.unsqueeze(spots, [1])
        return index.scatter_nd(x, column, updates, reduction=reduction)
    wide = shape.unsqueeze(spots, [1] * (x.rank - 1 - axis)) if axis < x.rank - 1 else spots
    return index.scatter_elements(
        x, expand_to(wide, build.shape_of(updates)), updates, axis=axis, reduction=reduction
    )


def scatter_along(x: Value, dim: int, where: Value, src: Value, reduction: str) -> Value:
    """SCATTER_ELEMENTS; of `src` counts what `where` has positions for."""
    if not x.rank:
        one = [v if v.rank else shape.reshape(v, [1]) for v in (x, where, src)]
        return shape.reshape(scatter_along(one[0], 0, one[1], one[2], reduction), [])
    where = where if where.rank else shape.reshape(where, [1])
    src = src if src.rank else shape.reshape(src, [1])
    if 0 in where.shape:
        return x
    if not where.rank == src.rank == x.rank:
        raise BadType(f"a scatter of {src.type} into {x.type} at {where.type}")
    axis = axis_of(dim, x.rank)
    return index.scatter_elements(x, where, _crop(src, where), axis=axis, reduction=reduction)


def _crop(src: Value, where: Value) -> Value:
    pairs = zip(src.shape, where.shape, strict=True)
    axes = [k for k, (a, b) in enumerate(pairs) if a != b]
    if not axes:
        return src
    ends = build.vector(src.model, [build.size_of(where, k) for k in axes])
    return index.slice_(src, axes, [0] * len(axes), ends)


def neutral_of(reduction: str, dtype: np.dtype, *, finite: bool = False) -> Number:
    """What changes nothing that it is combined with; a `finite` one changes infinities."""
    if reduction in ("add", "mul"):
        return int(reduction == "mul")
    limit = lowest(dtype) if reduction == "max" else highest(dtype)
    if finite and np.isinf(limit):
        limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
        limit = limits.min if reduction == "max" else limits.max
    number: Number = np.asarray(limit).astype(dtype).item()
    return number


def slice_scatter(
    x: Value,
    src: Value,
    dim: int,
    start: Index | None,
    end: Index | None,
    step: Index | int,
) -> Value:
    """What is before, the new part, and what is behind; with a step, each row at its place."""
    axis = axis_of(dim, x.rank)
    size = x.shape[axis]
    first = (0,) if start is None else ints(start)
    last = (np.iinfo(np.int64).max,) if end is None else ints(end)
    by = step if isinstance(step, int) else (ints(step) or (None,))[0]
    if by is None:
        raise NotConstant("slice_scatter with a step that is only known while running")
    if isinstance(size, int) and first is not None and last is not None:
        begin, stop, _ = slice(int(first[0]), int(last[0]), by).indices(size)
        if stop <= begin:
            return x
        new = _part_of(x, src, axis, len(range(begin, stop, by)))
        if by != 1:
            where = x.model.constant(np.arange(begin, stop, by))
            return place_rows(x, axis, where, new)
        parts = [_between(x, axis, 0, begin), new, _between(x, axis, stop, size)]
        kept = [p for p in parts if p is not None]
        return shape.concat(*kept, axis=axis) if len(kept) > 1 else kept[0]
    where = slice_axis(build.arange_along(x, axis), 0, start, end, by)
    if isinstance(src.shape[axis], Expr) or src.shape[axis] != 1:
        steps = build.vector(x.model, [build.size_of(src, axis)])
        where = build.reshape(where, [steps]) if contents(steps) != where.shape else where
    return place_rows(x, axis, where, src)


def _part_of(x: Value, src: Value, axis: int, count: int) -> Value:
    """`src` broadcast to a part of `x`."""
    parts = build.sizes_of(x)
    parts[axis] = count
    return expand_to(src, build.vector(x.model, parts))


def _between(x: Value, axis: int, start: int, end: int) -> Value | None:
    if start >= end:
        return None
    return index.slice_(x, [axis], [start], [end])


WIDE = (Precision.INT32, Precision.INT64)


def gather_batched(params: Value, indices: Value, axis: int, *, batch_dims: int = 0) -> Value:
    """Slices along an axis; the first `batch_dims` axes are common to both."""
    count = batch_dims + indices.rank if batch_dims < 0 else batch_dims
    place = axis_of(axis, params.rank)
    if not count:
        return index.gather(params, indices, axis=place)
    if not count <= min(place, indices.rank):
        raise BadType(f"a gather along axis {axis} with batch_dims={batch_dims}")
    between = range(count, place)
    front = params
    if between:
        rest = range(place + 1, params.rank)
        front = shape.transpose(params, perm=(*range(count), place, *between, *rest))
    found = index.gather_nd(front, shape.unsqueeze(indices, [indices.rank]), batch_dims=count)
    if not between:
        return found
    new = indices.rank - count
    behind = count + new
    perm = (*range(behind, behind + len(between)), *range(count, behind))
    rest = range(behind + len(between), found.rank)
    return shape.transpose(found, perm=(*range(count), *perm, *rest))


def gather_slices(params: Value, indices: Value) -> Value:
    """GATHER_ND; vectors of no entries mean the whole tensor."""
    if indices.shape[-1] != 0:
        return index.gather_nd(params, indices)
    lengths = [*build.sizes_of(indices)[:-1], *build.sizes_of(params)]
    return shape.expand(params, build.vector(params.model, lengths))


def one_hot_along(
    indices: Value, depth: Index, on_value: Value, off_value: Value, *, axis: int = -1
) -> Value:
    """Compare every index with 0, 1, ... along the new axis; others than those match nothing."""
    place = axis_of(axis, indices.rank, extra=1)
    where = indices if indices.precision in WIDE else build.int64(indices)
    known = ints(depth)
    if known is not None:
        steps = indices.model.constant(build.arange(known[0]).astype(where.dtype))
    else:
        end = shape.reshape(depth.cast(where.precision), [1])
        zero, one = (indices.model.constant([n], where.dtype) for n in (0, 1))
        steps = generate.range_(zero, end, one)
    behind = indices.rank - place
    line = shape.unsqueeze(steps, [1] * behind) if behind else steps
    hits = compare.equal(shape.unsqueeze(where, [place]), line)
    if (
        on_value.precision == Precision.BOOL8
        and _is_number(on_value, True)
        and _is_number(off_value, False)
    ):
        return hits
    if _is_number(on_value, 1) and _is_number(off_value, 0):
        return unary.cast(hits, dtype=on_value.precision)
    return compare.where(hits, on_value, off_value)


def _is_number(value: Value, number: float) -> bool:
    return value.constant is not None and bool(value.constant == number)
