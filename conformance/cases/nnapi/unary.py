"""NNAPI's functions of single numbers."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel

from ...case import Case, f, rand
from .numbers import q

CASES = [
    Case("FLOOR", (f(-np.inf, -1.5, -1, -0.5, -0.0, 0, 0.5, 1e9, np.inf),), why="edges"),
    Case("FLOOR", (rand(2, 3, 4, 5),), why="four axes"),
    Case("FLOOR", (q(3),), raises=BadModel, why="integers"),
    Case("FLOOR", (rand(1, 1, 1, 1, 2),), raises=BadModel, why="five axes"),
]
