"""TensorFlow's counts of values."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, shape, unary
from nnir.recipes.sort import find_buckets
from nnir.types import Precision

from ...table import Table

table = Table()


def _size(size: Value) -> build.Size:
    known = size.known
    return int(known.reshape(())) if known is not None else shape.reshape(build.int64(size), [1])


def tally(places: Value, count: build.Size, weights: Value) -> Value:
    """The sum of the weights of each place; what is behind the last one is left out."""
    model = places.model
    end = build.vector(model, [count])
    where = binary.min_(build.int64(places), end)
    zero = model.constant(0, weights.dtype)
    none = generate.fill(build.vector(model, [build.plus(count, 1)]), zero)
    total = index.scatter_nd(none, shape.unsqueeze(where, [1]), weights, reduction="add")
    return index.slice_(total, [0], [0], end)


def _weights(places: Value, weights: Value) -> Value:
    """A weight for each element, 1 where there are none."""
    count = weights.shape[0] if weights.rank == 1 else 1
    if isinstance(count, Expr):
        raise NotConstant(f"counts with weights {weights.type}, of which there may be none")
    if 0 not in weights.shape or 0 in places.shape:
        return build.flatten(weights)
    lengths = build.vector(places.model, [build.size_of(places, 0)])
    return generate.fill(lengths, places.model.constant(1, weights.dtype))


@table.convert("Bincount")
def bincount(arr: Value, size: Index, weights: Value) -> Value:
    places = build.flatten(arr)
    return tally(places, _size(size), _weights(places, weights))


@table.convert("DenseBincount")
def dense_bincount(
    input: Value, size: Index, weights: Value, *, binary_output: bool = False
) -> Value:
    """Counts of each row, or whether a value occurs at all."""
    if input.rank not in (1, 2):
        raise BadType(f"counts of {input.type}, not of a vector or rows")
    count = _size(size)
    places = build.int64(input)
    if input.rank == 2:  # each row counts in a part of its own
        end = build.vector(input.model, [count])
        stride = build.vector(input.model, [build.plus(count, 1)])
        rows = shape.unsqueeze(build.arange_along(input, 0) * stride, [1])
        places = build.flatten(binary.min_(places, end) + rows)
    given = _weights(places, _like_none(weights) if binary_output else weights)
    if input.rank == 1:
        total = tally(places, count, given)
    else:
        width, height = build.plus(count, 1), build.size_of(input, 0)
        line = tally(places, build.times(width, height), given)
        block = build.reshape(line, [height, width])
        total = index.slice_(block, [1], [0], build.vector(input.model, [count]))
    if not binary_output:
        return total
    found = compare.not_equal(total, 0)
    return unary.cast(found, dtype=total.precision)


def _like_none(weights: Value) -> Value:
    return weights.model.constant(np.zeros(0, weights.dtype))


table.convert("Bucketize")(find_buckets)


@table.convert("HistogramFixedWidth")
def histogram_fixed_width(
    values: Value, value_range: Value, nbins: Index, *, dtype: Precision = Precision.INT32
) -> Value:
    """What lies outside of the range counts in the first or the last bin."""
    model = values.model
    count = _size(nbins)
    low, high = (index.gather(value_range, model.constant(np.int64(k)), axis=0) for k in (0, 1))
    above = binary.max_(build.flatten(values), low) - low
    wide = Precision.FLOAT64
    whole = shape.reshape(build.vector(model, [count]).cast(wide), [])
    step = (high.cast(wide) - low.cast(wide)) / whole
    bins = above.cast(wide) / step
    last = shape.reshape(build.vector(model, [build.minus(count, 1)]), [])
    places = binary.min_(bins, last.cast(wide)).cast(Precision.INT64)
    lengths = build.vector(model, [build.size_of(places, 0)])
    return tally(places, count, generate.fill(lengths, model.constant(1, dtype.dtype)))
