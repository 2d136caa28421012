"""NNRt's slices, and elements by their positions."""

from __future__ import annotations

import numpy as np

from ... import build
from ...broadcast import axes_of, axis_of
from ...errors import BadType
from ...model import Index, Value
from ...ops import index
from ..index import one_hot_along
from ..scatter import fill_sparse, sum_updates
from ..slices import slice_from, slice_with_masks
from . import Recipes

Ints = tuple[int, ...]


def gather(input: Value, input_indices: Index, axis: int) -> Value:
    """Slices along an axis, by their positions."""
    return index.gather(input, input_indices, axis=axis_of(axis, input.rank))


def gather_nd(input: Value, indices: Index) -> Value:
    """Slices by their positions along the first axes."""
    return index.gather_nd(input, indices)


def slice_(input: Value, begin: Index, size: Index, *, axes: Ints | None = None) -> Value:
    """So many elements from a place, of each axis or of `axes`."""
    if axes is None:
        return slice_from(input, build.int64(begin), build.int64(size))
    places = axes_of(axes, input.rank)
    starts, lengths = build.elements(begin), build.elements(size)
    if not len(starts) == len(lengths) == len(set(places)) == len(axes):
        raise BadType(f"SLICE of {input.type} along {list(axes)} by {begin.type}, {size.type}")
    whole: list[build.Size] = [-1] * input.rank
    first: list[build.Size] = [0] * input.rank
    for place, start, length in zip(places, starts, lengths, strict=True):
        first[place], whole[place] = start, length
    vectors = (build.vector(input.model, v, negative=True) for v in (first, whole))
    return slice_from(input, *vectors)


def strided_slice(
    input: Value,
    begin: Index,
    end: Index,
    strides: Index,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Value:
    """A slice with steps, whose masks say which bounds count."""
    return slice_with_masks(
        input,
        begin,
        end,
        strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )


def crop(input: Value, shape: Ints, *, axis: int, offset: Ints) -> Value:
    """The axes from `axis` on as long as in `shape`, each from its offset or all from one."""
    place = axis_of(axis, input.rank)
    places = list(range(place, input.rank))
    starts = offset * len(places) if len(offset) == 1 else offset
    if len(shape) != input.rank or len(starts) != len(places):
        raise BadType(f"CROP of {input.type} to {list(shape)} from axis {axis} at {list(offset)}")
    ends = [a + n for a, n in zip(starts, shape[place:], strict=True)]
    for start, end, size in zip(starts, ends, input.shape[place:], strict=True):
        if not 0 <= start <= end or (isinstance(size, int) and end > size):
            raise BadType(f"CROP of {input.type} from {start} to {end}, which is not inside")
    return index.slice_(input, places, list(starts), ends)


def scatter_nd(indices: Index, updates: Value, shape: Index) -> Value:
    """Updates at their places in zeros; what is placed twice is added up."""
    if indices.rank < 2:
        raise BadType(f"SCATTER_ND with {indices.type}: two axes or more are accepted")
    return sum_updates(indices, updates, shape)


def sparse_to_dense(indices: Index, values: Value, sparse_shape: Index) -> Value:
    """Values at their places in zeros."""
    none = values.model.constant(np.zeros((), values.dtype))
    return fill_sparse(indices, sparse_shape, values, none)


def one_hot(indices: Index, depth: Index, on_value: Value, off_value: Value, *, axis: int) -> Value:
    """Along a new axis one value at the place that is named, another elsewhere."""
    on, off = (v if not v.rank else build.reshape(v, []) for v in (on_value, off_value))
    return one_hot_along(indices, depth, on, off, axis=axis)


RECIPES: Recipes = {
    "CROP": crop,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "ONE_HOT": one_hot,
    "SCATTER_ND": scatter_nd,
    "SLICE": slice_,
    "SPARSE_TO_DENSE": sparse_to_dense,
    "STRIDED_SLICE": strided_slice,
}
