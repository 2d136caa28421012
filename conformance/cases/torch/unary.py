"""ATen elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, f, i, rand, scalar

ROUNDING = (
    *("acos", "acosh", "asin", "asinh", "atan", "cos", "cosh", "erf", "exp", "log", "reciprocal"),
    *("rsqrt", "sin", "sinh", "sqrt", "tan"),
)
EDGES = f(-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan)

CASES = [
    *(Case(f"aten.{op}.default", (rand(2, 3, low=0.1, high=0.9),), tol=ROUNDS) for op in ROUNDING),
    *(Case(f"aten.{op}.default", (EDGES,), why="edges", tol=ROUNDS) for op in ROUNDING),
    *(Case(f"aten.{op}.default", (i(1, 2),), why="integers", tol=ROUNDS) for op in ROUNDING),
    Case("aten.abs.default", (EDGES,), why="edges"),
    Case("aten.abs.default", (i(-3, 4),), why="integers"),
    Case("aten.neg.default", (EDGES,), why="edges"),
    Case("aten._to_copy.default", (f(-1.5, 2.5),), {"dtype": Precision.INT32}),
    Case("aten.to.dtype", (f(-1.5, 2.5), Precision.FLOAT16), why="half"),
    Case("aten.to.dtype", (scalar(2.5), Precision.BOOL8), why="bool"),
    Case("aten.type_as.default", (f(-1.5, 2.5), i(1))),
]
