"""TensorFlow's decoding of labels that were found without their places (CTC)."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import compare, index, reduce, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("CTCGreedyDecoder")
def ctc_greedy_decoder(
    inputs: Value,
    sequence_length: Value,
    *,
    merge_repeated: bool = False,
    blank_index: int = -1,
) -> tuple[Value, Value, Value, Value]:
    """The best label of each step without blanks: their (sequence, place), themselves, and the
    sizes of the table that they would fill.

    `inputs` are [time, batch, labels]; steps from `sequence_length` on do not count.
    """
    labels = inputs.shape[-1]
    if inputs.rank != 3 or sequence_length.rank != 1:
        raise BadType(f"CTCGreedyDecoder of {inputs.type} and {sequence_length.type}")
    if isinstance(labels, Expr):
        raise NotConstant(f"CTCGreedyDecoder of {inputs.type}")
    blank = inputs.model.constant(np.int64(blank_index % labels if labels else 0))
    steps = shape.unsqueeze(build.arange_along(inputs, 0), [0])
    counts = steps < shape.unsqueeze(build.int64(sequence_length), [1])
    best = reduce.arg_max(inputs, axis=2, keepdim=False, dtype=Precision.INT64)
    best = shape.transpose(best, perm=(1, 0))
    kept = counts & compare.not_equal(best, blank)
    if merge_repeated:
        first = index.slice_(best, [1], [0], [1]) * 0 + -1
        before = shape.concat(first, index.slice_(best, [1], [0], [-1]), axis=1)
        kept = kept & compare.not_equal(best, before)
    ones = unary.cast(kept, dtype=Precision.INT64)
    places = reduce.cum_sum(ones, 1) - 1
    found = shape.transpose(index.non_zero(kept), perm=(1, 0))
    rows = index.gather(found, [0], axis=1)
    indices = shape.concat(rows, shape.unsqueeze(index.gather_nd(places, found), [1]), axis=1)
    totals = reduce.reduce_sum(ones, [1], keepdim=False)
    longest = reduce.reduce_max(totals, [0], keepdim=True)
    whole = shape.concat(build.vector(inputs.model, [build.size_of(inputs, 1)]), longest, axis=0)
    return indices, index.gather_nd(best, found), whole, _doubt(inputs, counts)


def _doubt(inputs: Value, counts: Value) -> Value:
    """Minus the sum of the largest logits of each sequence."""
    largest = shape.transpose(reduce.reduce_max(inputs, [2], keepdim=False), perm=(1, 0))
    nothing = inputs.scalar(0)
    total = reduce.reduce_sum(compare.where(counts, largest, nothing), [1], keepdim=True)
    return -total
