"""ATen arithmetic on two operands."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, f, i, rand, scalar

CASES = [
    Case("aten.add.Tensor", (rand(2, 3), rand(3, seed=1))),
    Case("aten.add.Tensor", (rand(2, 3), rand(3, seed=1)), {"alpha": 0.5}, tol=ROUNDS),
    Case("aten.add.Tensor", (i(1, 2), scalar(1.5)), why="a float without axes raises integers"),
    Case("aten.add.Tensor", (f(1, 2, dtype=np.float16), scalar(1.5)), why="a float stays narrow"),
    Case("aten.add.Tensor", (i(1, 2), 2), why="a number"),
    Case("aten.add.Scalar", (i(1, 2, dtype=np.int8), 2.5), why="a float number"),
    Case("aten.mul.Tensor", (i(1, 0), f(True, False, dtype=np.bool_)), why="a bool"),
    Case("aten.mul.Scalar", (f(1, 2, dtype=np.float64), 2)),
]
