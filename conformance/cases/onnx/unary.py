"""ONNX elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, f, i, rand

EXACT = ("Abs", "Ceil", "Floor", "Identity", "Neg", "Sign")
ROUNDING = (
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Erf", "Exp", "Log",
    "Reciprocal", "Sin", "Sinh", "Sqrt", "Tan",
)  # fmt: skip

CASES = [
    *(Case(op, (f(-2.5, -1, -0.0, 0.5, 3, np.inf),)) for op in EXACT),
    *(Case(op, (rand(2, 3, low=-0.9, high=0.9),), tol=ROUNDS) for op in ROUNDING),
    Case("Round", (f(0.5, 1.5, 2.5, -0.5, -1.5),), why="halves to even"),
    Case("Cast", (f(-1.7, 0, 2.9),), {"to": 6}, why="truncates toward zero"),
    Case("Neg", (i(-128, 5, dtype=np.int8),), why="the lowest integer wraps"),
]
