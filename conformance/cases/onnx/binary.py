"""ONNX elementwise arithmetic."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, f, i, rand

CASES = [
    *(
        Case(op, (rand(2, 3), rand(3, seed=1)), why="broadcast")
        for op in ("Add", "Sub", "Mul", "Div")
    ),
    Case("Add", (i(1), f(1)), why="two types", raises=BadType),
    Case("Add", (rand(2, 3), rand(2)), why="no broadcast", raises=BadType),
    Case("Div", (i(7, -7, 7, -7), i(2, 2, -2, -2)), why="integers truncate", oracle="onnxruntime"),
    Case("Mul", (i(200, dtype=np.uint8), i(2, dtype=np.uint8)), why="integers wrap"),
]
