"""Paddle's logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from ...case import Case, f, i, rand

nan = np.nan
TRUE = np.array([True, True, False, False])
ODD = np.array([True, False, True, False])
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
SHIFTS = ("bitwise_left_shift", "bitwise_right_shift")

CASES = [
    *(Case(op, (TRUE, ODD)) for op in (*LOGICAL, *BITWISE)),
    *(Case(op, (f(0, 1, nan), f(1, 0, 1)), why="numbers") for op in LOGICAL),
    *(Case(op, (rand(2, 1, dtype=bool), rand(3, dtype=bool)), why="broadcasts") for op in LOGICAL),
    *(Case(op, (np.array(True), np.array(False)), why="no axes") for op in LOGICAL),
    *(Case(op, (i(12, -1), i(10, 6))) for op in BITWISE),
    *(Case(op, (i(200, dtype=np.uint8), i(7, 255, dtype=np.uint8))) for op in BITWISE),
    *(Case(f"{op}_", (TRUE, ODD), why="in place") for op in (*LOGICAL, *BITWISE)),
    *(Case(op, (i(1, -8, 5, -5), i(2, 1, 3, 1))) for op in SHIFTS),
    *(Case(op, (i(1, -8, 5, -5), i(2, 1, 3, 1)), {"is_arithmetic": False}) for op in SHIFTS),
    *(
        Case(op, (i(5, -5, dtype=np.int32), i(33, 33, dtype=np.int32)), why="too far")
        for op in SHIFTS
    ),
    *(Case(op, (i(200, dtype=np.uint8), i(1, 3, dtype=np.uint8))) for op in SHIFTS),
    *(Case(f"{op}_", (i(5), i(1)), why="in place") for op in SHIFTS),
    *(Case(f"{op}_", (i(1, -8, 5, -5), i(2, 1, 3, 1)), {"is_arithmetic": False}) for op in SHIFTS),
]
