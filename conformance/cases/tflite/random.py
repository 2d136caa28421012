"""TFLite's random numbers."""

from __future__ import annotations

import numpy as np

from ...case import Case, rand
from .numbers import number, sizes

FLOAT = (np.float32,)
CASES = [
    *(Case(op, (sizes(2, 3),), s, results=FLOAT, random=True)
      for op in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL")
      for s in ({}, {"seed": 3, "seed2": 7})),
    *(Case("MULTINOMIAL", (rand(2, 5), number(7)), {"seed": 3}, results=(d,), random=True,
           why=np.dtype(d).name) for d in (np.int32, np.int64)),
    Case("MULTINOMIAL", (rand(2, 5), number(7)), {"seed": 3, "seed2": 7}, results=(np.int64,),
         random=True, why="two seeds"),
]  # fmt: skip
