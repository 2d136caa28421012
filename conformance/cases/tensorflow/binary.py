"""TensorFlow's arithmetic on two tensors of one type."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering

from ...case import ROUNDS, Case, Limit, f, i, rand

EXACT = ("Add", "AddV2", "Mul", "Sub", "Maximum", "Minimum", "RealDiv", "SquaredDifference")
INTEGERS = (
    *("AddV2", "Mul", "Sub", "Maximum", "Minimum", "FloorDiv", "FloorMod", "Mod"),
    *("TruncateDiv", "TruncateMod", "Div", "SquaredDifference", "Pow"),
)
ZERO = ("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
LEFT = f(0, 1, 2, np.nan, np.inf, 0, 3)
RIGHT = f(0, 0, 3, 0, 0, np.nan, np.inf)

CASES = [
    *(Case(op, (rand(2, 3), rand(3, seed=1))) for op in EXACT),
    *(Case(op, (rand(2, 3), rand(2, 1, seed=1)), why="floats") for op in ("FloorDiv", "FloorMod")),
    Case(
        "FloorDiv",
        (i(-(1 << 31), 7, dtype=np.int32), i(-1, -1, dtype=np.int32)),
        why="the least by -1",
    ),
    *(Case(op, (i(-7, 7, -6, 5), i(3, 2, 4, 5)), why="integers") for op in INTEGERS),
    *(Case(op, (LEFT, RIGHT), why="zeros", tol=ROUNDS) for op in ZERO),
    *(Case(op, (rand(2, 0), rand(1, 0)), why="empty") for op in EXACT),
    Case("Div", (f(-7, 7), f(2, -2)), why="floats"),
    *(
        Case(op, (f(*x), f(*y)), why=f"floats, {x} by {y}")
        for op in ("TruncateDiv", "FloorDiv", "TruncateMod", "FloorMod")
        for x, y in (((1, -1, 3, -3, 5, 0), (2, 2, -2, -2, 4, 3)), ((1,), (4, -4, 1, -1)))
    ),
    Case("TruncateDiv", (f(-7, 7, -0.5, np.nan), f(2, 2, 1, 1)), why="floats"),
    Case("Pow", (rand(2, 3, low=0.1), rand(3, seed=1)), tol=ROUNDS),
    Case("Atan2", (f(1, -1, 0, 0), f(1, -1, 0, -1)), tol=ROUNDS),
    Case("NextAfter", (f(1, 0), f(2, -1))),
    Case("AddN", ([rand(2, 3), rand(2, 3, seed=1), rand(2, 3, seed=2)],)),
    Case("AddN", ([rand(2)],), why="one"),
    Case("AddV2", (rand(2), i(1, 2)), why="two types", raises=BadType),
    Case("Sub", (f(1, 2, dtype=np.complex64), f(1j, 1, dtype=np.complex64)), why="complex"),
]
LIMITS = [
    Limit("NextAfter", "a function of the builtin device", "onnxruntime", raises=NoLowering),
]
