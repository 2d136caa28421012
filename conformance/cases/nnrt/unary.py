"""NNRt's elementwise operations on one tensor."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadModel, BadType, NotConstant

from ...case import EXACT, ROUNDS, Case, Tolerance, f, rand
from .numbers import BYTES, FLOATS, INTEGERS, QUANTUM, name, number, q, stored

X = rand(3, 5, low=0.1, high=3)
BOTH = rand(3, 5, low=-3, high=3)
EDGES = f(-np.inf, -2.5, -1.5, -0.5, -0.0, 0, 0.5, 1.5, 2.5, np.inf, np.nan)
EXACTLY = {"ABS": BOTH, "CEIL": BOTH, "FLOOR": BOTH, "NEG": BOTH, "ROUND": BOTH, "SQUARE": BOTH}
ROUNDING = {"COS": BOTH, "ERF": BOTH, "EXP": BOTH, "LOG": X, "RECIPROCAL": X, "RSQRT": X,
            "SIN": BOTH, "SQRT": X}  # fmt: skip
ALL = EXACTLY | ROUNDING
NEAR = {"": ROUNDS, "float16": Tolerance(relative=2e-3, absolute=2e-3)}
TARGETS = {1: "bool", 2: "int8", 4: "int32", 5: "int64", 6: "uint8", 10: "float16", 12: "float64"}

CASES = [
    *(Case(op, (x,), tol=EXACT if op in EXACTLY else NEAR) for op, x in ALL.items()),
    *(Case(op, (x.astype(d),), tol=EXACT if op in EXACTLY else NEAR, why=name(d))
      for op, x in ALL.items() for d in FLOATS if (op, d) != ("ERF", np.float64)),
    *(Case(op, (EDGES,), tol=EXACT if op in EXACTLY else NEAR, why="edges") for op in ALL),
    *(Case(op, (q(3, 5, dtype=d, zero=-128 if d == np.int8 else 0),),
           results=stored(0.1, 3, d), tol=QUANTUM, why=f"{name(d)} with scales")
      for op in ("ABS", "NEG", "ROUND", "SQUARE", "EXP", "SQRT", "COS", "FLOOR", "CEIL", "ERF",
                 "SIN")
      for d in BYTES),
    *(Case("NEG", (rand(3, 5, dtype=d, low=0, high=5),), why=name(d)) for d in INTEGERS
      if d != np.uint8),
    *(Case("ABS", (rand(3, 5, dtype=d, low=-5, high=5),), why=name(d)) for d in INTEGERS
      if d != np.uint8),
    Case("NEG", (np.ones(3, bool),), raises=BadFile, why="truth values"),
    *(Case(op, (np.ones(3, np.int32),), raises=BadFile, why="integers")
      for op in ("COS", "LOG", "RECIPROCAL", "SIN", "CEIL", "FLOOR", "ERF")),
    Case("ERF", (np.ones(3, np.float64),), raises=BadFile, why="float64"),
    Case("EXP", (BOTH,), {"base": 2.0, "scale": 0.5, "shift": 1.0}, tol=ROUNDS),
    Case("EXP", (BOTH,), {"base": -1.0, "scale": 1.0, "shift": 0.0}, tol=ROUNDS, why="defaults"),
    Case("EXP", (BOTH,), {"scale": 2.0}, tol=ROUNDS),
    Case("EXP", (BOTH,), {"shift": -1.0}, tol=ROUNDS),
    Case("EXP", (BOTH,), {"base": 0.0}, raises=BadType, why="a base of 0"),
    *(Case("CAST", (f(0, 1, 2.75, 100), number(code)), why=f"to {to}")
      for code, to in TARGETS.items()),
    *(Case("CAST", (rand(3, 5, dtype=d, low=0, high=5), number(11)), why=f"from {name(d)}")
      for d in (*INTEGERS, np.bool_, np.float16, np.float64)),
    Case("CAST", (BOTH, number(0)), raises=BadModel, why="to no type"),
    Case("CAST", (BOTH, np.array(11, np.int32)), raises=NotConstant, why="a type while running"),
]  # fmt: skip
