"""Matrix products."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.intervals import count_exact
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Precision

from ...quirks import report_met
from .emitter import Emitter, Ref
from .forms import Single, Table, single
from .integers import multiply_exactly
from .quirks import (
    EQUAL_HEADS_AND_ROWS,
    GROUPS_OF_OPEN_ROWS,
    ONE_KEY_FIRST,
    SCALED_VECTOR,
    is_attention_of_equal_sizes,
    is_attention_of_open_keys,
    is_open_with_groups,
)

table = Table()


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Single, weight: Value, bias: Value) -> Ref:
    width = weight.shape[1]
    w, b = single(g, weight), single(g, bias)
    if width == 0:  # of rows that are open, sums of nothing are what the memory is
        if input.rank != 2:
            raise NoLowering("openvino: rows of nothing, as many as only a run says")
        return g.broadcast(b, g.part(g.dims(input), 0, 1), g.dims(b))
    rows = input if input.rank == 2 else g.reshape(input, [-1, width])
    product = g.node("MatMul", rows, w, transpose_a=False, transpose_b=True)
    return product + b if bias.constant is None or bias.constant.any() else product


def read_as_stored(weight: Value) -> np.ndarray | None:
    """What memory holds of matrices that are known, where it holds them transposed: nothing is
    copied then, and embeddings that are weights of the last layer too lie there once."""
    array = weight.constant
    if array is None or array.ndim < 2 or weight.precision != Precision.FLOAT32:
        return None
    stored = array.swapaxes(-1, -2)
    is_other = not array.flags.c_contiguous and stored.flags.c_contiguous
    return stored if is_other else None


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    if any(v.constant is not None and 0 in v.shape for v in (x, y)):
        raise NoLowering(f"openvino: sums of nothing of {x.type} and a constant {y.type}")
    if x.precision == Precision.INT32 and (count := count_exact(x, y)):
        return multiply_exactly(g, x, y, count, transpose_x, transpose_y)
    left, stored = single(g, x), read_as_stored(y)
    right = single(g, y) if stored is None else g.weight(y, stored)
    turned = transpose_y != (stored is not None)

    def multiply(a: Ref, b: Ref) -> Ref:
        return g.node(
            "MatMul",
            a,
            b,
            transpose_a=transpose_x and x.rank > 1,
            transpose_b=turned and y.rank > 1,
        )

    for quirk, applies, rank in (
        (GROUPS_OF_OPEN_ROWS, is_open_with_groups, 4),
        (EQUAL_HEADS_AND_ROWS, is_attention_of_equal_sizes, 5),
        (ONE_KEY_FIRST, is_attention_of_open_keys, 5),
    ):
        if applies(x, y):
            report_met(quirk)
            wide = (g.unsqueeze(r, *range(rank - r.rank)) for r in (left, right))
            return g.squeeze(multiply(*wide), *range(rank - max(x.rank, y.rank)))
    if y.rank == 1 and x.rank > 1 and y.constant is not None:
        report_met(SCALED_VECTOR)
        return g.squeeze(multiply(left, g.unsqueeze(right, 1)), -1)
    return multiply(left, right)


@table.lower(linear.inverse)
def inverse(g: Emitter, input: Value) -> Ref:
    raise NoLowering("openvino: a singular matrix has no inverse that says so")
