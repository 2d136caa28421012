"""Paddle's comparisons and selection by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, f, i, rand, scalar

nan, inf = np.nan, np.inf
ORT = "onnxruntime"
PAIRS = (f(1 + 5j, 1, 2, dtype=np.complex64), f(1, 2, 1 + 9j, dtype=np.complex64))
TRUE = np.array([True, False, True])
ORDERED = ("greater_equal", "greater_than", "less_equal", "less_than")
EACH = ("equal", "not_equal", *ORDERED)

CASES = [
    *(Case(op, (f(1, 2, nan, inf, -0.0), f(2, 2, nan, inf, 0))) for op in EACH),
    *(Case(op, (i(1, 2, 3), i(2)), why="integers") for op in EACH),
    *(Case(op, (TRUE, TRUE[::-1].copy()[:1]), why="bools") for op in EACH),
    *(Case(op, (rand(2, 1, 3), rand(4, 1)), why="broadcasts") for op in EACH),
    *(Case(op, (scalar(1), scalar(2)), why="no axes") for op in EACH),
    *(Case(op, PAIRS, why="complex") for op in ("equal", "not_equal")),
    *(Case(op, PAIRS, why="complex", raises=BadType) for op in ORDERED),
    *(Case(op, (f(1, dtype=np.float16), f(2, dtype=np.float16))) for op in EACH),
    *(Case(op, (i(255, dtype=np.uint8), i(1, dtype=np.uint8))) for op in EACH),
    *(Case(f"{op}_", (f(1, 2), f(2)), why="in place") for op in EACH),
    Case("equal", (f(1), i(1)), why="two types", raises=BadType),
    Case("equal_all", (f(1, 2), f(1, 2))),
    Case("equal_all", (f(1, 2), f(1, 3)), why="differ"),
    Case("equal_all", (f(1, 2), f(1, 2, 3)), why="two shapes"),
    Case("equal_all", (scalar(1), scalar(1)), why="no axes"),
    Case("equal_all", (f(nan), f(nan)), why="nan"),
    Case("allclose", (f(1, 2), f(1, 2 + 1e-6))),
    Case("allclose", (f(1, 2), f(1, 2.1)), {"rtol": 0.1}),
    *(
        Case("allclose", (f(1, a), f(1, b)), why=f"by default, {a} {b}")
        for a, b in ((1, 1 + 8e-6), (1, 1 + 1.3e-5), (8e-9, 0), (1.3e-8, 0))
    ),
    Case("allclose", (f(1, nan), f(1, nan)), why="nan"),
    Case("allclose", (f(1, nan), f(1, nan)), {"equal_nan": True}),
    Case("allclose", (i(1, 2), i(1, 2)), why="integers"),
    Case("where", (TRUE, f(1, 2, 3), f(4, 5, 6))),
    Case("where", (TRUE, i(1, 2, 3), i(4, 5, 6)), why="integers"),
    Case("where", (np.array(True), scalar(1), scalar(2)), why="no axes"),
    Case("where", (np.zeros((0, 2), bool), rand(0, 2), rand(0, 2)), why="empty"),
    Case("where", (TRUE, f(1, 2, 3), i(4, 5, 6)), why="two types", raises=BadType),
    Case("where_", (TRUE, f(1, 2, 3), f(4, 5, 6)), why="in place"),
    Case("allclose", (f(1, 2), f(1.05, 2)), {"atol": 0.1}),
]
