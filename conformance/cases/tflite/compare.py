"""TFLite's comparisons, choices and logic."""

from __future__ import annotations

import numpy as np

from ...case import Case, Const, f, rand, scalar
from .numbers import name, q, same

NAN = float("nan")
OPS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
BOOL = (np.bool_,)
P, S = rand(2, 3, dtype=np.bool_), rand(2, 3, dtype=np.bool_, seed=1)
X, Y = rand(2, 3), rand(2, 3, seed=1)
COUNTS = rand(3, 4, dtype=np.int32), rand(3, 4, dtype=np.int32, seed=1)

CASES = [
    *(Case(op, (X, Y), results=BOOL) for op in OPS),
    *(Case(op, (f(1, 2, NAN, 0), f(1, 3, NAN, -0.0)), results=BOOL, why="nan") for op in OPS),
    *(Case(op, (rand(2, 1, 4), Const(rand(3, 1, seed=1))), results=BOOL, why="broadcast")
      for op in OPS),
    *(Case(op, (scalar(1), scalar(1)), results=BOOL, why="scalars") for op in OPS),
    *(Case(op, tuple(c.astype(d) for c in COUNTS), results=BOOL, why=name(d))
      for op in OPS for d in (np.int32, np.int64)),
    *(Case(op, (P, S), results=BOOL, why="bool") for op in ("EQUAL", "NOT_EQUAL")),
    *(Case(op, (q(3, 40, dtype=d), q(3, 40, dtype=d, seed=1)), results=BOOL, opset=2,
           why=f"quantised {name(d)}") for op in OPS for d in (np.int8, np.uint8)),
    *(Case(op, (P, S)) for op in ("LOGICAL_AND", "LOGICAL_OR")),
    *(Case(op, (P, rand(3, 1, 3, dtype=np.bool_)), why="broadcast")
      for op in ("LOGICAL_AND", "LOGICAL_OR")),
    Case("LOGICAL_NOT", (P,)),
    Case("LOGICAL_NOT", (scalar(True, np.bool_),), why="scalar"),
    *(Case("BITWISE_XOR", tuple(c.astype(d) for c in COUNTS), why=name(d))
      for d in (np.int32, np.int8, np.uint16)),
    *(Case("RIGHT_SHIFT", (rand(3, 4, dtype=d, low=0 if d == np.uint8 else -99, high=99),
                           rand(3, 4, dtype=d, low=0, high=5)), why=name(d))
      for d in (np.int32, np.int8, np.uint8, np.int16)),
    *(Case(op, (P, X, Y), results=(np.float32,)) for op in ("SELECT", "SELECT_V2")),
    *(Case(op, (P, COUNTS[0][:2, :3], COUNTS[1][:2, :3]), results=(np.int32,), why="int32")
      for op in ("SELECT", "SELECT_V2")),
    Case("SELECT", (P[0, :2], X, Y), results=(np.float32,), why="rows"),
    Case("SELECT", (scalar(True, np.bool_), X, Y), results=(np.float32,), why="scalar"),
    Case("SELECT_V2", (P[:, :1], X, Const(Y[:1])), results=(np.float32,), why="broadcast"),
    *(Case(op, (P, q(2, 3), q(2, 3, seed=1)), results=same(), why="int8")
      for op in ("SELECT", "SELECT_V2")),
    Case("WHERE", (P,), results=(np.int64,)),
    Case("WHERE", (np.zeros((2, 3), np.bool_),), results=(np.int64,), why="nothing"),
    Case("WHERE", (f(0, 0),), results=(np.int64,), why="no position of a vector"),
    Case("WHERE", (COUNTS[0],), results=(np.int64,)),
    Case("WHERE", (q(3, 4, zero=0),), results=(np.int64,), why="int8"),
    Case("WHERE", (f(0, -0.0, NAN, 2),), results=(np.int64,), why="nan"),
]  # fmt: skip
