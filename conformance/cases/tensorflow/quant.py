"""TensorFlow's quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Limit, f, i, rand, scalar

X = rand(3, 5, low=-8.0, high=8.0)
EDGES = f(-7, -6, -1e-9, 0, 0.02, 6, 7, np.inf, -np.inf)
LOW, HIGH = (Const(scalar(v)) for v in (-2.5, 4.0))
NARROW: dict[str, Any] = {"num_bits": 4, "narrow_range": True}
P = Precision
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
KINDS = (P.INT8, P.UINT8, P.INT16, P.UINT16)
CODES = {p: rand(3, 5, low=np.iinfo(p.dtype).min, high=np.iinfo(p.dtype).max, dtype=p.dtype)
         for p in KINDS}  # fmt: skip
PLAIN: dict[str, Any] = {}
SCALED: list[dict[str, Any]] = [{"narrow_range": True}, {"round_mode": "HALF_TO_EVEN"}]
"""What only the mode SCALED reads."""

HALVES = f(*(np.arange(-9, 9) / 4 + 0.125), 0, 1, -1, 2.5, -2.5, 100, -100)
ENDS = tuple(Const(scalar(v)) for v in (-127.0, 127.0))
"""From -127 to 127: codes of 8 bits with a sign are the numbers themselves, halves are halves."""

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
    *(Case("Dequantize", (CODES[p], LOW, HIGH), {"mode": mode, **attrs}, tol=ROUNDS,
           why=f"{mode} {attrs}")
      for p in KINDS for mode in MODES
      for attrs in (PLAIN, *(SCALED[:1] if mode == "SCALED" else []))),
    *(Case("Dequantize", (CODES[P.UINT8], scalar(-2.5), scalar(4)), {"mode": mode}, tol=ROUNDS,
           why=f"{mode} computed range") for mode in MODES),
    *(Case("Dequantize", (CODES[P.INT8], Const(f(-1, -2, 0, -8, -0.1)), Const(f(1, 3, 5, 0, 6))),
           {"mode": mode, "axis": 1}, tol=ROUNDS, why=f"{mode} axis",
           raises=Unsupported if mode == "MIN_FIRST" else None) for mode in MODES),
    Case("Dequantize", (CODES[P.INT8], Const(f(-1, -2, -3)), Const(f(1, 3, 5))),
         {"mode": "SCALED", "axis": 0, "narrow_range": True}, tol=ROUNDS, why="rows"),
    Case("Dequantize", (CODES[P.UINT8], Const(scalar(2)), Const(scalar(2))), {"mode": "MIN_FIRST"},
         tol=ROUNDS, why="empty range"),
    Case("Dequantize", (i(-(2**31), -5, 0, 7, 2**30, dtype=np.int32), LOW, HIGH),
         {"mode": "MIN_COMBINED"}, tol=ROUNDS, why="32 bits"),
    Case("Dequantize", (CODES[P.INT8], *ENDS), {"dtype": P.BFLOAT16}, tol=ROUNDS,
         why="bfloat16"),
    Case("Dequantize", (CODES[P.INT8], LOW, HIGH), {"mode": "NEAREST"}, raises=Unsupported),
    Case("Dequantize", (X, LOW, HIGH), {"mode": "SCALED"}, raises=BadType, why="floats"),
    *(Case("QuantizeV2", (x, *ends), {"T": p, "mode": mode, **attrs}, tol=ROUNDS,
           why=f"{p.name} {mode} {attrs} {why}")
      for p in KINDS for mode in MODES
      for attrs in (PLAIN, *(SCALED if mode == "SCALED" else []))
      for why, x, ends in (("random", X, (LOW, HIGH)), ("edges", HALVES, ENDS))),
    *(Case("QuantizeV2", (X, low, high), {"T": P.INT8, "mode": mode}, tol=ROUNDS,
           why=f"{mode} {why}")
      for mode in MODES
      for why, low, high in (("computed range", scalar(-3), scalar(5)),
                             ("range without 0", Const(scalar(1)), Const(scalar(5))),
                             ("narrow", Const(scalar(0)), Const(scalar(1e-4))),
                             ("below 0", Const(scalar(-4)), Const(scalar(-1))))),
    *(Case("QuantizeV2", (X, Const(f(-1, -2, 0, -8, -0.1)), Const(f(1, 3, 5, 0, 6))),
           {"T": P.INT8, "mode": mode, "axis": 1}, tol=ROUNDS, why=f"{mode} axis",
           raises=Unsupported if mode == "MIN_FIRST" else None)
      for mode in MODES),
    Case("QuantizeV2", (X, Const(f(-1, -2, -3)), Const(f(1, 3, 5))),
         {"T": P.UINT8, "mode": "SCALED", "axis": 0}, tol=ROUNDS, why="rows"),
    Case("QuantizeV2", (X, LOW, HIGH), {"T": P.INT8, "mode": "SCALED", "ensure_minimum_range": 2.0},
         tol=ROUNDS, why="at least twice the range"),
    *(Case("QuantizeV2", (X, Const(scalar(-9)), Const(scalar(16))), {"T": P.INT32, "mode": mode},
           tol=ROUNDS, why=f"32 {mode}") for mode in MODES),
    Case("QuantizeV2", (X, LOW, HIGH), {"T": P.INT8, "round_mode": "HALF_TO_EVEN"},
         raises=Unsupported),
    Case("QuantizeV2", (X, LOW, HIGH), {"T": P.INT64}, raises=BadType, why="64 bits"),
]  # fmt: skip
LIMITS: list[Limit] = []
