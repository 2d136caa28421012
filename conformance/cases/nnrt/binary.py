"""NNRt's arithmetic of two tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadModel, BadType

from ...case import EXACT, ROUNDS, Case, Const, Tolerance, f, rand
from .numbers import BYTES, FLOATS, INTEGERS, QUANTUM, name, q, stored

A, B = rand(2, 3, 4, low=-5, high=5), rand(2, 3, 4, seed=1, low=0.5, high=4)
FUSED = ("ADD", "SUB", "MUL", "DIV")
PLAIN = ("MAXIMUM", "MINIMUM", "MOD", "SQUARED_DIFFERENCE")
EVERY = (*FUSED, *PLAIN)
LEFT, RIGHT = f(1, -2, 0, np.inf, -np.inf, np.nan, -0.0, 7), f(2, 3, -5, 2, 3, 4, 5, -3)
NEAR = {"": ROUNDS, "float16": Tolerance(relative=2e-3, absolute=2e-3)}


def attributes(op: str, activation: int = 0) -> dict[str, Any]:
    """The activation, of an operation that has one."""
    return {"activationType": activation} if op in FUSED else {}


def whole(dtype: Any, seed: int = 0, low: float = 1) -> np.ndarray:
    """Small integers."""
    return rand(3, 4, dtype=dtype, seed=seed, low=low, high=9)


CASES = [
    *(Case(op, (A, B), attributes(op), tol=EXACT if op != "MOD" else ROUNDS) for op in EVERY),
    *(Case(op, (A, B), attributes(op, code), why=f"activation {code}")
      for op in FUSED for code in (1, 2)),
    *(Case(op, (A, B), attributes(op, 3), raises=BadModel, why="no such activation")
      for op in FUSED),
    *(Case(op, (A, B[0, :1]), attributes(op), tol=NEAR, why="broadcast") for op in EVERY),
    *(Case(op, (A, Const(B[0])), attributes(op), tol=NEAR, why="a constant") for op in EVERY),
    *(Case(op, (A.astype(d), B.astype(d)), attributes(op), tol=NEAR, why=name(d))
      for op in EVERY for d in FLOATS if (op, d) != ("SQUARED_DIFFERENCE", np.float64)),
    *(Case(op, (whole(d), whole(d, 1)), attributes(op), why=name(d))
      for op in EVERY for d in INTEGERS if op != "SQUARED_DIFFERENCE" or d == np.int32),
    *(Case(op, (whole(np.int32), whole(np.float32, 1)), attributes(op), tol=NEAR,
           why="int32 and float32") for op in EVERY),
    *(Case(op, (whole(np.int8), whole(np.int32, 1)), attributes(op), why="int8 and int32")
      for op in EVERY if op != "SQUARED_DIFFERENCE"),
    *(Case(op, (LEFT, RIGHT), attributes(op), tol=ROUNDS, why="edges") for op in EVERY),
    *(Case(op, (whole(np.int32, low=-9), whole(np.int32, 1) * -1), attributes(op),
           why="signs") for op in ("DIV", "MOD")),
    *(Case(op, (q(3, 5, dtype=d), q(3, 5, seed=1, dtype=d, scale=0.03, zero=20)),
           attributes(op), results=stored(0.05, 1, d), tol=QUANTUM, why=f"{name(d)} with scales")
      for op in ("ADD", "SUB", "MUL", *PLAIN[:2]) for d in BYTES),
    *(Case(op, (q(3, 5), q(3, 5, seed=1)), attributes(op, code), results=stored(0.05, 1),
           tol=QUANTUM, why=f"int8 with scales, activation {code}")
      for op in FUSED[:3] for code in (1, 2)),
    *(Case(op, (A,), attributes(op), raises=BadFile, why="one input") for op in EVERY),
    *(Case(op, (A, B), raises=BadFile, why="no activation") for op in FUSED),
    *(Case(op, (A, B[:, :2]), attributes(op), raises=BadType, why="other sizes") for op in EVERY),
    *(Case("ELTWISE", (A, B), {"mode": m}) for m in (0, 1, 2)),
    Case("ELTWISE", (A, B), {"mode": 3}, raises=BadType, why="no such mode"),
    Case("ELTWISE", (q(3, 5), q(3, 5, seed=1)), {"mode": 1}, results=stored(0.05), tol=QUANTUM,
         why="int8"),
    Case("POW", (B, A), {"scale": 1.0, "shift": 0.0}, tol=ROUNDS),
    Case("POW", (B, A), tol=ROUNDS, why="without parameters"),
    Case("POW", (B, A), {"scale": 2.0, "shift": 0.5}, tol=ROUNDS),
    Case("POW", (B, Const(f(2))), {"scale": 1.0, "shift": 0.0}, tol=ROUNDS, why="a square"),
    Case("POW", (q(3, 5, zero=-128), Const(f(0.5))), results=stored(0.02, -100), tol=QUANTUM,
         why="int8"),
    Case("BIAS_ADD", (A, Const(B[0, 0]))),
    Case("BIAS_ADD", (A[0], B[0, 0]), why="a matrix"),
    Case("BIAS_ADD", (rand(1, 2, 2, 3, 4), Const(B[0, 0])), why="five axes"),
    Case("BIAS_ADD", (A, Const(B[0, 0, :3])), raises=BadType, why="another size"),
    Case("BIAS_ADD", (A[0, 0], Const(B[0, 0])), raises=BadFile, why="one axis"),
    Case("BIAS_ADD", (q(3, 5), q(5, constant=True)), results=stored(0.04), tol=QUANTUM,
         why="int8"),
    *(Case("SCALE", (A, Const(f(2, -1, 0.5)), Const(f(1, 2, 3))),
           {"axis": 1, "activationType": code}, tol=ROUNDS, why=f"activation {code}")
      for code in (0, 1, 2)),
    Case("SCALE", (A, Const(B[0, 0]), Const(A[0, 0])), {"axis": -1, "activationType": 0},
         tol=ROUNDS),
    Case("SCALE", (A, Const(f(2, 1)), Const(f(1, 2))), {"axis": 1, "activationType": 0},
         raises=BadType, why="another size"),
    Case("SCALE", (q(3, 5), q(5, seed=1, constant=True), q(5, seed=2, constant=True)),
         {"axis": 1, "activationType": 0}, results=stored(0.1), tol=QUANTUM, why="int8"),
]  # fmt: skip
