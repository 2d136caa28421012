"""ONNX activations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, f, i

CASES = [
    Case("LeakyRelu", (f(-2, 0, 3),)),
    Case("LeakyRelu", (f(-2, 3),), {"alpha": -1.0}, why="a negative slope is not max(x, sx)"),
    Case("LeakyRelu", (f(np.nan, -1),), why="nan stays nan"),
    Case("LeakyRelu", (f(-np.inf, np.inf),), why="infinities"),
    Case("LeakyRelu", (i(1),), why="an integer", raises=BadType),
    Case("Relu", (f(-2, 0, 3, np.nan),)),
    Case("Relu", (f(-2, 3, dtype=np.float16),), why="half"),
]
