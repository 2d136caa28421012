"""ATen comparisons and selection by a mask."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ...case import Case, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
COMPARISONS = ("eq", "ge", "gt", "le", "lt", "ne")
EDGES = f(-np.inf, -1, 0, 1, np.nan, np.inf)
MASK = f(True, False, True, dtype=np.bool_)

CASES = [
    *(Case(f"aten.{op}.Tensor", (EDGES, EDGES[::-1].copy()), why="edges") for op in COMPARISONS),
    *(Case(f"aten.{op}.Tensor", (EDGES, scalar(1, np.int64)), why="0-d") for op in COMPARISONS),
    *(
        Case(f"aten.{op}.Tensor", (i(1, 2, 3, dtype=d), i(2, 2, 2, dtype=d)))
        for op in COMPARISONS
        for d in (np.int64, np.uint8, np.int16, np.bool_)
    ),
    *(
        Case(f"aten.{op}.Tensor", (rand(2, 3, dtype=d), rand(3, dtype=d, seed=1)), why="broadcast")
        for op in COMPARISONS
        for d in (np.float16, BF16, np.float64)
    ),
    *(Case(f"aten.{op}.Scalar", (EDGES, 1), why="a number") for op in COMPARISONS),
    *(Case(f"aten.{op}.Scalar", (i(1, 2, 3), 2.5), why="a fraction") for op in COMPARISONS),
    *(Case(f"aten.{op}.Scalar", (MASK, True), why="truth values") for op in COMPARISONS),
    *(Case(f"aten.{op}.Scalar", (np.zeros((0, 2), np.float32), 1)) for op in COMPARISONS),
    Case("aten.where.self", (MASK, f(1, 2, 3), f(4, np.nan, 6))),
    Case("aten.where.self", (MASK, i(1, 2, 3), f(4, np.nan, 6)), why="promotion"),
    Case("aten.where.self", (MASK, MASK, ~MASK), why="truth values"),
    Case("aten.where.self", (MASK, rand(2, 1, dtype=BF16), scalar(1, BF16)), why="broadcast"),
    Case("aten.where.self", (i(1, 0, dtype=np.uint8), i(1, 2), i(3, 4)), why="a mask of uint8"),
    Case("aten.where.ScalarOther", (MASK, f(1, 2, 3, dtype=np.float16), -np.inf)),
    Case("aten.where.ScalarSelf", (MASK, 2.5, i(1, 2, 3)), why="a float number"),
    Case("aten.where.Scalar", (MASK, 1, 0.5)),
    Case("aten.where.Scalar", (MASK, 1, 0), why="integers"),
]
