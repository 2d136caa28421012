"""TensorFlow's logic on bools and bits."""

from __future__ import annotations

import numpy as np

from ...case import Case, i

A, B = np.array([True, True, False, False]), np.array([True, False, True, False])

CASES = [
    *(Case(op, (A, B)) for op in ("LogicalAnd", "LogicalOr")),
    Case("LogicalNot", (A,)),
    *(
        Case(op, (i(12, -7, 0, dtype=d), i(10, 3, -1, dtype=d)), why=f"{np.dtype(d)}")
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
        for d in (np.int8, np.int32, np.int64)
    ),
    Case("Invert", (i(12, -7),)),
    Case("LeftShift", (i(1, -3), i(2, 5))),
    Case("RightShift", (i(17, -17), i(2, 1))),
]
