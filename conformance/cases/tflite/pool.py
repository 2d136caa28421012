"""TFLite's pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, rand
from .numbers import QUANTUM, name, q, same

IMAGE = rand(2, 7, 8, 3)
OPS = ("MAX_POOL_2D", "AVERAGE_POOL_2D", "L2_POOL_2D")
WHOLE = ("MAX_POOL_2D", "AVERAGE_POOL_2D")
PLAIN: dict[str, Any] = {
    "padding": "SAME",
    "stride_w": 2,
    "stride_h": 1,
    "filter_width": 3,
    "filter_height": 2,
}

CASES = [
    *(Case(op, (IMAGE,), {**PLAIN, "padding": p}, tol=ROUNDS)
      for op in OPS for p in ("SAME", "VALID")),
    *(Case(op, (IMAGE,), {**PLAIN, "filter_width": 8, "filter_height": 7, "padding": "VALID"},
           tol=ROUNDS, why="the whole image") for op in OPS),
    *(Case(op, (IMAGE,), {**PLAIN, "fused_activation_function": a}, tol=ROUNDS)
      for op in OPS for a in ("RELU", "RELU6", "RELU_N1_TO_1")),
    *(Case(op, (IMAGE,), {**PLAIN, "filter_width": 0}, raises=BadType, why="no window")
      for op in OPS),
    *(Case(op, (IMAGE[:, :, :1],), {**PLAIN, "padding": "VALID"}, tol=ROUNDS,
           why="a window beyond the image, by less than two steps: nothing") for op in OPS),
    *(Case(op, (IMAGE[:, :, :1],), {**PLAIN, "padding": "VALID", "stride_w": 1}, raises=BadType,
           why="LiteRT counts a negative number of windows") for op in OPS),
    *(Case(op, (IMAGE[0],), PLAIN, raises=BadType, why="three axes") for op in OPS),
    *(Case(op, (q(2, 7, 8, 3, dtype=d),), {**PLAIN, "padding": p}, results=same(d), tol=QUANTUM,
           opset=3, why=f"{name(d)}, {p}")
      for op in WHOLE for d in (np.int8, np.uint8, np.int16) for p in ("SAME", "VALID")),
    *(Case(op, (q(2, 7, 8, 3),), {**PLAIN, "fused_activation_function": a}, results=same(),
           tol=QUANTUM, opset=2, why=f"int8, {a}") for op in WHOLE for a in ("RELU", "RELU6")),
]  # fmt: skip
