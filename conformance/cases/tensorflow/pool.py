"""TensorFlow's pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Limit, Tolerance, i, rand

IMAGE = rand(2, 7, 8, 3)
VOLUME = rand(2, 5, 4, 6, 2)
HALF = Tolerance(relative=2e-3, absolute=1e-3)
WIDE: dict[str, Any] = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1]}
CUBE: dict[str, Any] = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 2, 1, 2, 1]}
KSIZE, STRIDES = (Const(i(*WIDE[k], dtype=np.int32)) for k in ("ksize", "strides"))

CASES = [
    *(Case(op, (IMAGE,), {**WIDE, "padding": p}, tol=ROUNDS)
      for op in ("MaxPool", "AvgPool") for p in ("SAME", "VALID")),
    *(Case(op, (VOLUME,), {**CUBE, "padding": p}, tol=ROUNDS)
      for op in ("MaxPool3D", "AvgPool3D") for p in ("SAME", "VALID")),
    *(Case(op, (rand(0, 7, 8, 3),), {**WIDE, "padding": "SAME"}, why="no images")
      for op in ("MaxPool", "AvgPool")),
    *(Case(op, (IMAGE.astype(np.float16),), {**WIDE, "padding": "SAME"}, tol=HALF)
      for op in ("MaxPool", "AvgPool")),
    *(Case(op, (IMAGE,), {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"},
           why="over channels", raises=Unsupported) for op in ("MaxPool", "AvgPool")),
    Case("MaxPool", (IMAGE,), {**WIDE, "padding": "EXPLICIT",
                               "explicit_paddings": [0, 0, 1, 1, 0, 1, 0, 0]}),
    Case("MaxPool", (rand(2, 5, 5, 2, dtype=np.int8, low=-100, high=100),),
         {**WIDE, "padding": "SAME"}),
    Case("MaxPool", (rand(7, 8, 3),), {**WIDE, "padding": "SAME"}, why="rank 3", raises=BadType),
    Case("MaxPoolV2", (IMAGE, KSIZE, STRIDES), {"padding": "SAME"}),
    *(Case("MaxPoolWithArgmax", (IMAGE,), {**WIDE, "padding": p, "include_batch_in_index": b,
                                           "Targmax": t}, outputs=2)
      for p, b, t in (("SAME", False, Precision.INT64), ("VALID", True, Precision.INT32))),
    *(Case(op, (VOLUME,), {"ksize": [1, 1, 3, 2, 1], "strides": [1, 2, 1, 1, 1],
                           "padding": "SAME"}, is_open=True, tol=ROUNDS,
           why="strides of what is one") for op in ("MaxPool3D", "AvgPool3D")),
]  # fmt: skip
LIMITS: list[Limit] = []
