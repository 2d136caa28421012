"""TensorFlow's special functions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering

from ...case import Case, Const, Limit, Tolerance, f, rand, scalar

LOOSE = Tolerance(relative=3e-5, absolute=1e-5)
HALF = Tolerance(relative=2e-3, absolute=1e-3)
BESSEL = ("I0", "I0e", "I1", "I1e", "J0", "J1", "K0", "K0e", "K1", "K1e", "Y0", "Y1")
OPS = (*(f"Bessel{k}" for k in BESSEL), "Digamma", "Lgamma", "Dawsn", "Expint", "FresnelCos")
OPS += ("FresnelSin", "Spence")
INSIDE = ("Erfinv", "Ndtri")
PAIRS = ("Igamma", "Igammac", "Zeta", "Polygamma")
EDGES = f(-np.inf, -0.5, 0, 1, np.inf, np.nan)
A, X = f(0.5, 1, 2, 3), f(0.1, 1, 2.5, 4)

CASES = [
    *(Case(op, (rand(2, 3, low=0.1, high=5),), tol=LOOSE) for op in OPS),
    *(Case(op, (rand(2, 3, low=0.1, high=5, dtype=np.float64),), why="double", tol=LOOSE)
      for op in OPS),
    *(Case(op, (EDGES,), why="edges", tol=LOOSE) for op in OPS),
    *(Case(op, (scalar(0.5),), why="rank 0", tol=LOOSE) for op in (*OPS, *INSIDE)),
    *(Case(op, (rand(2, 3, low=0.05, high=0.95),), tol=LOOSE) for op in INSIDE),
    *(Case(op, (f(-1, 0, 1, 2, np.nan),), why="edges", tol=LOOSE) for op in INSIDE),
    *(Case(op, (A, X), tol=LOOSE) for op in ("Igamma", "Igammac")),
    *(Case(op, (A.reshape(4, 1), X), why="broadcast", tol=LOOSE) for op in ("Igamma", "Igammac")),
    *(Case(op, (f(0, -1, np.nan, 1, 0, -1), f(1, 1, 1, 0, 0, 0)), why="edges", tol=LOOSE)
      for op in ("Igamma", "Igammac")),
    Case("Zeta", (A + 1, X), tol=LOOSE),
    Case("Zeta", (f(1, 0.5, 2, 3, 2, 3, 2), f(1, 1, 0, -1, -1, 0, -1.5)), why="edges", tol=LOOSE),
    Case("Polygamma", (Const(scalar(1)), X), why="order 1", tol=LOOSE),
    Case("Polygamma", (Const(scalar(0)), X), why="order 0", tol=LOOSE),
    Case("Polygamma", (Const(scalar(2)), rand(2, 3, low=0.5, high=4)), why="order 2", tol=LOOSE),
    Case("Polygamma", (f(0, 1, 2, 3), X), why="orders", tol=LOOSE),
    Case("Polygamma", (f(0.5, -1), f(1, 1)), why="edges", tol=LOOSE),
    Case("Betainc", (A, X, f(0, 0.3, 0.7, 1)), tol=LOOSE),
    Case("Betainc", (A, X, f(-1, 2, np.nan, 0.5)), why="edges", tol=LOOSE),
    Case("Betainc", (scalar(2), scalar(3), scalar(0.25)), why="rank 0", tol=LOOSE),
    Case("Cross", (rand(2, 3), rand(2, 3, seed=1))),
    Case("Cross", (rand(4, 2, 3, dtype=np.int32), rand(4, 2, 3, dtype=np.int32, seed=1))),
    Case("Cross", (rand(2, 4), rand(2, 4)), why="4 numbers", raises=BadType),
]  # fmt: skip
FLOAT32 = (*(f"Bessel{k}" for k in BESSEL if k[0] in "IK"), "Digamma", "Lgamma")
"""Functions that polynomials reach in float32."""
OUTSIDE = "a function of the builtin device"
LIMITS = [
    *(
        Limit(op, OUTSIDE, "onnxruntime", raises=NoLowering)
        for op in (*OPS, *PAIRS, "Betainc")
        if op not in (*FLOAT32, "Polygamma")
    ),
    *(Limit(op, OUTSIDE, "onnxruntime", "float64", raises=NoLowering) for op in FLOAT32),
    *(
        Limit("Polygamma", OUTSIDE, "onnxruntime", case=case, raises=NoLowering)
        for case in ("orders", "edges", "1.5", "-1", "in a vector", "of each", "running")
    ),
]
