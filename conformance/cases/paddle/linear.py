"""Paddle's products of matrices and vectors."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, f, i, rand

nan = np.nan
C = (rand(2, 2) + 1j * rand(2, 2, seed=1)).astype(np.complex64)
T = {"transpose_x": True, "transpose_y": True}

CASES = [
    Case("matmul", (rand(2, 3), rand(3, 4)), tol=ROUNDS),
    Case("matmul", (rand(3, 2), rand(4, 3)), T, tol=ROUNDS),
    Case("matmul", (rand(2, 1, 2, 3), rand(4, 3, 2)), tol=ROUNDS, why="broadcasts"),
    Case("matmul", (f(1, 2), f(3, 4)), why="vectors"),
    Case("matmul", (f(1, 2), rand(3, 2)), T, tol=ROUNDS, why="a vector is not transposed"),
    Case("matmul", (rand(2, 3), rand(3)), tol=ROUNDS, why="a vector on the right"),
    Case("matmul", (rand(2, 0), rand(0, 2)), why="a sum of nothing"),
    Case("matmul", (i(1, 2).reshape(1, 2), i(3, 4).reshape(2, 1)), why="integers"),
    Case("matmul", (rand(2, 3, dtype=np.float64), rand(3, 2, dtype=np.float64)), tol=ROUNDS),
    Case("matmul", (C, C), T, tol=ROUNDS, why="complex"),
    Case("matmul", (rand(2, 3), rand(2, 3)), why="sizes", raises=BadType),
    Case("bmm", (rand(2, 2, 3), rand(2, 3, 4)), tol=ROUNDS),
    Case("bmm", (rand(2, 3), rand(3, 4)), why="matrices", raises=BadType),
    Case("mv", (rand(2, 3), rand(3)), tol=ROUNDS),
    Case("dot", (rand(3), rand(3, seed=1)), tol=ROUNDS),
    Case("dot", (rand(2, 3), rand(2, 3, seed=1)), tol=ROUNDS, why="rows"),
    Case("dot", (i(1, 2), i(3, 4)), why="integers"),
    Case("addmm", (rand(2, 4), rand(2, 3), rand(3, 4)), tol=ROUNDS),
    Case("addmm", (rand(4), rand(2, 3), rand(3, 4)), {"beta": 2.0, "alpha": 0.5}, tol=ROUNDS),
    Case("addmm", (f(nan, 1), rand(2, 3), rand(3, 2)), {"beta": 0.0}, tol=ROUNDS),
    Case("addmm_", (rand(2, 4), rand(2, 3), rand(3, 4)), tol=ROUNDS, why="in place"),
    Case("baddbmm", (rand(1, 2, 4), rand(3, 2, 3), rand(3, 3, 4)), tol=ROUNDS),
    Case("baddbmm", (rand(3, 2, 4), rand(3, 2, 3), rand(3, 3, 4)), {"alpha": 3.0}, tol=ROUNDS),
    Case("baddbmm_", (rand(3, 2, 4), rand(3, 2, 3), rand(3, 3, 4)), tol=ROUNDS, why="in place"),
    Case("multi_dot", ([rand(2, 3), rand(3, 4), rand(4, 2)],), tol=ROUNDS),
    Case("multi_dot", ([rand(3), rand(3, 4), rand(4)],), tol=ROUNDS, why="vectors at the ends"),
    Case("einsum", ([rand(2, 3), rand(3, 4)], "ij,jk->ik"), read=1, tol=ROUNDS),
    Case(
        "einsum", ([rand(2, 2, 3), rand(2, 3, 2)], "bij,bjk->bik"), read=1, tol=ROUNDS, why="stacks"
    ),
    Case("einsum", ([rand(2, 3), rand(2, 4)], "bi,bj->bij"), read=1, why="outer"),
    Case("einsum", ([rand(3, 3)], "ii->i"), read=1, why="a diagonal"),
    Case("einsum", ([rand(2, 3)], "ij->"), read=1, tol=ROUNDS, why="a sum"),
    Case("kron", (rand(2), rand(2, 1))),
    Case("kron", (rand(2, 3), rand(1, 2, 2)), why="two ranks"),
    Case("bilinear", (rand(2, 2), rand(2, 3), rand(4, 2, 3), rand(1, 4)), tol=ROUNDS),
    Case("bilinear", (rand(2, 2), rand(2, 3), rand(4, 2, 3), None), tol=ROUNDS, why="no bias"),
    Case("cross", (rand(2, 3), rand(2, 3, seed=1)), tol=ROUNDS),
    Case("cross", (rand(3, 2), rand(3, 2, seed=1)), {"axis": 0}, tol=ROUNDS),
    Case("cross", (i(1, 2, 3), i(4, 5, 7)), {"axis": -1}, why="integers"),
    Case("cross", (rand(2, 2), rand(2, 2)), why="no axis of 3", raises=BadType),
    Case("matmul_with_flatten", (rand(2, 1, 2), rand(2, 3)), tol=ROUNDS),
    Case(
        "matmul_with_flatten",
        (rand(2, 1, 6), rand(2, 3, 2)),
        {"x_num_col_dims": 2, "y_num_col_dims": 2},
        tol=ROUNDS,
    ),
    Case("legacy_matmul", (rand(2, 3), rand(3, 2)), tol=ROUNDS),
    Case("legacy_matmul", (rand(3, 2), rand(4, 3)), T | {"alpha": 2.0}, tol=ROUNDS),
    Case("fc", (rand(2, 2), rand(2, 3), rand(3)), tol=ROUNDS),
    Case("fc", (rand(2, 2, 3), rand(3, 2), rand(1, 2)), {"in_num_col_dims": 2}, tol=ROUNDS),
    Case("fc", (rand(2, 3), rand(3, 2), f(1, -1)), {"activation_type": "relu"}, tol=ROUNDS),
    Case("fc", (rand(1, 1), rand(1, 1), f(1)), {"activation_type": "x"}, raises=Unsupported),
    Case("fc", (rand(1, 1), rand(1, 1), f(1)), {"padding_weights": True}, raises=Unsupported),
    Case(
        "gemm_epilogue",
        (rand(1, 1), rand(1, 1), f(1)),
        {"activation_type": "x"},
        raises=Unsupported,
    ),
    Case("gemm_epilogue", (rand(2, 3), rand(3, 4), rand(4)), tol=ROUNDS),
    Case(
        "gemm_epilogue",
        (rand(2, 2, 3), rand(3, 4), rand(4)),
        {"activation_type": "gelu", "in_num_col_dims": 2},
        tol=ROUNDS,
    ),
    Case("linear_v2", (rand(2, 3), rand(3, 4), rand(4)), tol=ROUNDS),
    Case("linear_v2", (rand(2, 3), rand(4, 3), rand(4)), {"transpose_weight": True}, tol=ROUNDS),
    Case("batch_fc", (rand(2, 4, 3), rand(2, 3, 2), rand(2, 2)), tol=ROUNDS),
    Case("matrix_power", (rand(2, 2), 3), tol=ROUNDS),
    Case("matrix_power", (rand(3, 2, 2), 0), why="the identity"),
    Case("matrix_power", (rand(2, 2), 1), why="itself"),
    Case("matrix_power", (f(1, 2, 3, 4).reshape(2, 2), -2), tol=ROUNDS, why="of the inverse"),
    Case("addmm_", (rand(2, 4), rand(2, 3), rand(3, 4)), {"beta": 2.0, "alpha": 0.5}, tol=ROUNDS),
    Case("baddbmm", (rand(3, 2, 4), rand(3, 2, 3), rand(3, 3, 4)), {"beta": 2.0}, tol=ROUNDS),
    Case(
        "baddbmm_",
        (rand(3, 2, 4), rand(3, 2, 3), rand(3, 3, 4)),
        {"beta": 2.0, "alpha": 0.5},
        tol=ROUNDS,
    ),
    Case(
        "gemm_epilogue",
        (rand(2, 3), rand(3, 4), rand(4)),
        {"padding_weights": True},
        raises=Unsupported,
    ),
]
