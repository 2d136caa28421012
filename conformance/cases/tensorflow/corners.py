"""Edges of TensorFlow's operators: bounds that belong to them, poles, empty axes."""

from __future__ import annotations

import numpy as np

from ...case import Case, Const, Tolerance, f

NEAR = Tolerance(relative=3e-5, absolute=1e-5)
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
]  # fmt: skip
