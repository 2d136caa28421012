"""TFLite's random numbers."""

from __future__ import annotations

import numpy as np

from ...case import Case, f, rand
from .numbers import number, sizes

FLOAT = (np.float32,)
CASES = [
    *(Case(op, (sizes(10_000),), results=FLOAT, random=True, why="many")
      for op in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL")),
    Case("MULTINOMIAL", (np.log(f(0.1, 0.2, 0.7)).reshape(1, 3), number(10_000)), {"seed": 3},
         results=(np.int64,), random=True, why="many"),
    *(Case(op, (sizes(2, 3),), s, results=FLOAT, random=True)
      for op in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL")
      for s in ({}, {"seed": 3, "seed2": 7})),
    *(Case("MULTINOMIAL", (rand(2, 5), number(7)), {"seed": 3}, results=(d,), random=True,
           why=np.dtype(d).name) for d in (np.int32, np.int64)),
    Case("MULTINOMIAL", (rand(2, 5), number(7)), {"seed": 3, "seed2": 7}, results=(np.int64,),
         random=True, why="two seeds"),
]  # fmt: skip
