"""Linear algebra: factorisations and solutions.

Everything is computed in float64 and rounded once; signs and orders are those of LAPACK.
"""

from __future__ import annotations

import numpy as np

from ..broadcast import broadcast
from ..dim import Dim, minimum
from ..model import Value
from ..operator import operator, pairs, require
from ..types import Precision, TensorType
from . import ldl, matrices
from .exponential import exponential
from .rules import common_dim

COMPLEX = {Precision.FLOAT32: Precision.COMPLEX64, Precision.FLOAT64: Precision.COMPLEX128}
REAL = {c: r for r, c in COMPLEX.items()}


def _check(name: str, *inputs: Value) -> None:
    """BadType unless all are matrices of one type, float32, float64 or complex."""
    kinds = {*COMPLEX, *REAL}
    for value in inputs:
        fits = value.precision in kinds and value.rank >= 2
        require(fits, f"{name} of {value.type}: matrices of floats are needed")
        require(value.precision == inputs[0].precision, f"{name} of {inputs[0].type}, {value.type}")


def _square(name: str, input: Value) -> None:
    _check(name, input)
    common_dim(input.shape[-2:], f"{name} of {input.type}")


def _parts(input: Value) -> tuple[tuple[Dim, ...], Dim, Dim, Dim]:
    """Leading axes, rows, columns and the smaller of both."""
    *lead, rows, columns = input.shape
    return tuple(lead), rows, columns, rows if rows == columns else minimum(rows, columns)


def _real(input: Value, shape: tuple[Dim, ...]) -> TensorType:
    return TensorType(REAL.get(input.precision, input.precision), shape)


def _adjoint(a: np.ndarray) -> np.ndarray:
    return a.swapaxes(-1, -2).conj()


def _finite(a: np.ndarray) -> np.ndarray:
    """LAPACK may never return from what is not finite; PyTorch refuses it too."""
    if not np.isfinite(a).all():
        raise ValueError("a matrix with elements that are not finite")
    return a


def _cholesky(input: np.ndarray, *, upper: bool) -> np.ndarray:
    lower = np.linalg.cholesky(_adjoint(np.triu(input)) if upper else np.tril(input))
    return np.asarray(_adjoint(lower) if upper else lower, input.dtype)


@operator(steps=pairs, code=2250, reference=_cholesky)
def cholesky(input: Value, *, upper: bool = False) -> TensorType:
    """The triangular L with L L* = A, or with `upper` the U with U* U = A.

    Types: float32, float64 or complex.
    Shapes: [..., n, n].
    Edges: the other triangle is not read; a matrix that is not positive definite is an error.
    """
    _square("cholesky", input)
    return input.type


def _lu_factor(input: np.ndarray, *, pivot: bool) -> tuple[np.ndarray, np.ndarray]:
    return matrices.lu(input, pivot=pivot)


@operator(steps=pairs, code=2251, reference=_lu_factor)
def lu_factor(input: Value, *, pivot: bool = True) -> tuple[TensorType, TensorType]:
    """L and U in one matrix, L without its diagonal of ones, and the rows swapped, from 1 on.

    Types: float32, float64 or complex; the pivots are int32.
    Shapes: [..., m, n] gives [..., m, n] and [..., min(m, n)].
    Edges: without `pivot` no rows are swapped; a singular matrix gives a singular U.
    """
    _check("lu_factor", input)
    lead, _, _, least = _parts(input)
    return input.type, TensorType(Precision.INT32, (*lead, least))


def _pivot_order(pivots: np.ndarray, *, size: int) -> np.ndarray:
    return matrices.permutation(pivots, size)


@operator(steps=pairs, code=2252, reference=_pivot_order)
def pivot_order(pivots: Value, *, size: int) -> TensorType:
    """Which of the rows 0, 1, ... size - 1 stands where after the swaps of LU_FACTOR.

    Types: integers; the result is int64.
    Shapes: [..., k] gives [..., size].
    """
    require(pivots.is_integer and pivots.rank > 0, f"pivot_order of {pivots.type}")
    return TensorType(Precision.INT64, (*pivots.shape[:-1], size))


def _solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.solve(a, b), a.dtype)


def _solution(name: str, a: Value, b: Value) -> TensorType:
    _square(name, a)
    _check(name, a, b)
    common_dim((a.shape[-1], b.shape[-2]), f"{name} of {a.type} and {b.type}")
    return b.type.with_shape((*broadcast(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))


@operator(steps=pairs, code=2253, reference=_solve)
def solve(a: Value, b: Value) -> TensorType:
    """The X with A X = B.

    Types: float32, float64 or complex, one for both.
    Shapes: [..., n, n] and [..., n, k], whose leading axes broadcast, to [..., n, k].
    Edges: a singular matrix is an error while running.
    """
    return _solution("solve", a, b)


def _solve_triangular(
    a: np.ndarray, b: np.ndarray, *, upper: bool, unit_diagonal: bool
) -> np.ndarray:
    return matrices.substitute(a, b, upper=upper, unit=unit_diagonal)


@operator(steps=pairs, code=2254, reference=_solve_triangular)
def solve_triangular(a: Value, b: Value, *, upper: bool, unit_diagonal: bool = False) -> TensorType:
    """The X with A X = B for a triangular A.

    Types: float32, float64 or complex, one for both.
    Shapes: as SOLVE.
    Edges: the other triangle is not read, with `unit_diagonal` the diagonal neither; a 0 on it
        gives infinity or NaN.
    """
    return _solution("solve_triangular", a, b)


def _householder(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    packed, tau = np.linalg.qr(input, mode="raw")
    return np.asarray(packed.swapaxes(-1, -2), input.dtype), np.asarray(tau, input.dtype)


@operator(steps=pairs, code=2255, reference=_householder)
def householder(input: Value) -> tuple[TensorType, TensorType]:
    """QR as LAPACK's geqrf stores it: R above Householder vectors, and their factors tau.

    Types: float32, float64 or complex.
    Shapes: [..., m, n] gives [..., m, n] and [..., min(m, n)].
    """
    _check("householder", input)
    lead, _, _, least = _parts(input)
    return input.type, input.type.with_shape((*lead, least))


def _apply_householder(
    vectors: np.ndarray, tau: np.ndarray, input: np.ndarray, *, adjoint: bool
) -> np.ndarray:
    return matrices.reflect(vectors, tau, input, adjoint=adjoint)


@operator(steps=pairs, code=2256, reference=_apply_householder)
def apply_householder(
    vectors: Value, tau: Value, input: Value, *, adjoint: bool = False
) -> TensorType:
    """Q C, or with `adjoint` Q* C, for the Q that HOUSEHOLDER stores.

    Types: float32, float64 or complex, one for all.
    Shapes: [..., m, n] and [..., k] with [..., m, c] to [..., m, c].
    """
    _check("apply_householder", vectors, input)
    fits = tau.precision == input.precision and tau.rank == vectors.rank - 1
    require(fits, f"apply_householder of {vectors.type} with {tau.type}")
    common_dim((vectors.shape[-2], input.shape[-2]), "apply_householder")
    return input.type


def _qr(input: np.ndarray, *, complete: bool) -> tuple[np.ndarray, np.ndarray]:
    q, r = np.linalg.qr(input, mode="complete" if complete else "reduced")
    return np.asarray(q, input.dtype), np.asarray(r, input.dtype)


@operator(steps=pairs, code=2257, reference=_qr)
def qr(input: Value, *, complete: bool = False) -> tuple[TensorType, TensorType]:
    """A = Q R with orthonormal columns in Q and an upper triangular R.

    Types: float32, float64 or complex.
    Shapes: [..., m, n] gives [..., m, k] and [..., k, n], k = min(m, n), with `complete` m.
    Edges: signs are those of Householder's method, the diagonal of R may be negative.
    """
    _check("qr", input)
    lead, rows, columns, least = _parts(input)
    inner = rows if complete else least
    shapes = (*lead, rows, inner), (*lead, inner, columns)
    return input.type.with_shape(shapes[0]), input.type.with_shape(shapes[1])


def _svd(input: np.ndarray, *, full_matrices: bool) -> tuple[np.ndarray, ...]:
    u, s, vh = np.linalg.svd(_finite(input), full_matrices=full_matrices)
    return u.astype(input.dtype), s.astype(input.real.dtype), vh.astype(input.dtype)


@operator(steps=pairs, code=2258, reference=_svd)
def svd(input: Value, *, full_matrices: bool = False) -> tuple[TensorType, TensorType, TensorType]:
    """A = U diag(S) Vh with singular values that fall.

    Types: float32, float64 or complex; S is real.
    Shapes: [..., m, n] gives [..., m, k], [..., k] and [..., k, n], k = min(m, n); with
        `full_matrices` U is [..., m, m] and Vh [..., n, n].
    Edges: signs are LAPACK's (gesdd).
    """
    _check("svd", input)
    lead, rows, columns, least = _parts(input)
    left, right = (rows, columns) if full_matrices else (least, least)
    u = input.type.with_shape((*lead, rows, left))
    return u, _real(input, (*lead, least)), input.type.with_shape((*lead, right, columns))


def _singular_values(input: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.svd(_finite(input), compute_uv=False), input.real.dtype)


@operator(steps=pairs, code=2259, reference=_singular_values)
def singular_values(input: Value) -> TensorType:
    """The singular values of every matrix, falling.

    Types: float32, float64 or complex; the result is real.
    Shapes: [..., m, n] gives [..., min(m, n)].
    """
    _check("singular_values", input)
    lead, _, _, least = _parts(input)
    return _real(input, (*lead, least))


def _eigh(input: np.ndarray, *, upper: bool) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh(_finite(input), UPLO="U" if upper else "L")
    return values.astype(input.real.dtype), vectors.astype(input.dtype)


@operator(steps=pairs, code=2260, reference=_eigh)
def eigh(input: Value, *, upper: bool = False) -> tuple[TensorType, TensorType]:
    """Eigenvalues, rising, and eigenvectors of Hermitian matrices, of which one half is read.

    Types: float32, float64 or complex; the eigenvalues are real.
    Shapes: [..., n, n] gives [..., n] and [..., n, n], whose columns are the vectors.
    """
    _square("eigh", input)
    return _real(input, input.shape[:-1]), input.type


def _eigenvalues_h(input: np.ndarray, *, upper: bool) -> np.ndarray:
    return np.asarray(
        np.linalg.eigvalsh(_finite(input), UPLO="U" if upper else "L"), input.real.dtype
    )


@operator(steps=pairs, code=2261, reference=_eigenvalues_h)
def eigenvalues_h(input: Value, *, upper: bool = False) -> TensorType:
    """The eigenvalues of Hermitian matrices, rising; one half is read.

    Types: float32, float64 or complex; the result is real.
    Shapes: [..., n, n] gives [..., n].
    """
    _square("eigenvalues_h", input)
    return _real(input, input.shape[:-1])


def _as_complex(dtype: np.dtype) -> np.dtype:
    return np.result_type(dtype, np.complex64)


def _eig(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eig(input)
    kind = _as_complex(input.dtype)
    return values.astype(kind), vectors.astype(kind)


@operator(steps=pairs, code=2262, reference=_eig)
def eig(input: Value) -> tuple[TensorType, TensorType]:
    """Eigenvalues and eigenvectors of any square matrices, in the order of LAPACK's geev.

    Types: float32, float64 or complex; the results are complex.
    Shapes: [..., n, n] gives [..., n] and [..., n, n], whose columns are the vectors.
    """
    _square("eig", input)
    kind = COMPLEX.get(input.precision, input.precision)
    return TensorType(kind, input.shape[:-1]), TensorType(kind, input.shape)


def _eigenvalues(input: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.eigvals(input), _as_complex(input.dtype))


@operator(steps=pairs, code=2263, reference=_eigenvalues)
def eigenvalues(input: Value) -> TensorType:
    """The eigenvalues of any square matrices, in the order of LAPACK's geev.

    Types: float32, float64 or complex; the result is complex.
    Shapes: [..., n, n] gives [..., n].
    """
    _square("eigenvalues", input)
    return TensorType(COMPLEX.get(input.precision, input.precision), input.shape[:-1])


def _sign_log_det(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sign, log = np.linalg.slogdet(input.astype(matrices.double(input.dtype)))
    return np.asarray(sign, input.dtype), np.asarray(log, input.real.dtype)


@operator(steps=pairs, code=2264, reference=_sign_log_det)
def sign_log_det(input: Value) -> tuple[TensorType, TensorType]:
    """The sign (or phase) of the determinant, and the logarithm of its size.

    Types: float32, float64 or complex; the logarithm is real.
    Shapes: [..., n, n] gives [...] twice.
    Edges: a singular matrix gives 0 and -inf.
    """
    _square("sign_log_det", input)
    lead = input.shape[:-2]
    return input.type.with_shape(lead), _real(input, lead)


def _matrix_exp(input: np.ndarray) -> np.ndarray:
    result = np.zeros_like(input)
    for index in np.ndindex(*input.shape[:-2]):
        result[index] = exponential(input[index])
    return result


@operator(steps=pairs, code=2265, reference=_matrix_exp)
def matrix_exp(input: Value) -> TensorType:
    """e to the power of every matrix: the sum of A^k / k!.

    Types: float32, float64 or complex.
    Shapes: [..., n, n].
    """
    _square("matrix_exp", input)
    return input.type


def _matrix_inverse(input: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.inv(input), input.dtype)


@operator(steps=pairs, code=2266, reference=_matrix_inverse)
def matrix_inverse(input: Value) -> TensorType:
    """INVERSE of complex matrices too.

    Types: float32, float64 or complex.
    Shapes: [..., n, n].
    Edges: a singular matrix is an error while running.
    """
    _square("matrix_inverse", input)
    return input.type


def _ldl_factor(input: np.ndarray, *, hermitian: bool) -> tuple[np.ndarray, np.ndarray]:
    work = input.astype(matrices.double(input.dtype))
    pivots = np.zeros(input.shape[:-1], np.int32)
    for index in np.ndindex(*input.shape[:-2]):
        work[index], pivots[index] = ldl.factor(work[index], hermitian=hermitian)
    return work.astype(input.dtype), pivots


@operator(steps=pairs, code=2267, reference=_ldl_factor)
def ldl_factor(input: Value, *, hermitian: bool = False) -> tuple[TensorType, TensorType]:
    """A = L D L' (L* with `hermitian`) by Bunch and Kaufman, and the rows swapped, from 1 on.

    Types: float32, float64 or complex; the pivots are int32, negative for blocks of two.
    Shapes: [..., n, n] gives [..., n, n] and [..., n].
    Edges: only the lower triangle is read and holds the result.
    """
    _square("ldl_factor", input)
    return input.type, TensorType(Precision.INT32, input.shape[:-1])


def _ldl_solve(
    factors: np.ndarray, pivots: np.ndarray, b: np.ndarray, *, hermitian: bool
) -> np.ndarray:
    kind = matrices.double(factors.dtype)
    lead = np.broadcast_shapes(factors.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(factors.astype(kind), (*lead, *factors.shape[-2:]))
    order = np.broadcast_to(pivots, (*lead, pivots.shape[-1]))
    result = np.array(np.broadcast_to(b.astype(kind), (*lead, *b.shape[-2:])))
    for index in np.ndindex(*lead):
        result[index] = ldl.solve(a[index], order[index], result[index], hermitian=hermitian)
    return result.astype(b.dtype)


@operator(steps=pairs, code=2268, reference=_ldl_solve)
def ldl_solve(factors: Value, pivots: Value, b: Value, *, hermitian: bool = False) -> TensorType:
    """The X with A X = B for what LDL_FACTOR gives.

    Types: float32, float64 or complex, one for both; integer pivots.
    Shapes: [..., n, n], [..., n] and [..., n, k], whose leading axes broadcast.
    """
    require(pivots.is_integer and pivots.rank > 0, f"ldl_solve with pivots {pivots.type}")
    return _solution("ldl_solve", factors, b)
