"""TensorFlow's reductions and running sums along axes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, Limit, f, i, rand, scalar
from .shape import axis, ints, known

X = rand(2, 3, 4)
NUMBERS = ("Mean", "Sum", "Prod", "Max", "Min", "EuclideanNorm")
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
BOOLS = ("All", "Any")
RUNNING = ("Cumsum", "Cumprod", "CumulativeLogsumexp")
EDGES = f(1, np.nan, -np.inf, 2).reshape(2, 2)

CASES = [
    *(Case(op, (X, known(0, 2)), tol=ROUNDS) for op in NUMBERS),
    *(Case(op, (X, axis(-1)), {"keep_dims": True}, tol=ROUNDS) for op in NUMBERS),
    *(Case(op, (X, known()), why="no axes") for op in NUMBERS),
    *(Case(op, (X, ints(1, 0)), why="run-time axes", tol=ROUNDS) for op in NUMBERS),
    *(Case(op, (scalar(2), known()), why="a number") for op in NUMBERS),
    *(Case(op, (rand(0, 2), axis(0)), why="nothing") for op in NUMBERS),
    *(Case(op, (EDGES, axis(1)), why="edges") for op in NUMBERS),
    *(Case(op, (i(3, -7, 2, 5).reshape(2, 2), axis(1)), why="integers") for op in NUMBERS),
    *(Case(op, (rand(2, 3, dtype=np.float64), axis(1)), why="float64", tol=ROUNDS)
      for op in NUMBERS),
    *(Case(op, (np.array([[np.iinfo(d).max] * 3, [1, 7, 2]], d), axis(0)),
           why=f"{np.dtype(d).name} that does not hold the sum")
      for op in ("Mean", "Sum") for d in INTEGERS),
    Case("Sum", (X, known(3)), why="outside", raises=BadType),
    Case("Sum", (f(1 + 2j, 3j, dtype=np.complex64), axis(0)), why="complex"),
    *(Case(op, (rand(3, 4, dtype=np.bool_), known(1))) for op in BOOLS),
    *(Case(op, (rand(3, 4, dtype=np.bool_), axis(-2)), {"keep_dims": True}) for op in BOOLS),
    *(Case(op, (rand(3, 0, dtype=np.bool_), axis(1)), why="nothing") for op in BOOLS),
    *(Case(op, (rand(3, 4, dtype=np.bool_), ints(0)), why="run-time axes") for op in BOOLS),
    *(Case(op, (X, axis(1)), tol=ROUNDS) for op in RUNNING),
    *(Case(op, (X, axis(-1)), {"exclusive": e, "reverse": r}, tol=ROUNDS)
      for op in RUNNING for e, r in ((True, False), (False, True), (True, True))),
    *(Case(op, (i(1, 2, 3), scalar(0, np.int32)), why="integers, run-time axis")
      for op in ("Cumsum", "Cumprod")),
    *(Case(op, (rand(0, 2), axis(0)), why="nothing") for op in RUNNING),
    Case("Cumsum", (X, axis(3)), why="outside", raises=BadType),
    *(Case(op, (x, axis(k)), {"exclusive": before, "reverse": back}, tol=ROUNDS, is_open=is_open,
           why=f"{list(x.shape)} along {k}, {before} {back}")
      for op in RUNNING for x, k in ((rand(3, 4), 0), (rand(3, 4), -1), (rand(2, 3, 4), 1))
      for before in (False, True) for back in (False, True) for is_open in (False, True)),
]  # fmt: skip
LIMITS = [
    *(Limit(op, "NaN is not carried through", "onnxruntime", "float32", "-edges")
      for op in ("Max", "Min")),
]  # fmt: skip
