"""TensorFlow's operators that order elements, or search among ordered ones."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import ints
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import binary, compare, index, reduce, shape, sort, unary
from nnir.recipes.sort import best_position, largest_of_rows
from nnir.types import Precision

from ...table import Table
from . import uniques

table = Table.merge([uniques.table])


@table.convert("TopKV2")
def top_k_v2(
    input: Value,
    k: Index,
    *,
    sorted: bool = True,
    index_type: Precision = Precision.INT32,
) -> tuple[Value, Value]:
    """In order without `sorted` too."""
    return largest_of_rows(input, k, index_type)


@table.convert("ArgMax")
def arg_max(input: Value, dimension: int, *, output_type: Precision = Precision.INT64) -> Value:
    return best_position(reduce.arg_max, input, dimension, output_type, -np.inf)


@table.convert("ArgMin")
def arg_min(input: Value, dimension: int, *, output_type: Precision = Precision.INT64) -> Value:
    return best_position(reduce.arg_min, input, dimension, output_type, np.inf)


def _behind(operator: Operator, line: Value, x: Value, out_type: Precision) -> Value:
    """How many elements of each sorted row each value is behind of."""
    if line.rank != 2 or x.rank != 2:
        raise BadType(f"a search for {x.type} in {line.type}, not of rows")
    before = operator(shape.unsqueeze(line, [1]), shape.unsqueeze(x, [2]))
    return reduce.reduce_sum(unary.cast(before, dtype=out_type), [-1], keepdim=False)


@table.convert("LowerBound")
def lower_bound(
    sorted_inputs: Value, values: Value, *, out_type: Precision = Precision.INT32
) -> Value:
    return _behind(compare.less, sorted_inputs, values, out_type)


@table.convert("UpperBound")
def upper_bound(
    sorted_inputs: Value, values: Value, *, out_type: Precision = Precision.INT32
) -> Value:
    return _behind(compare.less_equal, sorted_inputs, values, out_type)


@table.convert("InTopK")
def in_top_k(predictions: Value, targets: Value, *, k: int) -> Value:
    return among_top(predictions, targets, targets.model.constant(np.int64(k)))


@table.convert("InTopKV2")
def in_top_k_v2(predictions: Value, targets: Value, k: Index) -> Value:
    return among_top(predictions, targets, build.int64(k))


def among_top(predictions: Value, targets: Value, k: Value) -> Value:
    """Whether fewer than `k` classes are more probable; never among infinities or NaN."""
    model = predictions.model
    where = build.int64(targets)
    classes = shape.reshape(build.vector(model, [build.size_of(predictions, 1)]), [])
    zero, one = (model.constant(np.int64(n)) for n in (0, 1))
    last = classes - one
    inside = (where >= zero) & (where < classes)
    spots = shape.unsqueeze(binary.max_(binary.min_(where, last), zero), [1])
    mine = index.gather_elements(predictions, spots, axis=1)
    above = unary.cast(predictions > mine, dtype=Precision.INT64)
    count = reduce.reduce_sum(above, [1], keepdim=False)
    bound = model.constant(np.inf, predictions.dtype)
    endless = ~(abs(predictions) < bound)
    odd = reduce.reduce_sum(unary.cast(endless, dtype=Precision.INT64), [1], keepdim=False)
    fits = (count < k) & compare.equal(odd, zero)
    return fits & inside


@table.convert("NthElement")
def nth_element(input: Value, n: Index, *, reverse: bool = False) -> Value:
    """The element that is n-th in each row when it is in order."""
    known = ints(n)
    if known is None:
        count = shape.reshape(build.int64(n), [1]) + 1
    else:
        count = n.model.constant([known[0] + 1], np.int64)
    values, _ = sort.top_k(input, count, axis=-1, largest=reverse)
    return index.gather(values, values.model.constant(np.int64(-1)), axis=values.rank - 1)
