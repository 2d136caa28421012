"""NNRt's cast between integers and what they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType

from ...case import Case, f, rand
from ...engines.nnrt import Scaled
from .numbers import BYTES, SCALES, name, q, stored

OP = "QUANT_DTYPE_CAST"
CODES: dict[Any, int] = {np.int8: 2, np.int32: 4, np.uint8: 6, np.float16: 10, np.float32: 11}
X = rand(3, 5, low=-4, high=4)
ROWS = (0.01, 0.02, 0.05)
TIES = np.arange(-8, 9, dtype=np.float32) / 2


def codes(source: Any, target: Any, **given: int) -> dict[str, Any]:
    """The types before and behind."""
    return {"srcT": CODES[source], "dstT": CODES[target]} | given


def rows(array: np.ndarray) -> Scaled:
    """Integers with a scale for each row."""
    return Scaled(array, ROWS, (0, 3, -2))


CASES = [
    *(Case(OP, (q(3, 5, dtype=d),), codes(d, np.float32), why=f"from {name(d)}") for d in BYTES),
    *(Case(OP, (Scaled(np.arange(256).astype(d), 0.03, SCALES[d][1]),), codes(d, np.float32),
           why=f"all of {name(d)}") for d in BYTES),
    *(Case(OP, (X,), codes(np.float32, d), results=stored(*SCALES[d], d), why=f"to {name(d)}")
      for d in BYTES),
    *(Case(OP, (TIES,), codes(np.float32, d), results=stored(1.0, 4, d), why=f"ties to {name(d)}")
      for d in BYTES),
    *(Case(OP, (f(-1e9, -300, 300, 1e9),), codes(np.float32, d), results=stored(1.0, 3, d),
           why=f"beyond {name(d)}") for d in BYTES),
    Case(OP, (rows(rand(3, 5, dtype=np.int8, low=-100, high=100)),),
         codes(np.int8, np.float32, axis=0), why="from rows"),
    Case(OP, (X,), codes(np.float32, np.int8, axis=0), results=(rows(np.empty(0, np.int8)),),
         why="to rows"),
    Case(OP, (rows(rand(5, 3, dtype=np.int8, low=-100, high=100)),),
         codes(np.int8, np.float32, axis=1), why="from columns"),
    Case(OP, (q(3, 5),), codes(np.int8, np.uint8), results=stored(0.03, 130, np.uint8),
         why="to another scale"),
    Case(OP, (X,), codes(np.float32, np.float16), why="float32 to float16"),
    Case(OP, (X.astype(np.float16),), codes(np.float16, np.float32), why="float16 to float32"),
    Case(OP, (X,), codes(np.int8, np.float32), raises=BadType, why="another type than srcT"),
    Case(OP, (rand(3, 5, dtype=np.int8, high=9),), codes(np.int8, np.float32), raises=BadType,
         why="no scale", results=(np.empty((3, 5), np.float32),)),
]  # fmt: skip
