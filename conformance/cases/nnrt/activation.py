"""NNRt's activations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadType

from ...case import EXACT, ROUNDS, Case, Const, Tolerance, f, rand
from .numbers import BYTES, FLOATS, QUANTUM, alike, name, q, stored

X = rand(2, 3, 4, low=-5, high=8)
EDGES = f(-np.inf, -6.5, -3, -0.0, 0, 3, 6, 6.5, np.inf, np.nan)
HALF = Tolerance(relative=2e-3, absolute=2e-3)
SIMPLE = ("HARD_SIGMOID", "HSWISH", "RELU", "RELU6", "SIGMOID", "SWISH", "TANH", "GELU")
EXACTLY = ("RELU", "RELU6")
NEAR = {"": ROUNDS, "float16": HALF}


def _tolerance(op: str) -> Tolerance | dict[str, Tolerance]:
    return EXACT if op in EXACTLY else NEAR


CASES = [
    *(Case(op, (X,), tol=_tolerance(op)) for op in SIMPLE),
    *(Case(op, (X.astype(d),), tol=_tolerance(op), why=name(d)) for op in SIMPLE for d in FLOATS),
    *(Case(op, (EDGES,), tol=_tolerance(op), why="edges") for op in SIMPLE if op != "GELU"),
    *(Case(op, (q(3, 5, dtype=d),), results=stored(0.03, 3, d), tol=QUANTUM,
           why=f"{name(d)} with scales") for op in SIMPLE[:-1] for d in BYTES),
    Case("GELU", (X,), {"approximate": True}, tol=ROUNDS),
    Case("GELU", (X,), {"approximate": False}, tol=ROUNDS),
    *(Case("LEAKY_RELU", (X,), {"negativeSlope": s}) for s in (0.25, 0.0, -1.0, 3.0)),
    Case("LEAKY_RELU", (q(3, 5),), {"negativeSlope": 0.25}, results=alike(), tol=QUANTUM,
         why="int8"),
    Case("LEAKY_RELU", (X,), raises=BadFile, why="no slope"),
    Case("PRELU", (X, Const(rand(4, seed=1)))),
    Case("PRELU", (X, rand(4, seed=1)), why="slopes while running"),
    Case("PRELU", (X, Const(f(0.5))), why="one slope"),
    Case("PRELU", (X[0, 0], Const(f(0.5))), why="one axis"),
    Case("PRELU", (rand(1, 2, 3, 5), Const(rand(5, seed=2))), why="an image"),
    Case("TANH", (X,), results=(X[:1],), raises=BadType, why="declared of another size"),
    Case("TANH", (X,), results=(X > 0,), raises=BadType, why="declared of another type"),
    Case("PRELU", (X, Const(rand(3, seed=1))), raises=BadType, why="slopes of another axis"),
    Case("PRELU", (X, Const(rand(1, 4))), raises=BadFile, why="slopes of two axes"),
    *(Case("SOFTMAX", (X,), {"axis": a}, tol=ROUNDS) for a in (-1, 0, 1)),
    Case("SOFTMAX", (q(3, 5),), {"axis": -1}, results=stored(1 / 256, -128), tol=QUANTUM,
         why="int8"),
    Case("SOFTMAX", (X,), {"axis": 3}, raises=BadType, why="no such axis"),
    *(Case("LOG_SOFTMAX", (X[0],), {"axis": a}, tol=ROUNDS) for a in (-1, 0)),
    Case("LOG_SOFTMAX", (X[0].astype(np.float64),), {"axis": 1}, tol=ROUNDS, why="float64"),
    Case("LOG_SOFTMAX", (X,), {"axis": 1}, raises=BadFile, why="three axes"),
    Case("CLIP", (X,), {"min": -1.0, "max": 2.5}),
    Case("CLIP", (EDGES,), {"min": -1.0, "max": 2.5}, why="edges"),
    Case("CLIP", (q(3, 5),), {"min": -1.0, "max": 1.0}, results=alike(), tol=QUANTUM, why="int8"),
    Case("CLIP", (X,), {"min": 0.0}, raises=BadFile, why="no maximum"),
]  # fmt: skip
