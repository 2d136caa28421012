"""Paddle's special functions."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering

from ...case import ROUNDS, Case, Limit, f, i, rand, scalar

nan, inf = np.nan, np.inf
f8 = np.float64
ORT = "onnxruntime"
BESSEL = ("i0", "i0e", "i1", "i1e")
GAMMA = ("digamma", "lgamma")
PLAIN = ("erf", "erfinv", *GAMMA, *BESSEL)

CASES = [
    *(Case(op, (rand(2, 3, low=-0.9, high=0.9),), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (rand(3, dtype=f8, low=-0.9, high=0.9),), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (i(1, 2, dtype=np.int32),), tol=ROUNDS, why="integers") for op in (*GAMMA, *BESSEL)),
    *(Case(op, (scalar(0.3),), tol=ROUNDS, why="no axes") for op in PLAIN),
    *(Case(op, (f(-30, -5, 5, 30, nan),), tol=ROUNDS, why="far") for op in ("erf", *BESSEL)),
    *(Case(op, (f(-1.5, 0.5, 3, 30, nan, inf),), tol=ROUNDS, why="far") for op in GAMMA),
    Case("lgamma", (f(-1, 0, -inf),), why="poles"),
    Case("gammaln", (f(-1.5, 0.5, 3),), tol=ROUNDS),
    Case("gammaln", (rand(3, dtype=f8, low=0.1),), tol=ROUNDS),
    Case("erfinv", (f(-1, 0, 1),), why="the ends"),
    *(Case(f"{op}_", (f(0.5),), tol=ROUNDS, why="in place") for op in ("erf", "erfinv", "i0")),
    *(Case(f"{op}_", (f(0.5),), tol=ROUNDS, why="in place") for op in (*GAMMA, "gammaln")),
    *(Case("polygamma", (f(0.5, 2, 10), n), tol=ROUNDS, why=f"n={n}") for n in (1, 2, 3)),
    Case("polygamma", (f(0.5, 2, dtype=f8), 1), tol=ROUNDS),
    Case("polygamma", (f(-0.5, -2.75, 30, 1e-3, dtype=f8), 1), tol=ROUNDS, why="below 0, far"),
    Case("polygamma", (i(1, 2), 1), tol=ROUNDS, why="integers"),
    Case("polygamma_", (f(0.5), 1), tol=ROUNDS, why="in place"),
    Case("gammaincc", (f(0.5, 2, 1, 30), f(1, 3, 0, 25)), tol=ROUNDS),
    Case("gammaincc", (rand(2, low=0.1, dtype=f8), f(0.5, 1, dtype=f8)), tol=ROUNDS),
    Case("gammaincc_", (f(0.5), f(1)), tol=ROUNDS, why="in place"),
]
LIMITS = [
    *(
        Limit(op, why="no kernel", device=ORT, dtype="float64", raises=NoLowering)
        for op in ("erf", "erfinv", *BESSEL, *GAMMA, "gammaln", "polygamma")
    ),
    *(
        Limit(op, why="no kernel", device=ORT, raises=NoLowering)
        for op in ("gammaincc", "gammaincc_")
    ),
]
