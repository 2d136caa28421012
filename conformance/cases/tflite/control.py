"""TFLite's control flow; loops: tests/frontends/test_tflite_models.py."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, Const, rand, scalar
from ...engines.tflite import Body

X = rand(2, 3)
FLOAT = (np.float32,)
BRANCHES = {
    "then_subgraph_index": Body("TANH", (X,), np.float32),
    "else_subgraph_index": Body("ABS", (X,), np.float32),
}
FLAG = scalar(True, np.bool_)
ONCE = {
    "cond_subgraph_index": Body("", (FLAG,), np.bool_),
    "body_subgraph_index": Body("LOGICAL_NOT", (FLAG,), np.bool_),
}
ONE = np.array([True])
VECTOR = {
    "cond_subgraph_index": Body("", (ONE,), np.bool_),
    "body_subgraph_index": Body("LOGICAL_NOT", (ONE,), np.bool_),
}
PASSED = {**BRANCHES, "else_subgraph_index": Body("", (X,), np.float32)}

EMPTY = (0, 0, 1, 1, 0, 36, 1)
"""A flexbuffer with an empty map."""

CASES = [
    *(Case("IF", (scalar(b, np.bool_), X), BRANCHES, tol=ROUNDS, results=FLOAT, why=str(b))
      for b in (True, False)),
    Case("IF", (Const(scalar(True, np.bool_)), X), BRANCHES, tol=ROUNDS, results=FLOAT,
         why="known"),
    Case("IF", (scalar(False, np.bool_), X), PASSED, tol=ROUNDS, results=FLOAT,
         why="the input as it is"),
    *(Case("IF", (np.array([b]), X), BRANCHES, tol=ROUNDS, results=FLOAT, why=f"one {b}")
      for b in (True, False)),
    *(Case("WHILE", (np.array([b]),), VECTOR, why=f"{n} steps of a vector") for b, n in
      ((True, 1), (False, 0))),
    *(Case("WHILE", (scalar(b, np.bool_),), ONCE, why=f"{n} steps") for b, n in
      ((True, 1), (False, 0))),
    Case("STABLEHLO_COMPOSITE", (X,),
         {"name": "test.tanh", "composite_attributes": EMPTY,
          "decomposition_subgraph_index": Body("TANH", (X,), np.float32)},
         tol=ROUNDS),
]  # fmt: skip
