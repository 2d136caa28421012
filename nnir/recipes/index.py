"""Selection of elements by position or by a mask."""

from __future__ import annotations

from .. import build
from ..broadcast import axis_of, ints
from ..errors import BadType
from ..model import Index, Value
from ..ops import compare, generate, index, shape, unary
from ..types import Precision

WIDE = (Precision.INT32, Precision.INT64)


def gather_along(params: Value, indices: Value, axis: int, *, batch_dims: int = 0) -> Value:
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


def true_positions(input: Value) -> Value:
    """The positions of the elements that are not 0, a row for each."""
    found = index.non_zero(input)
    return shape.transpose(found, perm=(1, 0))
