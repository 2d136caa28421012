"""TFLite's arithmetic on two tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import Unsupported

from ...case import ROUNDS, Case, Const, f, rand, scalar
from .numbers import QUANTUM, name, q, stored

INF, NAN = float("inf"), float("nan")
X = rand(2, 3, 4)
Y = rand(2, 3, 4, seed=1)
ROW = Const(rand(4, seed=2))
SPECIAL = f(NAN, INF, -INF, 0, -0.0, 1), f(1, 1, INF, 0, 2, NAN)
ODD = f(NAN, 0, -0.0, 1), f(1, 2, 2, NAN)
"""Without infinities: for LiteRT's plain kernels they are the largest number, not for XNNPACK."""

FUSED = ("ADD", "SUB", "MUL", "DIV")
PLAIN = (*FUSED, "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD", "ATAN2")
COUNTS = rand(3, 4, dtype=np.int32, low=-9, high=9), rand(3, 4, dtype=np.int32, low=1, high=5)
WIDE = (np.int8, np.uint8, np.int16)
BYTES = (np.int8, np.uint8)


def results(dtype: Any) -> Any:
    """Another scale than the operands have."""
    return stored(0.0002, 0, dtype) if dtype == np.int16 else stored(0.031, 11, dtype)


def pair(dtype: Any) -> Any:
    """Two operands of different scales."""
    scale = 0.00007 if dtype == np.int16 else 0.013
    zero = 0 if dtype == np.int16 else 20
    return q(2, 3, 4, dtype=dtype), q(2, 3, 4, dtype=dtype, seed=1, scale=scale, zero=zero)


CASES = [
    *(Case(op, (X, Y), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (X, ROW), tol=ROUNDS, why="a known row") for op in PLAIN if op != "ATAN2"),
    *(Case(op, (rand(2, 1, 4), rand(3, 1, seed=1)), tol=ROUNDS, why="broadcast")
      for op in PLAIN if op != "ATAN2"),
    *(Case(op, (scalar(1.5), scalar(-0.5)), tol=ROUNDS, why="scalars") for op in PLAIN),
    *(Case(op, SPECIAL, why="special", tol=ROUNDS) for op in ("SQUARED_DIFFERENCE", "ATAN2")),
    *(Case(op, ODD, why="special", tol=ROUNDS) for op in FUSED),
    *(Case(op, (rand(0, 3), rand(0, 3)), why="empty") for op in PLAIN),
    *(Case(op, COUNTS, why="int32") for op in PLAIN if op != "ATAN2"),
    *(Case(op, tuple(c.astype(np.int64) for c in COUNTS), why="int64") for op in
      ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "FLOOR_MOD")),
    *(Case(op, (X, Y), {"fused_activation_function": a}, tol=ROUNDS)
      for op in FUSED for a in ("RELU", "RELU6", "RELU_N1_TO_1")),
    Case("ADD", (X, Y), {"fused_activation_function": "SIGN_BIT"}, raises=Unsupported),
    Case("FLOOR_DIV", (f(np.inf, -np.inf, 3e38), f(1, 2, 1e-3)),
         why="infinite quotients have no remainder"),
    Case("FLOOR_DIV", (rand(9, dtype=np.int32, low=-9, high=9), Const(np.full(9, -4, np.int32))),
         why="a negative divisor"),
    Case("FLOOR_MOD", (rand(9, low=-9, high=9), scalar(-2.5)), why="a negative divisor",
         tol=ROUNDS),
    Case("POW", (rand(2, 3, low=0, high=3), rand(2, 3, seed=1)), tol=ROUNDS),
    Case("POW", (rand(2, 3, low=-3, high=3), scalar(3.0)), tol=ROUNDS, why="negative bases"),
    Case("POW", (rand(5, dtype=np.int32, low=-3, high=3), Const(np.full(5, 3, np.int32))),
         why="int32"),
    Case("ADD_N", (X, Y, rand(2, 3, 4, seed=3)), tol=ROUNDS),
    Case("ADD_N", (COUNTS[0], COUNTS[1]), why="int32"),
    *(Case(op, pair(d), results=results(d), tol=QUANTUM, opset=3, why=name(d))
      for op in ("ADD", "SUB", "MUL") for d in WIDE),
    *(Case(op, (pair(d)[0], q(4, dtype=d, seed=5, constant=True)), results=results(d), tol=QUANTUM,
           opset=3, why=f"a known row, {name(d)}")
      for op in ("ADD", "SUB", "MUL") for d in WIDE),
    *(Case(op, pair(np.int8), {"fused_activation_function": a}, results=results(np.int8),
           tol=QUANTUM, opset=2, why=f"int8, {a}")
      for op in ("ADD", "SUB", "MUL") for a in ("RELU", "RELU6", "RELU_N1_TO_1")),
    Case("DIV", (q(2, 3, dtype=np.uint8), q(2, 3, dtype=np.uint8, seed=1, scale=0.05, zero=0)),
         results=stored(0.03, 120, np.uint8), tol=QUANTUM, opset=2, why="uint8"),
    *(Case(op, (q(2, 3, 4, dtype=d), q(4, dtype=d, seed=1)), results=(q(1, dtype=d),), opset=3,
           why=name(d)) for op in ("MAXIMUM", "MINIMUM") for d in WIDE),
    *(Case(op, (q(3, 4), Const(rand(4, dtype=np.int8, low=1, high=9))), results=(np.int8,),
           why="int8") for op in ("FLOOR_DIV", "FLOOR_MOD")),
    Case("SQUARED_DIFFERENCE", pair(np.int8), results=stored(0.05, -120), tol=QUANTUM, opset=2,
         why="int8"),
]  # fmt: skip
