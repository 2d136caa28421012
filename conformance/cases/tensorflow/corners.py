"""Edges of TensorFlow's operators: bounds that belong to them, poles, empty axes."""

from __future__ import annotations

import numpy as np

from ...case import Case, Const, Tolerance, f, i, rand, scalar

NEAR = Tolerance(relative=3e-5, absolute=1e-5)
ROWS = rand(2, 4)
TOLD = "the rest, as is told while running"
NO_AXES = Const(np.zeros((1, 0), np.int32))
CASES: list[Case] = [
    Case("ApproximateEqual", (f(1, 1, 1), f(2, 3, np.nan)), {"tolerance": 1.0},
         why="as far apart as is allowed"),
    *(
        Case(op, (f(1, 2, 3, 4).reshape(2, 2), NO_AXES), why="no axes, as a matrix")
        for op in ("Mean", "Sum", "Prod", "Max", "Min")
    ),
    *(
        Case(op, (np.zeros((1, 0, 2), np.complex64),), why="no points")
        for op in ("FFT2D", "IFFT2D")
    ),
    Case("Zeta", (f(1, 1, 1, 1, 3, 2), f(0, -1, np.nan, 2, -1, -1)), tol=NEAR, why="the pole at 1"),
    Case("Betainc",
         (f(1, 0, 2, np.inf, np.inf, 0.5), f(0, 1, np.inf, 1, 1, np.nan),
          f(1, 0.5, 0.5, 0.5, 1, 0)),
         tol=NEAR, why="parameters at 0 and infinity"),
    *(
        Case("FloorDiv", (f(-np.inf, np.inf, 1, 5, -1, 6, dtype=kind),
                          f(1, 1, np.inf, -np.inf, 0, 0.1, dtype=kind)), why="infinities")
        for kind in (np.float32, np.float16)
    ),
    *(
        Case("Slice", (ROWS, begin, i(1, -1, dtype=np.int32)), why=f"{TOLD}{start}")
        for begin, start in (
            (i(1, 0, dtype=np.int32), ""),
            (Const(i(1, 1, dtype=np.int32)), ", from a known place"),
        )
    ),
    Case("SplitV", (ROWS, i(1, -1, 1, dtype=np.int32), Const(scalar(1, np.int32))),
         {"num_split": 3}, outputs=3, why=TOLD),
    Case("SoftmaxCrossEntropyWithLogits", (f(1).reshape(1, 1), f(1, np.nan).reshape(1, 2)),
         outputs=2, tol=NEAR, why="scores that are repeated beside NaN"),
    Case("LRN", (np.zeros((1, 2, 3, 0), np.float32),), why="no channels"),
    Case("BesselY1", (f(0, dtype=np.float64),), why="0 in float64"),
    *(
        Case("Polygamma", (Const(np.array(n, np.float32)), f(-1, 0, -1.5)), tol=NEAR,
             why=f"poles of order {n}")
        for n in (1, 2)
    ),
]  # fmt: skip
