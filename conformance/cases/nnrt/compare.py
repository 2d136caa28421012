"""NNRt's comparisons and choices."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadType

from ...case import Case, Const, f, rand
from .numbers import BYTES, FLOATS, INTEGERS, alike, name, q

A = f([1, 2, 3, -1], [0, np.nan, np.inf, -0.0])
B = f([1, 3, 2, -1], [0.0, np.nan, np.inf, 0])
OPS = ("EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL")
MASK = rand(2, 4, dtype=np.bool_)

CASES = [
    *(Case(op, (A, B)) for op in OPS),
    *(Case(op, (A, Const(B[0])), why="broadcast") for op in OPS),
    *(Case(op, (rand(3, 4, dtype=d, low=0, high=2), rand(3, 4, seed=1, dtype=d, low=0, high=2)),
           why=name(d)) for op in OPS for d in (*INTEGERS, *FLOATS)),
    *(Case(op, (rand(3, 4, dtype=np.int32, low=0, high=2), f(1)), why="int32 and float32")
      for op in OPS),
    *(Case(op, (MASK, ~MASK[::-1]), why="truth values") for op in ("EQUAL", "NOT_EQUAL")),
    *(Case(op, (q(3, 5, dtype=d), q(3, 5, seed=1, dtype=d, scale=0.05)),
           why=f"{name(d)} with scales")
      for op in OPS for d in BYTES),
    *(Case(op, (A, B[:, :3]), results=(A > 0,), raises=BadType, why="other sizes") for op in OPS),
    *(Case(op, (A,), raises=BadFile, why="one input") for op in OPS),
    *(Case(op, (MASK, A, B)) for op in ("SELECT", "WHERE")),
    *(Case(op, (MASK[:, :1], A, Const(f(7))), why="broadcast") for op in ("SELECT", "WHERE")),
    *(Case(op, (MASK, rand(2, 4, dtype=d, high=5, low=0), rand(2, 4, seed=1, dtype=d, low=0)),
           why=name(d)) for op in ("SELECT", "WHERE") for d in (*INTEGERS, *FLOATS)),
    *(Case(op, (MASK, rand(2, 4, dtype=np.int32), A), why="int32 and float32")
      for op in ("SELECT", "WHERE")),
    *(Case(op, (rand(3, 5, dtype=np.bool_), q(3, 5), q(3, 5, seed=1)), results=alike(),
           why="int8 with one scale") for op in ("SELECT", "WHERE")),
    Case("SELECT", (rand(2, 4, dtype=np.int32, low=0, high=1), A, B), why="numbers as condition"),
    Case("WHERE", (rand(2, 4, dtype=np.int32), A, B), raises=BadFile, why="numbers as condition"),
]  # fmt: skip
