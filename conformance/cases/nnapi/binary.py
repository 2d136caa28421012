"""NNAPI's sums and products."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import Case, f, rand
from .numbers import ACTIVATIONS, QUANTUM, q, stored

CASES = [
    *(
        Case(
            op,
            (rand(2, 3, 4), rand(2, 3, 4, seed=1)),
            {"fuse_code": code},
            why=f"activation {code}",
        )
        for op in ("ADD", "MUL")
        for code in ACTIVATIONS
    ),
    *(
        Case(op, (rand(4, 1, 2), rand(5, 4, 3, 1, seed=1)), {"fuse_code": 0}, why="broadcast")
        for op in ("ADD", "MUL")
    ),
    *(
        Case(op, (f(1e19, -1e-30, -0.0), f(3e18, 1e-5, 0.0)), {"fuse_code": 0}, why="far from 1")
        for op in ("ADD", "MUL")
    ),
    *(
        Case(
            "ADD",
            (q(2, 3, 4), q(2, 3, 4, seed=1, scale=0.05, zero=9)),
            {"fuse_code": code},
            results=stored(0.04, 100),
            tol=QUANTUM,
            why=f"quantised, activation {code}",
        )
        for code in ACTIVATIONS
    ),
    *(
        Case(
            "MUL",
            (q(2, 3, 4), q(2, 3, 4, seed=1, scale=0.05, zero=9)),
            {"fuse_code": code},
            results=stored(0.08, 100),
            tol=QUANTUM,
            why=f"quantised, activation {code}",
        )
        for code in ACTIVATIONS
    ),
    Case(
        "ADD",
        (q(2, 3, 4), q(4, seed=1)),
        {"fuse_code": 0},
        results=stored(0.04, 128),
        tol=QUANTUM,
        why="quantised, broadcast",
    ),
    Case(
        "MUL",
        (q(4), q(4, seed=1)),
        {"fuse_code": 0},
        results=stored(0.0001),
        raises=BadModel,
        why="a scale below the product",
    ),
    Case("ADD", (rand(3), rand(4)), {"fuse_code": 0}, raises=BadModel, why="incompatible"),
    Case("ADD", (rand(3), rand(3)), {"fuse_code": 4}, raises=BadModel, why="no such activation"),
    Case("MUL", (rand(3), q(3)), {"fuse_code": 0}, raises=BadModel, why="two types"),
]
