"""NNAPI's activations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel

from ...case import ROUNDS, Case, f, rand
from .numbers import PROBABILITY, QUANTUM, q, stored

EDGES = f(-np.inf, -7, -1, -0.5, 0, 0.5, 1, 5, 6, 7, np.inf)
CASES = [
    *(Case(op, (EDGES,), why="edges") for op in ("RELU", "RELU1", "RELU6")),
    *(
        Case(op, (q(2, 3, 4),), results=stored(0.02, 130), tol=QUANTUM, why="quantised")
        for op in ("RELU", "RELU1", "RELU6")
    ),
    *(
        Case(op, (q(2, 3, 4),), results=stored(0.03, 7), tol=QUANTUM, why="to another scale")
        for op in ("RELU", "RELU6")
    ),
    Case("LOGISTIC", (EDGES,), tol=ROUNDS, why="edges"),
    Case("LOGISTIC", (rand(2, 3, 4, 5, low=-9, high=9),), tol=ROUNDS, why="four axes"),
    Case(
        "LOGISTIC",
        (q(3, 50, scale=0.05),),
        results=stored(*PROBABILITY),
        tol=QUANTUM,
        why="quantised",
    ),
    Case("LOGISTIC", (q(3, 5),), results=stored(0.01), raises=BadModel, why="another scale"),
    Case("TANH", (EDGES,), tol=ROUNDS, why="edges"),
    Case("TANH", (rand(2, 3, 4, 5),), tol=ROUNDS, why="four axes"),
    Case("TANH", (q(3, 5),), raises=BadModel, why="integers, which it does not take"),
    *(
        Case(
            "SOFTMAX", (rand(*shape),), {"beta": beta}, tol=ROUNDS, why=f"{len(shape)} axes, {beta}"
        )
        for shape in ((3, 5), (2, 3, 2, 4))
        for beta in (1.0, 0.3, 4.0)
    ),
    Case("SOFTMAX", (f([1000, 999, -1000]),), {"beta": 1.0}, tol=ROUNDS, why="far apart"),
    Case(
        "SOFTMAX",
        (q(4, 9, scale=0.1),),
        {"beta": 1.0},
        results=stored(*PROBABILITY),
        tol=QUANTUM,
        why="quantised",
    ),
    Case("SOFTMAX", (rand(2, 3, 4),), {"beta": 1.0}, raises=BadModel, why="three axes"),
    Case("SOFTMAX", (rand(2, 3),), {"beta": 0.0}, raises=BadModel, why="no factor"),
]
