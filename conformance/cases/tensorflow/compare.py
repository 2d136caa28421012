"""TensorFlow's comparisons and selection."""

from __future__ import annotations

import numpy as np

from ...case import Case, Const, f, i, rand, scalar

PAIRS = ("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual")
MASK = np.array([True, False])

CASES = [
    *(Case(op, (f(1, 2, np.nan), f(2, 2, np.nan))) for op in PAIRS),
    *(Case(op, (i(1, 2).reshape(2, 1), i(2, 1)), why="integers") for op in PAIRS),
    *(Case(op, (MASK, MASK[::-1].copy()), why="bools") for op in ("Equal", "NotEqual")),
    *(
        Case(op, pair, {"incompatible_shape_error": False}, why=why)
        for op in ("Equal", "NotEqual")
        for why, pair in {"fits": (f(1, 2, 3), f(1)), "does not fit": (f(1, 2), f(1, 2, 3))}.items()
    ),
    Case("SelectV2", (MASK, rand(3, 2), scalar(0))),
    Case("Select", (MASK, rand(2, 3), rand(2, 3, seed=1)), why="rows"),
    Case("Select", (np.array(True), rand(2, 3), rand(2, 3, seed=1)), why="rank 0"),
    Case("ApproximateEqual", (f(1, 1.5), f(1.05, 1.7)), {"tolerance": 0.1}),
    *(Case(op, (f(1, np.nan, np.inf, -np.inf),)) for op in ("IsNan", "IsInf", "IsFinite")),
    Case("ClipByValue", (rand(2, 3), scalar(-0.5), scalar(0.5))),
    Case("ClipByValue", (f(-1, 4, 9), scalar(5), scalar(3)), why="limits out of order"),
    Case("ClipByValue", (rand(2, 3), Const(scalar(-1)), Const(scalar(1))), why="known limits"),
    Case(
        "ClipByValue",
        (f(-1, 4, 9), Const(scalar(5)), Const(scalar(3))),
        why="known limits out of order",
    ),
]
