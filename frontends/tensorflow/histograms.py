"""TensorFlow's counts of values."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, shape, sizes, unary
from nnir.ops.sizes import Size
from nnir.recipes.sort import find_buckets
from nnir.types import Precision

from ..precision import cast_to
from ..table import Table
from .sizes import counted, flat, int64

table = Table()


def _size(size: Value) -> Size:
    known = size.known
    return int(known.reshape(())) if known is not None else shape.reshape(int64(size), [1])


def tally(places: Value, count: Size, weights: Value) -> Value:
    """The sum of the weights of each place; what is behind the last one is left out."""
    model = places.model
    end = sizes.vector(model, [count])
    where = binary.min_(int64(places), end)
    zero = model.constant(0, weights.dtype)
    none = generate.fill(sizes.vector(model, [sizes.plus(count, 1)]), zero)
    total = index.scatter_nd(none, shape.unsqueeze(where, [1]), weights, reduction="add")
    return index.slice_(total, [0], [0], end)


def _weights(places: Value, weights: Value) -> Value:
    """A weight for each element, 1 where there are none."""
    count = weights.shape[0] if weights.rank == 1 else 1
    if isinstance(count, Expr):
        raise NotConstant(f"counts with weights {weights.type}, of which there may be none")
    if 0 not in weights.shape or 0 in places.shape:
        return flat(weights)
    lengths = sizes.vector(places.model, [sizes.size_of(places, 0)])
    return generate.fill(lengths, places.model.constant(1, weights.dtype))


@table.convert("Bincount")
def bincount(arr: Value, size: Index, weights: Value) -> Value:
    places = flat(arr)
    return tally(places, _size(size), _weights(places, weights))


@table.convert("DenseBincount")
def dense_bincount(
    input: Value, size: Index, weights: Value, *, binary_output: bool = False
) -> Value:
    """Counts of each row, or whether a value occurs at all."""
    if input.rank not in (1, 2):
        raise BadType(f"counts of {input.type}, not of a vector or rows")
    count = _size(size)
    places = int64(input)
    if input.rank == 2:  # each row counts in a part of its own
        end = sizes.vector(input.model, [count])
        stride = sizes.vector(input.model, [sizes.plus(count, 1)])
        rows = shape.unsqueeze(counted(input, 0) * stride, [1])
        places = flat(binary.min_(places, end) + rows)
    ones = binary_output and 0 not in weights.shape
    given = _weights(places, _like_none(weights) if ones else weights)
    if input.rank == 1:
        total = tally(places, count, given)
    else:
        width, height = sizes.plus(count, 1), sizes.size_of(input, 0)
        line = tally(places, sizes.times(width, height), given)
        block = sizes.reshape(line, [height, width])
        total = index.slice_(block, [1], [0], sizes.vector(input.model, [count]))
    if not binary_output:
        return total
    found = compare.not_equal(total, 0)
    return unary.cast(found, dtype=total.precision)


def _like_none(weights: Value) -> Value:
    return weights.model.constant(np.zeros(0, weights.dtype))


@table.convert("Bucketize")
def bucketize(input: Value, *, boundaries: tuple[float, ...]) -> Value:
    return find_buckets(input, boundaries=boundaries)


@table.convert("HistogramFixedWidth")
def histogram_fixed_width(
    values: Value, value_range: Value, nbins: Index, *, dtype: Precision = Precision.INT32
) -> Value:
    """What lies outside of the range counts in the first or the last bin."""
    model = values.model
    count = _size(nbins)
    low, high = (index.gather(value_range, model.constant(np.int64(k)), axis=0) for k in (0, 1))
    above = binary.max_(flat(values), low) - low
    wide = Precision.FLOAT64
    whole = shape.reshape(cast_to(sizes.vector(model, [count]), wide), [])
    step = (cast_to(high, wide) - cast_to(low, wide)) / whole
    bins = cast_to(above, wide) / step
    last = shape.reshape(sizes.vector(model, [sizes.minus(count, 1)]), [])
    places = cast_to(binary.min_(bins, cast_to(last, wide)), Precision.INT64)
    lengths = sizes.vector(model, [sizes.size_of(places, 0)])
    return tally(places, count, generate.fill(lengths, model.constant(1, dtype.dtype)))
