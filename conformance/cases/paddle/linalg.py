"""Paddle's linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering, Unsupported

from ...case import Case, Limit, Tolerance, f, rand, scalar

NEAR = Tolerance(relative=1e-4, absolute=1e-5)
f8 = np.float64
ORT = "onnxruntime"
A = f(4, 1, 0, 1, 3, 1, 0, 1, 2).reshape(3, 3)
BOTH = np.stack([A, A + np.eye(3, dtype=np.float32)])
ODD = f(1, 2, 0, 3, 1, 1, 0, 1, 4).reshape(3, 3)
C = (ODD + 1j * A).astype(np.complex64)
TALL = f(1, 2, 3, 4, 5, 7).reshape(3, 2)
FLAT = f(1, 2, 3, 2, 4, 6, 1, 0, 1).reshape(3, 3)
LU = f(4, 1, 0, 0.25, 2.75, 1, 0, 0.3636364, 1.6363636).reshape(3, 3)
ROWS = np.array([1, 2, 3], np.int32)
SWAPS = np.array([2, 3, 3], np.int32)
CHOLESKY = np.linalg.cholesky(A).astype(np.float32)

CASES = [
    *(Case(op, (A,), tol=NEAR) for op in ("cholesky", "inverse", "det", "slogdet", "slogdet_v2")),
    *(
        Case(op, (BOTH,), tol=NEAR, why="stacks")
        for op in ("cholesky", "inverse", "det", "slogdet")
    ),
    *(
        Case(op, (C,), tol=NEAR, why="complex")
        for op in ("inverse", "det", "slogdet", "slogdet_v2")
    ),
    *(Case(op, (ODD.astype(f8),), tol=NEAR) for op in ("inverse", "det", "slogdet_v2")),
    Case("cholesky", (A,), {"upper": True}, tol=NEAR),
    Case("cholesky_solve", (rand(3, 2), CHOLESKY), tol=NEAR),
    Case("cholesky_solve", (rand(3, 2), CHOLESKY.T.copy()), {"upper": True}, tol=NEAR),
    Case("solve", (A, rand(3, 2)), tol=NEAR),
    Case("solve", (A, rand(3)), tol=NEAR, why="a vector"),
    Case("solve", (BOTH, rand(2, 3)), tol=NEAR, why="vectors"),
    Case("triangular_solve", (A, rand(3, 2)), tol=NEAR),
    Case("triangular_solve", (A, rand(3, 2)), {"upper": False, "unitriangular": True}, tol=NEAR),
    Case("triangular_solve", (A, rand(3, 2)), {"transpose": True}, tol=NEAR),
    Case("qr", (TALL,), tol=NEAR),
    Case("qr", (TALL,), {"mode": "complete"}, tol=NEAR),
    Case("qr", (TALL,), {"mode": "full"}, raises=Unsupported),
    Case("svd", (TALL,), tol=NEAR),
    Case("svd", (TALL,), {"full_matrices": True}, tol=NEAR),
    Case("svdvals", (TALL,), tol=NEAR),
    Case("svdvals", (rand(2, 3, 4),), tol=NEAR, why="stacks"),
    Case("eigh", (A,), tol=NEAR),
    Case("eigh", (ODD,), {"UPLO": "U"}, tol=NEAR, why="one half is read"),
    Case("eigh", (A,), {"UPLO": "X"}, raises=Unsupported),
    Case("eigvalsh", (A,), {"is_test": True}, read=1, tol=NEAR),
    Case("eigvalsh", (ODD,), {"uplo": "U"}, read=1, tol=NEAR),
    Case("eig", (ODD,), read=1, tol=NEAR, why="vectors have any sign"),
    Case("eigvals", (ODD,), tol=NEAR),
    Case("eigvals", (f(0, 1, -1, 0).reshape(2, 2),), tol=NEAR, why="complex ones"),
    Case("trace", (ODD,), tol=NEAR),
    Case("trace", (rand(2, 3, 4),), {"offset": 1, "axis1": -1, "axis2": 1}, tol=NEAR),
    Case("lu", (ODD,), tol=NEAR),
    Case("lu", (FLAT,), tol=NEAR, why="singular"),
    Case("lu", (BOTH,), tol=NEAR, why="stacks"),
    Case("lu_", (ODD,), tol=NEAR, why="in place"),
    Case("lu_unpack", (LU, ROWS), tol=NEAR),
    Case("lu_unpack", (LU, SWAPS), tol=NEAR, why="swaps"),
    Case("lu_solve", (rand(3, 2), LU, SWAPS, "N"), tol=NEAR),
    Case("lu_solve", (rand(3, 2), LU, SWAPS, "T"), tol=NEAR, why="transposed"),
    Case("lu_solve", (rand(3, 2), LU, SWAPS, "X"), why="X", raises=Unsupported),
    Case("lstsq", (TALL, rand(3, 1)), read=2, tol=NEAR),
    Case("lstsq", (TALL, rand(3, 2)), {"driver": "gelsd", "rcond": 1e-7}, tol=NEAR),
    Case("lstsq", (TALL.T.copy(), rand(2, 1)), {"driver": "gelsy"}, read=1, tol=NEAR, why="wide"),
    Case("lstsq", (TALL, rand(3, 1)), {"driver": "x"}, raises=Unsupported),
    Case("matrix_rank", (FLAT, 0.0)),
    Case("matrix_rank", (A, 2.0, False), {"hermitian": True}),
    Case("matrix_rank", (BOTH, 0.0), why="stacks"),
    Case("matrix_rank_tol", (FLAT, scalar(1e-3), False)),
    Case("matrix_rank_tol", (A, f(2)), {"hermitian": True}),
    Case("matrix_rank_atol_rtol", (A, scalar(0.1), scalar(0.5))),
    Case("matrix_rank_atol_rtol", (A, scalar(3.5), None), why="no rtol"),
    Case("matrix_rank_atol_rtol", (FLAT, scalar(0), None), {"hermitian": False}, why="neither"),
    Case("trace", (rand(2, 3, 4),), {"axis2": 2}, tol=NEAR),
    Case("lu_unpack", (LU, SWAPS), {"unpack_ludata": False}, tol=NEAR),
    Case("matrix_rank_atol_rtol", (A, scalar(2), scalar(0.1)), {"hermitian": True}),
]
INVERSES = ("det", "inverse", "slogdet", "slogdet_v2")
WRITTEN = {
    *(*INVERSES, "trace", "cholesky", "cholesky_solve", "triangular_solve"),
    *("solve", "qr"),
}
"""What ONNX Runtime computes, or row by row."""
LIMITS = [
    Limit(op, why="no kernel", device=ORT, raises=NoLowering)
    for op in sorted({c.op for c in CASES if not c.raises} - WRITTEN)
]
LIMITS += [
    Limit(op, why="no kernel", device=ORT, dtype="complex64", raises=NoLowering) for op in INVERSES
]
