"""TensorFlow's operators that place elements by position."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, f, i, rand, scalar
from .shape import ints, known

X = rand(4, 3)
ROWS = ints(2, 0, shape=(2, 1))
TWICE = ints(2, 2, shape=(2, 1))
PLACES = i(0, 1, 3, 2).reshape(2, 2)
SCATTERS = ("Update", "Add", "Sub", "Min", "Max")
COMBINED = ("Add", "Sub", "Min", "Max")

CASES = [
    Case("ScatterNd", (ROWS, rand(2, 3), known(4, 3))),
    Case("ScatterNd", (TWICE, rand(2, 3), ints(4, 3)), why="twice, run-time shape", tol=ROUNDS),
    Case("ScatterNd", (PLACES, i(5, 6), Const(i(4, 3))), why="integers"),
    Case("ScatterNd", (np.zeros((0, 1), np.int32), rand(0, 3), known(4, 3)), why="nothing"),
    Case("ScatterNd", (ROWS, rand(2, 3), known(4, 3)), {"bad_indices_policy": "IGNORE"},
         raises=Unsupported),
    Case("ScatterNd", (np.zeros((2, 0), np.int32), rand(2, 4, 3), known(4, 3)), why="no axes",
         raises=BadType),
    *(Case(f"TensorScatter{op}", (X, ROWS, rand(2, 3, seed=1))) for op in SCATTERS),
    *(Case(f"TensorScatter{op}", (X, PLACES, f(9, -9)), {"bad_indices_policy": "DEFAULT"},
           why="elements") for op in SCATTERS),
    *(Case(f"TensorScatter{op}", (X, TWICE, rand(2, 3, seed=1)), why="twice", tol=ROUNDS)
      for op in COMBINED),
    *(Case(f"TensorScatter{op}", (i(1, 2, 3), i(0, 2).reshape(2, 1), i(7, -7)), why="integers")
      for op in SCATTERS),
    Case("TensorScatterSub", (i(1, 2, dtype=np.uint8), ints(1, shape=(1, 1)),
                              i(3, dtype=np.uint8)), why="unsigned"),
    Case("TensorScatterAdd", (X, ROWS, rand(2, 2)), why="sizes", raises=BadType),
    Case("ScatterNdNonAliasingAdd", (X, TWICE, rand(2, 3, seed=1)), tol=ROUNDS),
    *(Case(op, (X, ints(2, 0), rand(2, 3, seed=1)))
      for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub")),
    *(Case(op, (rand(3, 4), Const(scalar(1, np.int32)), rand(1, 4)), why="a number for rows",
           raises=BadType) for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub")),
    *(Case(op, (i(1, 2, 3), ints(2, 0), i(5, 6)), why="integers")
      for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub")),
    Case("SparseToDense", (ints(0, 1, 2, 0, shape=(2, 2)), known(3, 2), f(5, 6), scalar(-1))),
    Case("SparseToDense", (i(1, 3), Const(i(5)), scalar(7), scalar(0)),
         {"validate_indices": False}),
    Case("SparseToDense", (scalar(2, np.int32), ints(4), scalar(7), scalar(0)), why="one"),
    Case("ScatterNdNonAliasingAdd", (X, ROWS, rand(2, 3, seed=1)),
         {"bad_indices_policy": "DEFAULT"}),
    Case("ScatterNdNonAliasingAdd", (X, ROWS, rand(2, 3, seed=1)),
         {"bad_indices_policy": "IGNORE"}, raises=Unsupported),
]  # fmt: skip
