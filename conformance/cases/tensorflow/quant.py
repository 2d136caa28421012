"""TensorFlow's quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant

from ...case import ROUNDS, Case, Const, Limit, f, rand, scalar

X = rand(3, 5, low=-8.0, high=8.0)
EDGES = f(-7, -6, -1e-9, 0, 0.02, 6, 7, np.inf, -np.inf)
LOW, HIGH = (Const(scalar(v)) for v in (-2.5, 4.0))
NARROW: dict[str, Any] = {"num_bits": 4, "narrow_range": True}

CASES = [
    *(Case("FakeQuantWithMinMaxArgs", (x,), attrs, tol=ROUNDS, why=f"{why} {attrs}")
      for why, x in (("random", X), ("edges", EDGES))
      for attrs in ({}, {"min": -1.0, "max": 3.0}, NARROW, {"min": 0.0, "max": 6.0})),
    *(Case("FakeQuantWithMinMaxVars", (X, LOW, HIGH), attrs, tol=ROUNDS) for attrs in ({}, NARROW)),
    Case("FakeQuantWithMinMaxVars", (X, Const(scalar(0)), Const(scalar(0))), why="empty range"),
    Case("FakeQuantWithMinMaxVars", (X, scalar(-1), scalar(1)), raises=NotConstant, why="computed"),
    Case("FakeQuantWithMinMaxVarsPerChannel",
         (X, Const(f(-1, -2, 0, -8, -0.1)), Const(f(1, 3, 5, 0, 6))), tol=ROUNDS),
    Case("FakeQuantWithMinMaxVarsPerChannel",
         (X, Const(f(-1, -2, 0, 8, -0.1)), Const(f(1, 3, 5, 0, 6))), raises=BadType, why="swapped"),
    *(Case(op, (X, LOW, HIGH), {**attrs, "range_given": given}, tol=ROUNDS,
           why=f"{attrs} {given}")
      for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
      for attrs in ({}, {"signed_input": False}, NARROW, {"round_mode": "HALF_UP"})
      for given in (True, False)),
    Case("QuantizeAndDequantizeV2", (X, Const(f(*range(-5, 0))), Const(f(*range(5)))),
         {"axis": 1}, tol=ROUNDS),
    Case("QuantizeAndDequantizeV2", (X, LOW, HIGH), {"axis": 0}, tol=ROUNDS, why="rows"),
    Case("QuantizeAndDequantizeV2", (f(-2.3, -4.6), Const(scalar(1)), Const(scalar(1))),
         {"axis": 0}, tol=ROUNDS, why="a range for each number"),
    Case("QuantizeAndDequantizeV3", (X, LOW, HIGH, Const(np.array(6, np.int32))),
         {"range_given": True}, tol=ROUNDS),
    *(Case("QuantizeAndDequantizeV2", (X, LOW, HIGH), {"num_bits": n}, raises=BadType,
           why=f"{n} bits") for n in (0, 63)),
    *(Case("QuantizeAndDequantizeV2", (X, LOW, HIGH),
           {"num_bits": n, "signed_input": n > 1, "range_given": True},
           why=f"{n} bits") for n in (1, 2, 61)),
    *(Case("FakeQuantWithMinMaxVarsPerChannel",
           (X, Const(f(-1, -2, 0, -8, -0.1)), Const(f(1, 3, 5, 0, 6))), attrs, tol=ROUNDS)
      for attrs in ({"num_bits": 4}, {"narrow_range": True})),
    Case("QuantizeAndDequantizeV4", (X, LOW, HIGH), {"axis": 1}, tol=ROUNDS),
    Case("QuantizeAndDequantizeV3",
         (X, Const(f(*range(-5, 0))), Const(f(*range(5))), Const(np.array(6, np.int32))),
         {"axis": 1}, tol=ROUNDS),
    *(Case("QuantizeAndDequantizeV3", (X, LOW, HIGH, Const(np.array(6, np.int32))), attrs,
           tol=ROUNDS)
      for attrs in ({"range_given": False}, {"signed_input": False}, {"narrow_range": True})),
]  # fmt: skip
LIMITS: list[Limit] = []
