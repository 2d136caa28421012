"""What is computed of sizes stays known: the elements of small integer tensors as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from nnir.broadcast import contents
from nnir.dim import Dim, maximum, minimum, symbol, symbols_of
from nnir.model import Model, Value
from nnir.ops import OPERATORS, binary, compare, generate, index, reduce, shape, unary
from nnir.types import Precision, TensorType

A, B = symbol("a"), symbol("b")
DIMS = (A, 3, B)
Row = tuple[Callable[[Value], Value], Sequence[Dim] | None]


def sizes() -> Value:
    """The vector (a, 3, b)."""
    x = Model("m").input("x", TensorType(Precision.FLOAT32, DIMS))
    return shape.shape(x, dtype=Precision.INT64)


def pick(v: Value, *where: bool) -> Value:
    return compare.where(v.model.constant(np.array(where)), v, v + 1)


def none_of(v: Value) -> Value:
    return index.slice_(v, [0], [0], [0])


ROWS: dict[str, list[Row]] = {
    "ADD": [(lambda v: v + v, (A + A, 6, B + B)), (lambda v: v + 1, (A + 1, 4, B + 1))],
    "SUB": [(lambda v: v - 1, (A - 1, 2, B - 1)), (lambda v: 9 - v, (9 - A, 6, 9 - B))],
    "MUL": [(lambda v: v * 2, (A * 2, 6, B * 2))],
    "DIV": [(lambda v: v / 2, (A // 2, 1, B // 2)), (lambda v: (v - v - 3) / 2, (-1, -1, -1))],
    "FLOOR_DIV": [(lambda v: binary.floor_div(v, 2), (A // 2, 1, B // 2))],
    "MOD": [
        (lambda v: binary.mod(v, 2), (A % 2, 1, B % 2)),
        (lambda v: binary.mod(v, 2, fmod=True), None),
    ],
    "MAX": [(lambda v: binary.max_(v, 2), (maximum(A, 2), 3, maximum(B, 2)))],
    "MIN": [(lambda v: binary.min_(v, 2), (minimum(A, 2), 2, minimum(B, 2)))],
    "WHERE": [(lambda v: pick(v, True, False, False), (A, 4, B + 1))],
    "FILL": [(lambda v: generate.fill(v.model.constant(np.array([2])), v.size(0) * 0 + 7), (7, 7))],
    "GATHER": [(lambda v: index.gather(v, [2, 0], axis=0), (B, A))],
    "SLICE": [
        (lambda v: index.slice_(v, [0], [1], [3]), (3, B)),
        (lambda v: index.slice_(v, [0], [-1], [-9], [-2]), (B, A)),
    ],
    "RESHAPE": [(lambda v: shape.reshape(shape.reshape(v, [3, 1]), [-1]), DIMS)],
    "RESHAPE_EXACT": [(lambda v: shape.reshape_exact(v, [1, 3]), DIMS)],
    "TRANSPOSE": [
        (lambda v: shape.transpose(shape.stack(v, v * 2, axis=0), perm=(1, 0)),
         (A, A * 2, 3, 6, B, B * 2)),
    ],
    "SQUEEZE": [(lambda v: shape.squeeze(shape.unsqueeze(v, [0]), [0]), DIMS)],
    "UNSQUEEZE": [(lambda v: shape.unsqueeze(v, [1]), DIMS)],
    "CONCAT": [(lambda v: shape.concat(v, v * 2, axis=0), (*DIMS, A * 2, 6, B * 2))],
    "STACK": [(lambda v: shape.stack(v, v * 2, axis=1), (A, A * 2, 3, 6, B, B * 2))],
    "EXPAND": [(lambda v: shape.expand(v, [2, 3]), DIMS * 2)],
    "TILE": [(lambda v: shape.tile(v, [2]), DIMS * 2)],
    "SHAPE": [(lambda v: v, DIMS)],
    "ASSIGN": [(unary.assign, DIMS)],
    "CAST": [
        (lambda v: v.cast(Precision.INT32), DIMS),
        (lambda v: v.cast(Precision.INT32).cast(Precision.INT64), DIMS),
        (lambda v: v.cast(Precision.FLOAT32), None),
        (lambda v: v.cast(Precision.UINT8), None),
        (lambda v: v.cast(Precision.UINT8).cast(Precision.INT64), None),
        (lambda v: v.cast(Precision.INT8), None),
    ],
    "REDUCE_SUM": [
        (lambda v: reduce.reduce_sum(v, [0], keepdim=False), (A + 3 + B,)),
        (lambda v: reduce.reduce_sum(none_of(v), [0]), (0,)),
    ],
    "REDUCE_PROD": [
        (lambda v: reduce.reduce_prod(v, [0], keepdim=True), (A * 3 * B,)),
        (lambda v: reduce.reduce_prod(none_of(v), [0]), (1,)),
    ],
    "REDUCE_MAX": [
        (lambda v: reduce.reduce_max(v, [0]), (maximum(maximum(A, 3), B),)),
        (lambda v: reduce.reduce_max(none_of(v), [0]), None),
    ],
    "REDUCE_MIN": [
        (lambda v: reduce.reduce_min(v, [0]), (minimum(minimum(A, 3), B),)),
        (lambda v: reduce.reduce_min(none_of(v), [0]), None),
    ],
}  # fmt: skip
"""By operator, with what it makes of (a, 3, b); None where nothing is known of it."""


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=f"{n}-{k}") for n, rows in ROWS.items() for k, r in enumerate(rows)]
)
def test_sizes_stay_known(row: Row) -> None:
    function, wanted = row
    assert contents(function(sizes())) == (None if wanted is None else tuple(wanted))


def test_every_operator_that_carries_sizes_is_here() -> None:
    assert {n for n, o in OPERATORS.items() if o.content is not None} == ROWS.keys()


@pytest.mark.parametrize(
    ("start", "end", "step", "wanted"),
    [
        (0, index.FAR, 1, A),
        (0, A, 1, A),
        (0, 5, 1, minimum(A, 5)),
        (2, index.FAR, 1, A - minimum(A, 2)),
        (0, index.FAR, 2, (A + 1) // 2),
        (-1, -index.FAR, -1, A),
        (A - 1, -index.FAR, -2, (A + 1) // 2),
        (index.FAR, -index.FAR, -1, A),
        (A, -index.FAR, -1, None),
        (A + 1, -index.FAR, -1, None),
        (0, -index.FAR, -1, None),
        (-1, 0, -1, None),
        (-1, -2, -1, None),
    ],
)
def test_slices_of_open_sizes_say_their_length(
    start: Dim, end: Dim, step: int, wanted: Dim | None
) -> None:
    model = Model("m")
    x = model.input("x", TensorType(Precision.FLOAT32, (A,)))
    size = shape.shape(x, dtype=Precision.INT64)
    ends = [model.constant([e]) if isinstance(e, int) else size + (e - A) for e in (start, end)]
    (length,) = index.slice_(x, [0], *ends, [step]).shape
    assert length == wanted if wanted is not None else symbols_of(length).isdisjoint(symbols_of(A))
