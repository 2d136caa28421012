"""NNAPI's dense layers."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import Case, Const, rand
from .numbers import ACTIVATIONS, QUANTUM, SUMS, bias, q, stored

ROWS, WEIGHTS, BIAS = rand(3, 5), Const(rand(4, 5, seed=1)), Const(rand(4, seed=2))
BYTES = q(3, 5)
TAPS = q(4, 5, seed=1, scale=0.004, zero=140, constant=True)

CASES = [
    *(
        Case(
            "FULLY_CONNECTED",
            (ROWS, WEIGHTS, BIAS),
            {"fuse_code": a},
            tol=SUMS,
            why=f"activation {a}",
        )
        for a in ACTIVATIONS
    ),
    Case(
        "FULLY_CONNECTED",
        (rand(2, 3, 5), WEIGHTS, BIAS),
        {"fuse_code": 0},
        tol=SUMS,
        why="three axes",
    ),
    Case(
        "FULLY_CONNECTED",
        (rand(3, 1, 2, 5), Const(rand(4, 10)), BIAS),
        {"fuse_code": 0},
        tol=SUMS,
        why="flattened to longer rows",
    ),
    Case(
        "FULLY_CONNECTED",
        (ROWS, rand(4, 5), rand(4)),
        {"fuse_code": 0},
        tol=SUMS,
        why="weights at run time",
    ),
    *(
        Case(
            "FULLY_CONNECTED",
            (BYTES, TAPS, bias(4, 0.02 * 0.004)),
            {"fuse_code": a},
            results=stored(0.03, 110),
            tol=QUANTUM,
            why=f"quantised, activation {a}",
        )
        for a in ACTIVATIONS
    ),
    Case(
        "FULLY_CONNECTED",
        (rand(3, 7), WEIGHTS, BIAS),
        {"fuse_code": 0},
        raises=BadModel,
        why="no whole rows",
    ),
]
