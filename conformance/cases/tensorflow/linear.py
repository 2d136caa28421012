"""TensorFlow's products of matrices."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Tolerance, i, rand

BATCHES = ("BatchMatMul", "BatchMatMulV2")
HALF = Tolerance(relative=2e-3, absolute=2e-3)
BRAIN = Tolerance(relative=2e-2, absolute=2e-2)
Z = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
W = (rand(2, 4, seed=2) + 1j * rand(2, 4, seed=3)).astype(np.complex64)
A, B = rand(2, 3, 4), rand(2, 4, 5, seed=1)
EQUATIONS = {
    "ij,jk->ik": (rand(2, 3), rand(3, 4, seed=1)),
    "bij,bjk->bik": (A, B),
    "...ij,jk->...ik": (A, rand(4, 5, seed=1)),
    "ij->ji": (rand(2, 3),),
    "ii->i": (rand(3, 3),),
    "ij->": (rand(2, 3),),
    "abc,cde->abde": (A, rand(4, 2, 3, seed=1)),
    "bqhd,bkhd->bhqk": (rand(2, 3, 2, 4), rand(2, 5, 2, 4, seed=1)),
}

CASES = [
    Case("MatMul", (rand(2, 3), rand(3, 4, seed=1)), tol=ROUNDS),
    Case("MatMul", (rand(3, 2), rand(3, 4, seed=1)), {"transpose_a": True}, tol=ROUNDS),
    Case("MatMul", (rand(2, 3), Const(rand(4, 3))), {"transpose_b": True}, tol=ROUNDS),
    Case("MatMul", (Z, W), {"transpose_a": True}, why="complex is not conjugated", tol=ROUNDS),
    Case("MatMul", (rand(2, 0), rand(0, 4)), why="empty"),
    Case("MatMul", (rand(0, 3), rand(3, 4)), why="no rows"),
    Case("MatMul", (rand(2, 3, dtype=np.int32), rand(3, 4, dtype=np.int32))),
    Case("MatMul", (rand(2, 3, dtype=np.float16), rand(3, 4, dtype=np.float16)), tol=HALF),
    Case("MatMul", (rand(2, 3, dtype=np.float64), rand(3, 4, dtype=np.float64)), tol=ROUNDS),
    Case("MatMul", (A, B), why="stacks", raises=BadType),
    Case("SparseMatMul", (rand(2, 3), rand(3, 4, seed=1)), tol=ROUNDS),
    Case("SparseMatMul", (rand(3, 2), rand(4, 3).astype(ml_dtypes.bfloat16)),
         {"transpose_a": True, "transpose_b": True, "b_is_sparse": True}, tol=ROUNDS),
    *(Case(op, (A, B), tol=ROUNDS) for op in BATCHES),
    *(Case(op, (A, rand(2, 5, 4)), {"adj_y": True}, tol=ROUNDS) for op in BATCHES),
    *(Case(op, (Z, W), {"adj_x": True}, why="complex", tol=ROUNDS) for op in BATCHES),
    *(Case(op, (rand(2, 0, 4), B), why="empty") for op in BATCHES),
    Case("BatchMatMulV2", (rand(3, 1, 2, 4), B), why="broadcast", tol=ROUNDS),
    Case("BatchMatMulV2", (rand(4), rand(4, 2)), why="a vector", raises=BadType),
    Case("BatchMatMulV3", (A, B), {"Tout": Precision.FLOAT32}, tol=ROUNDS),
    Case("BatchMatMulV3", (rand(2, 3, dtype=np.int8), rand(3, 2, dtype=np.int8)),
         {"Tout": Precision.INT32}, why="wide integers"),
    *(Case("Einsum", (list(inputs),), {"equation": e}, tol=ROUNDS)
      for e, inputs in EQUATIONS.items()),
    Case("Einsum", ([i(1, 2, dtype=np.int32), i(3, 4, dtype=np.int32)],), {"equation": "i,i->"}),
    *(Case("MatMul", (rand(2, 3), rand(3, 4, seed=1)), {f"grad_{side}": True}, tol=ROUNDS)
      for side in "ab"),
    Case("SparseMatMul", (rand(2, 3), rand(3, 4, seed=1)), {"a_is_sparse": True}, tol=ROUNDS),
    *(Case(op, (A, B), {f"grad_{side}": True}, tol=ROUNDS) for op in BATCHES for side in "xy"),
    *(Case("BatchMatMulV3", (A, B), {"Tout": Precision.FLOAT32, f"grad_{side}": True}, tol=ROUNDS)
      for side in "xy"),
    Case("BatchMatMulV3", (rand(2, 4, 3), B), {"Tout": Precision.FLOAT32, "adj_x": True},
         tol=ROUNDS),
    Case("BatchMatMulV3", (A, rand(2, 5, 4)), {"Tout": Precision.FLOAT32, "adj_y": True},
         tol=ROUNDS),
]  # fmt: skip
