"""NNRt's largest elements."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadType

from ...case import Case, rand
from .numbers import name, number, sizes

X = rand(3, 4, 6)

CASES = [
    *(Case("TOP_K", (X, number(2)), {"sorted": s, "axis": a}, outputs=2)
      for s in (True, False) for a in (-1, 0, 1)),
    Case("TOP_K", (X, sizes(3)), {"sorted": True}, outputs=2, why="without an axis"),
    Case("TOP_K", (X, number(6)), {"sorted": True}, outputs=2, why="all"),
    *(Case("TOP_K", (np.arange(12, dtype=d).reshape(3, 4) * 5 % 12, number(2)), {"sorted": True},
           outputs=2, why=name(d)) for d in (np.int8, np.int32, np.float64)),
    Case("TOP_K", (X, number(7)), {"sorted": True}, outputs=2, raises=BadType, why="too many"),
    Case("TOP_K", (X, number(2)), outputs=2, raises=BadFile, why="no order"),
]  # fmt: skip
