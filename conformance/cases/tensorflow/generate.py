"""TensorFlow's tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant

from ...case import ROUNDS, Case, Const, rand, scalar
from .shape import axis, ints, known

CASES = [
    Case("Fill", (known(2, 3), scalar(2.5))),
    Case("Fill", (ints(2, 0), Const(scalar(7, np.int64))), why="run-time, nothing"),
    Case("Fill", (known(), scalar(True, np.bool_)), why="no axes"),
    *(Case(op, (rand(2, 3, dtype=kind),)) for op in ("OnesLike", "ZerosLike")
      for kind in (np.float32, np.int32, np.bool_, np.float16)),
    *(Case(op, (scalar(3),), why="no axes") for op in ("OnesLike", "ZerosLike")),
    *(Case(op, (rand(0, 2),), why="nothing") for op in ("OnesLike", "ZerosLike")),
    Case("Range", (axis(0), axis(7), axis(2))),
    Case("Range", (scalar(5, np.int32), scalar(-2, np.int32), scalar(-3, np.int32)),
         why="run-time"),
    Case("Range", (Const(scalar(0)), Const(scalar(1)), Const(scalar(0.1))), tol=ROUNDS),
    Case("Range", (scalar(0, np.float64), scalar(1, np.float64), scalar(0.3, np.float64)),
         why="run-time floats", tol=ROUNDS),
    Case("Range", (axis(2), axis(2), axis(1)), why="nothing"),
    Case("Range", (axis(0), axis(2), axis(0)), why="no step", raises=BadType),
    Case("LinSpace", (scalar(-1), scalar(2), axis(5)), tol=ROUNDS),
    *(Case("LinSpace", (scalar(first), scalar(last), axis(count)), why=f"{first} to {last}")
      for first, last, count in ((0.9, -1.3, 2), (1.5, 0.2, 3), (-1.5, 0.9, 5))),
    Case("LinSpace", (scalar(2.5), scalar(-4), axis(1)), why="one, which is the first"),
    Case("LinSpace", (Const(scalar(3)), Const(scalar(3)), axis(1)), why="one"),
    Case("LinSpace", (Const(scalar(0, np.float64)), Const(scalar(-7, np.float64)), axis(4)),
         why="falling", tol=ROUNDS),
    Case("LinSpace", (scalar(0), scalar(1), scalar(3, np.int32)), why="run-time",
         raises=NotConstant),
]  # fmt: skip
