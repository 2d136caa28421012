"""TensorFlow's elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, f, i, rand

EXACT = ("Abs", "Ceil", "Floor", "Neg", "Square")
ROUNDING = ("Cos", "Erf", "Exp", "Log", "Rsqrt", "Sin", "Sqrt")
EDGES = f(-np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan)

CASES = [
    *(Case(op, (EDGES,), why="edges", tol=ROUNDS) for op in (*EXACT, *ROUNDING)),
    *(Case(op, (rand(2, 3, low=0.1),), tol=ROUNDS) for op in ROUNDING),
    *(Case(op, (i(-2, 3),), why="integers") for op in ("Abs", "Neg", "Square")),
    *(Case(op, (f(1, 2),)) for op in ("Identity", "StopGradient", "PreventGradient", "Snapshot")),
    Case("Cast", (f(-1.5, 2.5),), {"DstT": Precision.INT32}),
]
