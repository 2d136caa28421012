"""NNRt's tensors that are made of numbers."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadModel, BadType

from ...case import Case, f, rand
from .numbers import INTEGERS, name, sizes

FEW: dict[str, int] = {"start": 1, "limit": 9, "delta": 3}

CASES = [
    *(Case("FILL", (rand(dtype=d, low=1, high=5), sizes(2, 3)), why=name(d))
      for d in (*INTEGERS, np.float32, np.float64, np.bool_)),
    Case("FILL", (f(2.5), sizes(2, 0)), why="nothing"),
    Case("FILL", (f(1, 2), sizes(2, 3)), raises=BadType, why="two numbers"),
    *(Case("RANGE", (np.zeros(2, d),), FEW, why=name(d)) for d in (np.int32, np.int64, np.float32)),
    Case("RANGE", (f(0),), {"start": 5, "limit": -2, "delta": -2}, why="falling"),
    Case("RANGE", (f(0),), FEW | {"delta": 0}, raises=BadType, why="no step"),
    Case("RANGE", (f(0),), {"start": 1, "limit": 3}, raises=BadFile, why="no delta"),
    *(Case("CONSTANT_OF_SHAPE", (np.array([2, 3]),), {"dataType": d, "value": 2.0}, why=f"type {d}")
      for d in (2, 4, 5, 11, 12)),
    Case("CONSTANT_OF_SHAPE", (np.array([2, 3]),), {"dataType": 99, "value": 1.0},
         raises=BadModel, why="no such type"),
]  # fmt: skip
