"""Sizes that are computed of open ones: what an operator makes of them is the size of a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.types import Precision

from ...case import Const, i, rand, scalar
from .chains import Chain
from .graph import Open, Step

OPEN = Open(rand(6, 2), ("n", 2))
INT64: dict[str, Any] = {"dtype": Precision.INT64}
ONE, FRONT = Const(scalar(1.5)), Const(i(0))

ARITHMETIC = {
    binary.add: (1, 0),
    binary.sub: (2, 1),
    binary.mul: (2, 3),
    binary.div: (2, 2),
    binary.floor_div: (4, 2),
    binary.max_: (8, 3),
    binary.min_: (4, 1),
    binary.mod: (4, 2),
}
"""Operators and what they do it with, for each of two sizes."""

MOVES: dict[str, tuple[Step, ...]] = {
    "ASSIGN": (Step(unary.assign, (1,)),),
    "CAST": (
        Step(unary.cast, (1,), {"dtype": Precision.INT32}),
        Step(unary.cast, (2,), INT64),
    ),
    "CONCAT": (Step(shape.concat, (1, Const(i(3)), 1), {"axis": 0}),),
    "EXPAND": (
        Step(index.gather, (1, FRONT), {"axis": 0}),
        Step(shape.expand, (2, Const(i(3)))),
    ),
    "GATHER": (Step(index.gather, (1, Const(i(1, 0, 1))), {"axis": 0}),),
    "RESHAPE": (
        Step(shape.reshape, (1, Const(i(1, 2)))),
        Step(shape.reshape, (2, Const(i(-1)))),
    ),
    "SLICE": (Step(index.slice_, (1, FRONT, Const(i(-1)), Const(i(-9)), Const(i(-1)))),),
    "TILE": (Step(shape.tile, (1, Const(i(2)))),),
    "TRANSPOSE": (
        Step(shape.unsqueeze, (1, Const(i(1)))),
        Step(shape.transpose, (2,), {"perm": (1, 0)}),
        Step(shape.squeeze, (3, FRONT)),
    ),
    "STACK": (
        Step(shape.stack, (1, Const(i(1, 3))), {"axis": 1}),
        Step(shape.reshape, (2, Const(i(4)))),
    ),
    "WHERE": (
        Step(compare.equal, (1, Const(i(-1, 2)))),
        Step(compare.where, (2, Const(i(5, 3)), 1)),
    ),
    "WHERE sizes are their own": (
        Step(compare.equal, (1, 1)),
        Step(compare.where, (2, 1, Const(i(5, 3)))),
    ),
    "WHERE sizes are others": (
        Step(compare.not_equal, (1, Const(i(-1, 3)))),
        Step(compare.where, (2, 1, Const(i(5, 7)))),
    ),
    "WHERE some are others": (
        Step(compare.equal, (1, Const(i(-1, 3)))),
        Step(compare.where, (2, Const(i(5, 7)), 1)),
    ),
}
"""What moves or chooses sizes, with what puts them in a row again."""

FOLDS = (reduce.reduce_sum, reduce.reduce_prod, reduce.reduce_max, reduce.reduce_min)


def _filled(steps: tuple[Step, ...], why: str) -> Chain:
    """A tensor of the sizes that the last step says."""
    whole = (Step(shape.shape, (0,), INT64), *steps)
    fill = Step(generate.fill, (len(whole), ONE))
    return Chain((OPEN,), (*whole, fill), why=f"sizes, {why}")


def _sizes() -> Iterator[Chain]:
    for operator, numbers in ARITHMETIC.items():
        for kind in (np.int64, np.int32):
            step = Step(operator, (1, Const(np.array(numbers, kind))))
            if kind == np.int64:
                yield _filled((step,), operator.name)
                continue
            narrow = Step(unary.cast, (1,), {"dtype": Precision.INT32})
            step = Step(operator, (2, Const(np.array(numbers, kind))))
            yield _filled((narrow, step), f"{operator.name} of int32")
    for operator in FOLDS:
        for kept in (True, False):
            step = Step(operator, (1, FRONT), {"keepdim": kept})
            again = () if kept else (Step(shape.reshape, (2, Const(i(1)))),)
            yield _filled((step, *again), f"{operator.name}, keepdim {kept}")
    for name, steps in MOVES.items():
        yield _filled(steps, name)


CHAINS = [*_sizes()]
