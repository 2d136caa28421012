"""TFLite's normalisations."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, rand
from .numbers import QUANTUM, q, stored

X = rand(2, 3, 4, 5)
CASES = [
    Case("L2_NORMALIZATION", (X,), tol=ROUNDS),
    Case("L2_NORMALIZATION", (rand(2, 3),), tol=ROUNDS, why="two axes"),
    Case("L2_NORMALIZATION", (np.zeros((2, 3), np.float32),), tol=ROUNDS, why="zeros"),
    Case("L2_NORMALIZATION", (q(3, 16),), results=stored(1 / 128), tol=QUANTUM, opset=2,
         why="int8"),
    Case("L2_NORMALIZATION", (q(3, 16, dtype=np.uint8),), results=stored(1 / 128, 128, np.uint8),
         tol=QUANTUM, why="uint8"),
    Case("LOCAL_RESPONSE_NORMALIZATION", (X,),
         {"radius": 2, "bias": 1.0, "alpha": 0.3, "beta": 0.5}, tol=ROUNDS),
    Case("LOCAL_RESPONSE_NORMALIZATION", (X,),
         {"radius": 1, "bias": 2.0, "alpha": 1.5, "beta": 0.75}, tol=ROUNDS),
]  # fmt: skip
