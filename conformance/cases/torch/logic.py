"""ATen logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, f, i

TRUE, FALSE = f(True, True, False, dtype=np.bool_), f(True, False, False, dtype=np.bool_)
NAMES = ("and", "or", "xor")
SHIFTS = ("left", "right")
WIDTHS = (np.int8, np.uint8, np.int16, np.int32, np.int64)

CASES = [
    *(Case(f"aten.logical_{op}.default", (TRUE, FALSE)) for op in NAMES),
    *(Case(f"aten.logical_{op}.default", (f(0, 1, np.nan), i(0, 2, 0))) for op in NAMES),
    *(Case(f"aten.bitwise_{op}.Tensor", (TRUE, FALSE)) for op in NAMES),
    *(
        Case(f"aten.bitwise_{op}.Tensor", (i(1, 7, 12, dtype=d), i(3, 8, 10, dtype=d)))
        for op in NAMES
        for d in WIDTHS
    ),
    *(Case(f"aten.bitwise_{op}.Tensor", (i(1, 7, 12), TRUE), why="promotion") for op in NAMES),
    *(Case(f"aten.bitwise_{op}.Scalar", (i(1, 7, -12), 3)) for op in NAMES),
    *(Case(f"aten.bitwise_{op}.Scalar", (TRUE, True)) for op in NAMES),
    *(Case(f"aten.bitwise_{op}.Scalar_Tensor", (5, i(1, 7, -12))) for op in NAMES),
    *(Case(f"aten.bitwise_{op}.Tensor", (f(1), f(2)), raises=BadType) for op in NAMES),
    *(
        Case(f"aten.bitwise_{way}_shift.Tensor", (i(1, -7, 100, dtype=d), i(1, 2, 9, dtype=d)))
        for way in SHIFTS
        for d in WIDTHS
        if d != np.uint8
    ),
    *(Case(f"aten.bitwise_{way}_shift.Tensor_Scalar", (i(1, -7), 2)) for way in SHIFTS),
    *(Case(f"aten.bitwise_{way}_shift.Scalar_Tensor", (100, i(1, 3))) for way in SHIFTS),
    Case("aten.__lshift__.Scalar", (i(1, -7), 2)),
    Case("aten.__rshift__.Scalar", (i(1, -7), 2)),
]
