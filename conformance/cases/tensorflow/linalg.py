"""TensorFlow's linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering, Unsupported
from nnir.types import Precision

from ...case import Case, Limit, Tolerance, rand, scalar

NEAR = Tolerance(relative=1e-4, absolute=1e-4)
A = rand(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)
S = (A @ A.swapaxes(-1, -2)).astype(np.float32)
Z = (A + 1j * rand(2, 3, 3, seed=5)).astype(np.complex64)
B = rand(2, 3, 2, seed=1)
ZB = (B + 1j * rand(2, 3, 2, seed=6)).astype(np.complex64)
T = np.tril(A)

CASES = [
    Case("Cholesky", (S,), tol=NEAR),
    Case("Cholesky", (S.astype(np.float64),), tol=NEAR),
    Case("MatrixInverse", (A,), tol=NEAR),
    Case("MatrixInverse", (Z,), {"adjoint": True}, tol=NEAR),
    Case("MatrixInverse", (A[0],), {"adjoint": True}, tol=NEAR),
    Case("MatrixDeterminant", (A,), tol=NEAR),
    Case("MatrixDeterminant", (A[0],), why="one", tol=NEAR),
    Case("MatrixDeterminant", (Z,), tol=NEAR),
    Case("LogMatrixDeterminant", (A,), outputs=2, tol=NEAR),
    Case("LogMatrixDeterminant", (Z,), outputs=2, tol=NEAR),
    Case("MatrixSolve", (A, B), tol=NEAR),
    Case("MatrixSolve", (Z, ZB), {"adjoint": True}, tol=NEAR),
    Case("MatrixTriangularSolve", (T, B), tol=NEAR),
    Case("MatrixTriangularSolve", (A, B), why="the rest is not read", tol=NEAR),
    Case("MatrixTriangularSolve", (A, B), {"lower": False}, tol=NEAR),
    Case("MatrixTriangularSolve", (A, B), {"adjoint": True}, tol=NEAR),
    Case("MatrixTriangularSolve", (Z, ZB), {"lower": False, "adjoint": True}, tol=NEAR),
    Case("MatrixTriangularSolve", (A[0], B), why="broadcast", tol=NEAR),
    Case("Qr", (rand(2, 4, 3),), outputs=2, tol=NEAR),
    Case("Qr", (rand(4, 3),), {"full_matrices": True}, outputs=2, tol=NEAR),
    Case("Qr", (rand(2, 4),), why="wide", outputs=2, tol=NEAR),
    Case("Svd", (rand(2, 4, 3),), outputs=3, read=1, tol=NEAR),
    Case("Svd", (rand(3, 4),), {"full_matrices": True}, outputs=3, read=1, tol=NEAR),
    Case("Svd", (rand(3, 4),), {"compute_uv": False}, outputs=3, read=1, tol=NEAR),
    Case("SelfAdjointEigV2", (S,), outputs=2, read=1, tol=NEAR),
    Case("SelfAdjointEigV2", (S,), {"compute_v": False}, outputs=2, read=1, tol=NEAR),
    Case("Lu", (A,), outputs=2, tol=NEAR),
    Case("Lu", (rand(4, 4),), {"output_idx_type": Precision.INT64}, outputs=2, tol=NEAR),
    Case("MatrixSolveLs", (rand(2, 4, 3), rand(2, 4, 2), scalar(0.5, np.float64)), tol=NEAR),
    Case("MatrixSolveLs", (rand(2, 3, 4), rand(2, 3, 2), scalar(0.5, np.float64)), tol=NEAR,
         why="wide"),
    Case("MatrixSolveLs", (A, B, scalar(0, np.float64)), {"fast": False}, raises=Unsupported),
    Case("TridiagonalMatMul", (rand(2, 1, 3), rand(2, 1, 3, seed=1), rand(2, 1, 3, seed=2), B),
         tol=NEAR),
]  # fmt: skip
LIMITS = [
    *(
        Limit(op, "a function of the builtin device", "onnxruntime", raises=NoLowering)
        for op in ("Svd", "SelfAdjointEigV2", "Lu")
    ),
    *(
        Limit(op, "complex numbers", "onnxruntime", "complex64", raises=NoLowering)
        for op in (
            *("LogMatrixDeterminant", "MatrixDeterminant", "MatrixInverse", "MatrixSolve"),
            "MatrixTriangularSolve",
        )
    ),
]
