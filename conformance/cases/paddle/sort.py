"""Paddle's operators that order elements, or search among ordered ones."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Case, Const, Limit, f, i, rand, scalar

nan = np.nan
I4 = Precision.INT32
CUBE = rand(2, 3, 4)

CASES = [
    Case("argsort", (f(3, 1, nan, 2),), why="nan is the largest"),
    Case("argsort", (f(3, 1, 4, 2),)),
    Case("argsort", (f(3, 1, 4, 2),), {"descending": True}),
    Case("argsort", (f(3, 1, 1, 2, 1),), {"stable": True}, why="equal ones stay in order"),
    Case("argsort", (f(3, 1, 1, 3),), {"stable": True, "descending": True}),
    Case("argsort", (CUBE,), {"axis": 1}),
    Case("argsort", (scalar(3),), why="no axes"),
    Case("argsort", (i(3, -1, 2),), why="integers"),
    Case("topk", (CUBE,)),
    Case("topk", (CUBE, 2), {"axis": 0}),
    Case("topk", (CUBE, Const(i(2))), why="k of the program"),
    Case("topk", (CUBE, 2), {"axis": 1, "largest": False}),
    Case("topk", (f(3, 1, nan, 2), 2), why="nan is the largest"),
    Case("topk", (f(3, 1, nan, 2), 2), {"largest": False}, why="nan"),
    Case("topk", (scalar(3),), why="no axes"),
    Case("topk", (i(3, 1, 2, dtype=np.int32), 3), why="integers"),
    Case("kthvalue", (f(3, 1, 2), 2)),
    Case("kthvalue", (CUBE,), {"axis": 0, "keepdim": True}),
    Case("kthvalue", (f(3, nan, 2), 2), why="nan"),
    Case("searchsorted", (f(1, 3, 5), f(3, 0, 6, nan))),
    Case("searchsorted", (f(1, 3, 5), f(3, 0, 6)), {"right": True, "out_int32": True}),
    Case(
        "searchsorted", (f(1, 2, 3, 4, 5, 6).reshape(2, 3), f(2, 5, 4, 5).reshape(2, 2)), why="rows"
    ),
    Case("searchsorted", (i(1, 3, 5), i(4)), why="integers"),
    Case(
        "unique",
        (f(3, 1, 3, 2),),
        {"return_index": True, "return_inverse": True, "return_counts": True, "is_sorted": True},
    ),
    Case("unique", (f(3, 1, 3, 2).reshape(2, 2),), {"is_sorted": True}, why="flattened"),
    Case("unique", (i(3, 1, 3, 2),), why="in order without is_sorted"),
    Case(
        "unique",
        (f(3, 4, 1, 2, 3, 4).reshape(3, 2),),
        {
            "return_index": True,
            "return_inverse": True,
            "return_counts": True,
            "axis": [0],
            "dtype": I4,
            "is_sorted": True,
        },
    ),
    Case("unique", (rand(2, 2),), {"axis": [0, 1]}, raises=BadType),
    Case(
        "unique_consecutive",
        (f(1, 1, 2, 1),),
        {"return_inverse": True, "return_counts": True, "dtype": Precision.INT64},
    ),
    Case(
        "unique_consecutive",
        (f(1, 2, 1, 2, 3, 4).reshape(3, 2),),
        {"return_inverse": True, "return_counts": True, "axis": [0], "dtype": I4},
    ),
    Case("unique_consecutive", (i(1, 1, 2),), {"dtype": I4}, why="integers"),
    Case("unique_consecutive", (rand(2, 2),), {"axis": [0, 1]}, raises=BadType),
    Case("topk", (CUBE,), {"sorted": False}, why="one has no order"),
]
LIMITS = [
    Limit(op, why="nan is not the largest", device="onnxruntime", case=case)
    for op, case in (("argsort", "nan is"), ("kthvalue", "nan"), ("topk", "nan is"))
]
