"""ATen linear algebra. Where signs are free (eigenvectors, SVD) the matrices have distinct values
and both sides take LAPACK's."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, DeviceError, NoLowering, Unsupported
from nnir.types import Precision

from ...case import Case, Limit, Tolerance, f, i, rand, scalar

LOOSE = Tolerance(relative=2e-4, absolute=2e-4)
A = rand(3, 3, seed=3) + 4 * np.eye(3, dtype=np.float32)
STACK = rand(2, 4, 4, seed=1) + 5 * np.eye(4, dtype=np.float32)
TALL, WIDE = rand(2, 4, 3, seed=5), rand(3, 5, seed=6)
SYMMETRIC = (STACK + STACK.swapaxes(-1, -2)).astype(np.float32)
POSITIVE = (STACK @ STACK.swapaxes(-1, -2) + np.eye(4)).astype(np.float32)
LOWER = np.linalg.cholesky(POSITIVE)
UPPER = np.ascontiguousarray(LOWER.swapaxes(-1, -2))
HERMITIAN = np.array([[3, 1 - 2j, 1j], [1 + 2j, 5, 0.5], [-1j, 0.5, 7]], np.complex64)
ROOM = (A + 1j * rand(3, 3, seed=8)).astype(np.complex64)
FAR = f(0.1, 0.5, 0.2, 4, 0.5, 3, 1, 0.3, 0.2, 1, 2, 0.7, 4, 0.3, 0.7, 9).reshape(4, 4)
TURNED = np.array(1j * (np.triu(FAR, 1) - np.tril(FAR, -1)), np.complex64)
TIED = np.array([[0, 3 + 3j, 5], [3 + 3j, 1, 2j], [5, 2j, 0]], np.complex64)
SINGULAR = np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]], np.float32)
INDEFINITE = np.array([[0, 2, 1], [2, 0, 3], [1, 3, 0]], np.float32)
BLOCKS = INDEFINITE + np.diag(f(0, 0, 2))
HALF = np.array([[2, 1, 0], [0, 3, 0], [0, 0, 9]], np.float32)
DIAGONAL = np.array([[3, 0, 0], [0, 2, 0]], np.float32)
B = rand(2, 4, 3, seed=9)
PACKED = np.array([[-2, 0.5, 1], [0.5, -1.5, 2], [-0.5, 0.25, 3], [1, 0.5, -0.5]], np.float32)
TAU = f(1.25, 1.5, 1.1)
LU = rand(2, 4, 4, seed=2) + 3 * np.eye(4, dtype=np.float32)
PIVOTS = np.array([[2, 3, 4, 4], [1, 4, 3, 4]], np.int32)
CHECK = "aten._linalg_check_errors.default"
Row = tuple[tuple[Any, ...], dict[str, Any], str]


def each(op: str, *rows: Row) -> list[Case]:
    """Cases of one operator: inputs, attributes and why."""
    return [Case(f"aten.{op}", inputs, attrs, tol=LOOSE, why=why) for inputs, attrs, why in rows]


FACTORS = [
    *each("linalg_cholesky.default", ((POSITIVE,), {}, "L"), ((POSITIVE,), {"upper": True}, "U")),
    *each("cholesky.default", ((POSITIVE,), {}, "L"), ((HERMITIAN, True), {}, "complex")),
    *each("linalg_cholesky_ex.default", ((POSITIVE,), {}, "plain")),
    *each("cholesky_inverse.default", ((LOWER[0],), {}, "L"), ((UPPER[0], True), {}, "U")),
    *each("cholesky_solve.default", ((B, LOWER), {}, "L"), ((B, UPPER, True), {}, "U")),
    *each(
        "linalg_lu_factor.default",
        ((STACK[:, ::-1].copy(),), {}, "swaps"),
        ((TALL,), {}, "tall"),
        ((WIDE,), {}, "wide"),
        ((TIED,), {}, "complex pivots"),
    ),
    *each(
        "linalg_lu_factor_ex.default",
        ((SINGULAR,), {}, "singular"),
        ((np.triu(A, 1),), {}, "a column of zeros"),
        ((STACK,), {}, "plain"),
    ),
    *each("_lu_with_info.default", ((STACK,), {}, "plain")),
    *each(
        "linalg_lu.default",
        ((STACK[:, ::-1].copy(),), {}, "swaps"),
        ((TALL,), {}, "tall"),
        ((WIDE,), {}, "wide"),
    ),
    *each(
        "lu_unpack.default",
        ((LU, PIVOTS), {}, "plain"),
        ((LU, PIVOTS, False), {}, "only P"),
        ((LU, PIVOTS, True, False), {}, "only L and U"),
    ),
    *each(
        "linalg_lu_solve.default",
        ((LU, PIVOTS, B), {}, "plain"),
        ((LU, PIVOTS, B), {"adjoint": True}, "adjoint"),
        ((LU, PIVOTS, rand(2, 3, 4)), {"left": False}, "right"),
        ((LU, PIVOTS, rand(2, 3, 4)), {"left": False, "adjoint": True}, "right, adjoint"),
    ),
    *each("lu_solve.default", ((B, LU, PIVOTS), {}, "plain")),
    *each(
        "linalg_qr.default",
        ((TALL,), {}, "reduced"),
        ((TALL, "complete"), {}, "complete"),
        ((TALL, "r"), {}, "R alone"),
        ((WIDE,), {}, "wide"),
        ((ROOM,), {}, "complex"),
    ),
    Case("aten.linalg_qr.default", (A, "economic"), raises=Unsupported, why="a mode"),
    *each("qr.default", ((TALL,), {}, "some"), ((TALL, False), {}, "all")),
    *each("geqrf.default", ((TALL,), {}, "tall"), ((WIDE,), {}, "wide")),
    *each(
        "linalg_householder_product.default",
        ((PACKED, TAU), {}, "plain"),
        ((PACKED, TAU[:2]), {}, "fewer factors"),
        ((np.stack([PACKED] * 2), np.stack([TAU] * 2)), {}, "a stack"),
    ),
    *each("orgqr.default", ((PACKED, TAU), {}, "plain")),
    *each(
        "ormqr.default",
        ((PACKED, TAU, rand(4, 2)), {}, "left"),
        ((PACKED, TAU, rand(4, 2), True, True), {}, "left, transposed"),
        ((PACKED, TAU, rand(2, 4), False), {}, "right"),
        ((PACKED, TAU, rand(2, 4), False, True), {}, "right, transposed"),
    ),
    *each(
        "linalg_ldl_factor.default",
        ((SYMMETRIC,), {}, "plain"),
        ((INDEFINITE,), {}, "blocks of two"),
        ((HERMITIAN,), {"hermitian": True}, "hermitian"),
        ((FAR,), {}, "a far pivot"),
        ((FAR - np.diag(f(0, 0, 0, 9)),), {}, "a far pivot of two"),
        ((FAR + TURNED,), {"hermitian": True}, "hermitian, a far pivot"),
        ((FAR - np.diag(f(0, 0, 0, 9)) + TURNED,), {"hermitian": True}, "hermitian, of two"),
    ),
    *each(
        "linalg_ldl_factor_ex.default",
        ((INDEFINITE,), {}, "plain"),
        ((np.diag(f(1, 0, 3)),), {}, "singular"),
        ((TIED,), {}, "complex pivots"),
        ((np.stack([INDEFINITE] * 2)[:0],), {}, "nothing"),
    ),
    *each(
        "linalg_ldl_solve.default",
        ((BLOCKS, i(-2, -2, 3, dtype=np.int32), rand(3, 2)), {}, "blocks of two"),
        ((A, i(2, 2, 3, dtype=np.int32), rand(3, 2)), {}, "swaps"),
        ((np.stack([A, A.T]), i([2, 2, 3], [1, 3, 3], dtype=np.int32), rand(2, 3, 2)), {}, "two"),
    ),
    *each(
        "linalg_cholesky_ex.default",
        ((POSITIVE,), {"upper": True, "check_errors": True}, "U, checked"),
    ),
    *each("linalg_lu_factor_ex.default", ((STACK,), {"check_errors": True}, "checked")),
    *each("linalg_lu_factor_ex.default", ((STACK[:, :0, :0].copy(),), {}, "two of nothing")),
    *each("_lu_with_info.default", ((STACK, True, False), {}, "not checked")),
    *each(
        "linalg_ldl_factor_ex.default",
        ((HERMITIAN,), {"hermitian": True, "check_errors": True}, "hermitian, checked"),
    ),
    *each(
        "linalg_ldl_solve.default",
        (
            (HERMITIAN, i(1, 2, 3, dtype=np.int32), rand(3, 2).astype(np.complex64)),
            {"hermitian": True},
            "hermitian",
        ),
        (
            (HERMITIAN, i(-2, -2, 3, dtype=np.int32), rand(3, 2).astype(np.complex64)),
            {"hermitian": True},
            "hermitian blocks of two",
        ),
    ),
]
SPECTRA = [
    *each("linalg_svdvals.default", ((TALL,), {}, "tall"), ((ROOM,), {}, "complex")),
    *each("linalg_svd.default", ((A,), {}, "square"), ((A, False), {}, "reduced")),
    *each("_linalg_svd.default", ((A,), {}, "plain"), ((A, False, False), {}, "values")),
    *each("svd.default", ((A,), {}, "plain"), ((TALL, False, False), {}, "values")),
    *each("linalg_eigvalsh.default", ((SYMMETRIC,), {}, "L"), ((A, "U"), {}, "U")),
    *each("linalg_eigh.default", ((SYMMETRIC,), {}, "L"), ((np.diag(f(1, 2, 3)), "U"), {}, "U")),
    Case("aten.linalg_eigh.default", (SYMMETRIC, "X"), raises=Unsupported, why="a half"),
    *each("_linalg_eigh.default", ((SYMMETRIC,), {}, ""), ((A, "L", False), {}, "values")),
    *each("linalg_eig.default", ((A,), {}, "plain")),
    *each("linalg_eigvals.default", ((A,), {}, "plain"), ((ROOM,), {}, "complex")),
    *each("_linalg_eigvals.default", ((A,), {}, "plain")),
    Case("aten._linalg_svd.default", (WIDE, True), random=True, why="all vectors: their sizes"),
    Case("aten._linalg_svd.default", (DIAGONAL, True), tol=LOOSE, why="all vectors"),
    *each("_linalg_eigh.default", ((A, "U", False), {}, "values, U")),
    *each("linalg_svd.default", ((DIAGONAL, False), {}, "reduced to the rank")),
    *each("svd.default", ((DIAGONAL, False), {}, "all")),
    *each("linalg_eigh.default", ((HALF, "U"), {}, "the other half")),
]
SOLUTIONS = [
    *each("linalg_inv.default", ((STACK,), {}, "a stack"), ((ROOM,), {}, "complex")),
    *each("inverse.default", ((A,), {}, "plain")),
    *each("linalg_inv_ex.default", ((STACK,), {}, "plain")),
    *each("linalg_det.default", ((STACK,), {}, "a stack"), ((ROOM,), {}, "complex")),
    *each("det.default", ((A,), {}, "plain")),
    *each("_linalg_det.default", ((A,), {}, "plain")),
    *each("linalg_slogdet.default", ((-A,), {}, "negative"), ((ROOM,), {}, "complex")),
    *each("slogdet.default", ((STACK,), {}, "plain")),
    *each("_linalg_slogdet.default", ((A,), {}, "plain")),
    *each("logdet.default", ((STACK,), {}, "a stack"), ((-A,), {}, "negative")),
    *each(
        "linalg_solve.default",
        ((STACK, B), {}, "matrices"),
        ((STACK, rand(2, 4)), {}, "vectors"),
        ((A, rand(3)), {}, "a vector"),
        ((STACK, rand(2, 3, 4)), {"left": False}, "right"),
        ((STACK[0], B), {}, "one matrix"),
        ((np.float64(A), rand(3, 2, dtype=np.float64)), {}, "double"),
    ),
    Case("aten.linalg_solve.default", (TALL, B), raises=BadType, why="not square"),
    *each("linalg_solve_ex.default", ((STACK, B), {}, "plain")),
    *each("_linalg_solve_ex.default", ((A, rand(3, 2)), {}, "plain")),
    *each(
        "linalg_solve_triangular.default",
        ((STACK, B), {"upper": True}, "upper"),
        ((STACK, rand(2, 3, 4)), {"upper": False, "left": False}, "lower, right"),
        ((STACK, B), {"upper": True, "unitriangular": True}, "ones"),
    ),
    *each(
        "triangular_solve.default",
        ((B, STACK), {}, "upper"),
        ((B, STACK, False, True), {}, "lower, transposed"),
        ((B, STACK[0], True, False, True), {}, "ones"),
    ),
    *each("linalg_tensorinv.default", ((rand(2, 3, 6), 2), {}, ""), ((rand(4, 2, 2), 1), {}, "1")),
    *each(
        "linalg_tensorsolve.default",
        ((rand(2, 3, 6), rand(2, 3)), {}, "plain"),
        ((rand(6, 2, 3), rand(2, 3), [0]), {}, "moved axes"),
    ),
    *each("linalg_matrix_exp.default", ((A / 4,), {}, "small"), ((STACK / 2,), {}, "a stack")),
    *each("matrix_exp.default", ((A,), {}, "plain")),
    Case(
        CHECK,
        (i(0, dtype=np.int32), "inv"),
        {"is_matrix": False},
        outputs=0,
    ),
    *each("linalg_inv_ex.default", ((STACK,), {"check_errors": True}, "checked")),
    *each(
        "linalg_solve_ex.default",
        ((STACK, rand(2, 3, 4)), {"left": False, "check_errors": True}, "right, checked"),
    ),
    *each(
        "_linalg_solve_ex.default",
        ((A, rand(2, 3)), {"left": False, "check_errors": True}, "right, checked"),
    ),
]
NORMS = [
    *each(
        "linalg_matrix_norm.default",
        *(((TALL, p), {}, f"order {p}") for p in (1, -1, 2, -2, np.inf, -np.inf)),
        ((TALL, 2, [0, 1], True), {"dtype": Precision.FLOAT64}, "other axes"),
    ),
    *each(
        "linalg_matrix_norm.str_ord",
        ((TALL,), {}, "fro"),
        ((TALL, "nuc", [-2, -1], True), {}, "nuc"),
    ),
    Case("aten.linalg_matrix_norm.default", (TALL, 3), raises=Unsupported, why="order 3"),
    *each(
        "linalg_norm.default",
        ((TALL,), {}, "everything"),
        ((WIDE, 1), {}, "matrices"),
        ((TALL, 3.0, [1]), {}, "vectors"),
        ((TALL, None, [0, 2], True), {}, "two axes"),
    ),
    *each("linalg_norm.ord_str", ((WIDE, "nuc"), {}, ""), ((TALL, "fro", [0, 1]), {}, "axes")),
    *each("nuclear_norm.default", ((WIDE,), {}, "plain")),
    *each("nuclear_norm.dim", ((TALL, [0, 2], True), {}, "plain")),
    *each("linalg_cond.default", ((STACK,), {}, "2"), ((STACK, -2), {}, "-2"), ((A, 1), {}, "1")),
    *each("linalg_cond.p_str", ((STACK, "fro"), {}, "plain")),
    *each(
        "linalg_matrix_rank.atol_rtol_tensor",
        ((SINGULAR,), {}, "singular"),
        ((STACK,), {"atol": scalar(4.0)}, "atol"),
        ((SYMMETRIC,), {"rtol": f(0.5, 0.1), "hermitian": True}, "rtol"),
    ),
    *each(
        "linalg_matrix_rank.atol_rtol_float",
        ((SINGULAR,), {}, "singular"),
        ((STACK,), {"atol": 4.0}, "atol"),
    ),
    *each("linalg_matrix_rank.default", ((STACK, 5.0), {}, "plain")),
    *each("linalg_matrix_rank.tol_tensor", ((STACK, f(5.0, 4.0)), {}, "plain")),
    *each(
        "linalg_pinv.atol_rtol_tensor",
        ((TALL,), {}, "tall"),
        ((SINGULAR,), {"rtol": scalar(1e-3)}, "singular"),
    ),
    *each(
        "linalg_pinv.atol_rtol_float",
        ((WIDE,), {}, "wide"),
        ((SYMMETRIC,), {"hermitian": True}, "hermitian"),
        ((ROOM,), {}, "complex"),
    ),
    *each("linalg_pinv.default", ((TALL, 0.3), {}, "plain")),
    *each("linalg_pinv.rcond_tensor", ((TALL, scalar(0.3)), {}, "plain")),
    *each("pinverse.default", ((WIDE,), {}, "plain")),
    *each(
        "linalg_matrix_norm.str_ord",
        ((TALL, "fro", [0, 1]), {"dtype": Precision.FLOAT64}, "other axes"),
    ),
    *each("linalg_norm.default", ((TALL,), {"dtype": Precision.FLOAT64}, "double")),
    *each(
        "linalg_norm.ord_str",
        ((TALL, "fro", [0, 1], True), {"dtype": Precision.FLOAT64}, "kept"),
    ),
    *each("nuclear_norm.default", ((WIDE, True), {}, "kept")),
    *each(
        "linalg_matrix_rank.atol_rtol_float",
        ((STACK,), {"rtol": 0.5, "hermitian": True}, "rtol"),
    ),
    *each("linalg_matrix_rank.default", ((STACK, 5.0, True), {}, "hermitian")),
    *each("linalg_matrix_rank.tol_tensor", ((STACK, f(5.0, 4.0), True), {}, "hermitian")),
    *each(
        "linalg_pinv.atol_rtol_tensor",
        ((STACK,), {"atol": f(1.0, 4.0), "hermitian": True}, "hermitian"),
    ),
    *each("linalg_pinv.atol_rtol_float", ((TALL,), {"atol": 1.0, "rtol": 0.3}, "tolerances")),
    *each("linalg_pinv.default", ((STACK, 0.3, True), {}, "hermitian")),
    *each("linalg_pinv.rcond_tensor", ((STACK, scalar(0.3), True), {}, "hermitian")),
    *each("pinverse.default", ((WIDE, 0.5), {}, "rcond")),
    *each(
        "linalg_matrix_rank.atol_rtol_tensor",
        ((np.eye(3, k=1, dtype=np.float32),), {"hermitian": True}, "the other half"),
    ),
    *each("linalg_pinv.atol_rtol_tensor", ((STACK,), {"rtol": scalar(0.7)}, "rtol")),
    *(
        Case("aten.linalg_pinv.atol_rtol_float", (STACK,), {name: by}, tol=LOOSE, why=name)
        for name, by in (("atol", 4.0), ("rtol", 0.7))
    ),
]
VECTORS = [
    *each(
        "linalg_cross.default",
        ((rand(2, 3), rand(2, 3, seed=1)), {}, "plain"),
        ((rand(3, 2), rand(3, 1)), {"dim": 0}, "broadcast"),
        ((rand(2, 3, dtype=np.int64), rand(2, 3, seed=1, dtype=np.int64)), {}, "integers"),
    ),
    Case("aten.linalg_cross.default", (rand(2, 4), rand(2, 4)), raises=BadType, why="4 elements"),
    *each(
        "cross.default",
        ((rand(4, 3, 3), rand(4, 3, 3, seed=1)), {}, "the first axis of 3"),
        ((rand(3, 3), rand(3, 3, seed=1), 1), {}, "axis 1"),
    ),
    *each("linalg_diagonal.default", ((STACK,), {}, ""), ((TALL,), {"offset": 1}, "beside")),
    *each(
        "linalg_vander.default",
        ((rand(2, 3),), {}, "plain"),
        ((i(2, -1, 3),), {"N": 5}, "integers"),
        ((rand(2),), {"N": 2}, "two columns"),
    ),
    *each(
        "linalg_diagonal.default",
        ((TALL,), {"offset": -1, "dim1": 2, "dim2": 0}, "other axes"),
    ),
]
ONES = each(
    "linalg_ldl_factor_ex.default",
    ((f([0.25, 1], [1, 2]),), {}, "a pivot beside a one"),
    ((f([0.25, 1, 0], [1, 0.125, 1], [0, 1, 3]),), {}, "two pivots beside ones"),
)
CASES: list[Case] = [*FACTORS, *SPECTRA, *SOLUTIONS, *NORMS, *VECTORS, *ONES]
WHY = "ONNX Runtime has no factorisations; the reference runs on builtin"
LOWERED = frozenset(
    f"aten.{name}.default"
    for name in (
        *("det", "linalg_norm", "linalg_cross", "cross", "linalg_diagonal", "linalg_vander"),
        *("linalg_cholesky", "linalg_cholesky_ex", "cholesky_inverse", "cholesky_solve"),
        *("linalg_solve_triangular", "triangular_solve", "linalg_solve", "linalg_solve_ex"),
        *("inverse", "linalg_inv", "linalg_inv_ex", "linalg_tensorinv", "linalg_tensorsolve"),
        *("linalg_slogdet", "slogdet", "logdet", "linalg_qr", "qr", "geqrf", "orgqr", "ormqr"),
        "linalg_householder_product",
    )
) | {"aten.linalg_cond.p_str"}
"""What needs none, or one that is written out row by row."""
PARTS = {
    "aten.cholesky.default": ("complex64",),
    "aten.lu_unpack.default": ("plain", "only P"),
    "aten.linalg_cond.default": ("float32-2", "float32--2"),
    "aten.linalg_det.default": ("complex64",),
    "aten.linalg_inv.default": ("complex64",),
    "aten.linalg_qr.default": ("complex64",),
    "aten.linalg_slogdet.default": ("complex64",),
    "aten.linalg_lu_factor_ex.default": ("singular", "a column of zeros", "plain", "checked"),
    "aten.linalg_ldl_factor_ex.default": ("plain", "singular", "complex64", "beside"),
    "aten.linalg_matrix_norm.default": ("order 2", "order -2", "other axes"),
    "aten.linalg_matrix_norm.str_ord": ("nuc",),
    "aten.linalg_norm.ord_str": ("plain",),
}
"""What needs one in some cases only."""


def limit(op: str, case: str | None = None) -> Limit:
    """No lowering on ONNX Runtime."""
    return Limit(op, device="onnxruntime", case=case, raises=NoLowering, why=WHY)


LIMITS: list[Limit] = [
    Limit(
        CHECK,
        device="onnxruntime",
        raises=DeviceError,
        why="onnxruntime runs no program without outputs",
    ),
    *(
        limit(op)
        for op in dict.fromkeys(c.op for c in CASES)
        if op not in LOWERED | PARTS.keys() | {CHECK}
    ),
    *(limit(op, case) for op, cases in PARTS.items() for case in cases),
]
