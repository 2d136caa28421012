"""ATen factorisations of matrices, and spectra."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.errors import NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import compare, generate, index, linalg, linear, reduce, shape
from nnir.types import Precision

from ..table import Table
from . import matrix_norm
from .diagonal import diagonal, tril, triu
from .matrix_norm import adjoint, transposed

table = Table()
Two = tuple[Value, Value]
Three = tuple[Value, Value, Value]


def no_info(a: Value) -> Value:
    """0 for every matrix: what LAPACK could not do is an error while running."""
    return zeros(a, build.sizes_of(a)[:-2], Precision.INT32)


def zeros(like: Value, parts: Sequence[build.Size], precision: Precision) -> Value:
    """Zeros of a shape that may only be known while running; `like` says in which model."""
    zero = like.model.constant(0, precision.dtype)
    return generate.fill(build.vector(like.model, parts), zero) if parts else zero


def known(size: object, of: Value) -> int:
    """A size as a number."""
    if not isinstance(size, int):
        raise NotConstant(f"linear algebra of {of.type}, whose sizes are not known")
    return size


@table.convert("aten.linalg_lu_factor.default")
def lu_factor(A: Value, *, pivot: bool = True) -> Two:  # noqa: N803  as above
    factors, pivots = linalg.lu_factor(A, pivot=pivot)
    return factors, pivots


@table.convert("aten.linalg_lu_factor_ex.default")
def lu_factor_ex(
    A: Value,  # noqa: N803  as above
    *,
    pivot: bool = True,
    check_errors: bool = False,
) -> Three:
    """The third result is the first position of a 0 on the diagonal of U, from 1 on."""
    factors, pivots = linalg.lu_factor(A, pivot=pivot)
    return factors, pivots, first_zero(factors)


@table.convert("aten._lu_with_info.default")
def lu_with_info(self: Value, pivot: bool = True, check_errors: bool = True) -> Three:
    factors, pivots = linalg.lu_factor(self, pivot=pivot)
    return factors, pivots, first_zero(factors)


def first_zero(factors: Value) -> Value:
    """0 where the diagonal has no 0, else the position of the first, from 1 on, as int32."""
    line = diagonal(factors, 0, -2, -1)
    if line.shape[-1] == 0:
        return no_info(factors)
    return _first(compare.equal(line, 0))


def _first(found: Value) -> Value:
    """The position of the first truth along the last axis, from 1 on, else 0, as int32."""
    empty = found.cast(Precision.INT32)
    place = reduce.arg_max(empty, axis=-1, keepdim=False, dtype=Precision.INT32)
    some = reduce.reduce_max(empty, [-1], keepdim=False)
    return some * (place + found.model.constant(np.int32(1)))


def permuted_identity(factors: Value, pivots: Value) -> Value:
    """The P of A = P L U."""
    size = known(factors.shape[-2], factors)
    order = linalg.pivot_order(pivots, size=size)
    columns = factors.model.constant(np.arange(size).reshape(size, 1))
    rows = shape.unsqueeze(order, [order.rank - 1])
    return compare.equal(columns, rows).cast(factors.precision)


def triangles(factors: Value) -> Two:
    """L with its diagonal of ones, and U."""
    rows, columns = (known(d, factors) for d in factors.shape[-2:])
    least = min(rows, columns)
    left = index.slice_(factors, [-1], [0], [least]) if columns > least else factors
    right = index.slice_(factors, [-2], [0], [least]) if rows > least else factors
    ones = factors.model.constant(np.eye(rows, least, dtype=factors.dtype))
    return tril(left, -1) + ones, triu(right, 0)


@table.convert("aten.linalg_lu.default")
def linalg_lu(A: Value, *, pivot: bool = True) -> Three:  # noqa: N803  as above
    factors, pivots = linalg.lu_factor(A, pivot=pivot)
    empty = zeros(A, (0,), A.precision)
    return permuted_identity(factors, pivots) if pivot else empty, *triangles(factors)


@table.convert("aten.lu_unpack.default")
def lu_unpack(
    LU_data: Value,  # noqa: N803  as above
    LU_pivots: Value,  # noqa: N803  as above
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> Three:
    empty = zeros(LU_data, (0,), LU_data.precision)
    order = permuted_identity(LU_data, LU_pivots) if unpack_pivots else empty
    return order, *(triangles(LU_data) if unpack_data else (empty, empty))


@table.convert("aten.linalg_lu_solve.default")
def linalg_lu_solve(
    LU: Value,  # noqa: N803  as above
    pivots: Value,
    B: Value,  # noqa: N803  as above
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Value:
    """A X = B, with `adjoint` A* X = B; X A = B is the adjoint of A* X* = B*."""
    if not left:
        given = matrix_norm.adjoint(B)
        result = linalg_lu_solve(LU, pivots, given, adjoint=not adjoint)
        return matrix_norm.adjoint(result)
    order = permuted_identity(LU, pivots)
    if not adjoint:
        moved = linear.mat_mul(transposed(order), B)
        half = linalg.solve_triangular(LU, moved, upper=False, unit_diagonal=True)
        return linalg.solve_triangular(LU, half, upper=True)
    other = matrix_norm.adjoint(LU)
    half = linalg.solve_triangular(other, B, upper=False)
    whole = linalg.solve_triangular(other, half, upper=True, unit_diagonal=True)
    return linear.mat_mul(order, whole)


@table.convert("aten.lu_solve.default")
def lu_solve(
    self: Value,
    LU_data: Value,  # noqa: N803  as above
    LU_pivots: Value,  # noqa: N803  as above
) -> Value:
    return linalg_lu_solve(LU_data, LU_pivots, self)


@table.convert("aten.linalg_qr.default")
def linalg_qr(A: Value, mode: str = "reduced") -> Two:  # noqa: N803  as above
    match mode:
        case "reduced" | "complete":
            q, r = linalg.qr(A, complete=mode == "complete")
            return q, r
        case "r":
            return zeros(A, (0,), A.precision), linalg.qr(A)[1]
    raise Unsupported(f"linalg_qr with mode={mode!r}")


@table.convert("aten.qr.default")
def qr(self: Value, some: bool = True) -> Two:
    return linalg_qr(self, "reduced" if some else "complete")


@table.convert("aten.geqrf.default")
def geqrf(self: Value) -> Two:
    packed, tau = linalg.householder(self)
    return packed, tau


@table.convert("aten.linalg_householder_product.default")
def householder_product(input: Value, tau: Value) -> Value:
    rows, columns = (known(d, input) for d in input.shape[-2:])
    eye = input.model.constant(np.eye(rows, columns, dtype=input.dtype))
    if input.rank > 2:
        eye = shape.expand(eye, build.vector(input.model, build.sizes_of(input)))
    return linalg.apply_householder(input, tau, eye)


@table.convert("aten.orgqr.default")
def orgqr(self: Value, input2: Value) -> Value:
    return householder_product(self, input2)


@table.convert("aten.ormqr.default")
def ormqr(
    self: Value, input2: Value, input3: Value, left: bool = True, transpose: bool = False
) -> Value:
    """Q C or C Q; the transpose of C Q is Q' C'."""
    if left:
        return linalg.apply_householder(self, input2, input3, adjoint=transpose)
    turned = linalg.apply_householder(self, input2, adjoint(input3), adjoint=not transpose)
    return adjoint(turned)


@table.convert("aten.linalg_svd.default")
def linalg_svd(
    A: Value,  # noqa: N803  as above
    full_matrices: bool = True,
    *,
    driver: str | None = None,
) -> Three:
    u, s, vh = linalg.svd(A, full_matrices=full_matrices)
    return u, s, vh


@table.convert("aten._linalg_svd.default")
def linalg_svd_or_values(
    A: Value,  # noqa: N803  as above
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
) -> Three:
    if compute_uv:
        return linalg_svd(A, full_matrices)
    empty = zeros(A, (0,), A.precision)
    return empty, linalg.singular_values(A), empty


@table.convert("aten.svd.default")
def svd(self: Value, some: bool = True, compute_uv: bool = True) -> Three:
    """The third result is V; without vectors they are zeros."""
    if compute_uv:
        u, s, vh = linalg_svd(self, not some)
        return u, s, adjoint(vh)
    *lead, rows, columns = build.sizes_of(self)
    u, v = (zeros(self, (*lead, n, n), self.precision) for n in (rows, columns))
    return u, linalg.singular_values(self), v


@table.convert("aten.linalg_svdvals.default")
def svdvals(A: Value, *, driver: str | None = None) -> Value:  # noqa: N803  as above
    return linalg.singular_values(A)


def reads_upper(half: str) -> bool:
    if half.upper() not in ("L", "U"):
        raise Unsupported(f"eigenvalues with UPLO={half!r}")
    return half.upper() == "U"


@table.convert("aten.linalg_eigh.default")
def eigh(self: Value, UPLO: str = "L") -> Two:  # noqa: N803  as above
    values, vectors = linalg.eigh(self, upper=reads_upper(UPLO))
    return values, vectors


@table.convert("aten._linalg_eigh.default")
def eigh_or_values(
    A: Value,  # noqa: N803  as above
    UPLO: str = "L",  # noqa: N803  as above
    compute_v: bool = True,
) -> Two:
    if compute_v:
        return eigh(A, UPLO)
    return eigvalsh(A, UPLO), zeros(A, (0,), A.precision)


@table.convert("aten.linalg_eigvalsh.default")
def eigvalsh(self: Value, UPLO: str = "L") -> Value:  # noqa: N803  as above
    return linalg.eigenvalues_h(self, upper=reads_upper(UPLO))


@table.convert("aten.linalg_eig.default")
def eig(self: Value) -> Two:
    values, vectors = linalg.eig(self)
    return values, vectors


@table.convert("aten.linalg_eigvals.default", "aten._linalg_eigvals.default")
def eigvals(self: Value) -> Value:
    return linalg.eigenvalues(self)


@table.convert("aten.linalg_ldl_factor.default")
def ldl_factor(self: Value, *, hermitian: bool = False) -> Two:
    factors, pivots = linalg.ldl_factor(self, hermitian=hermitian)
    return factors, pivots


@table.convert("aten.linalg_ldl_factor_ex.default")
def ldl_factor_ex(self: Value, *, hermitian: bool = False, check_errors: bool = False) -> Three:
    """The third result is the first position of a 0 (or NaN) in D, in a block of one."""
    factors, pivots = ldl_factor(self, hermitian=hermitian)
    if pivots.shape[-1] == 0:
        return factors, pivots, no_info(self)
    line = diagonal(factors, 0, -2, -1)
    size = abs(line)
    zero = ~(size > 0)
    alone = pivots > pivots.model.constant(np.int32(0))
    return factors, pivots, _first(zero & alone)


@table.convert("aten.linalg_ldl_solve.default")
def ldl_solve(
    LD: Value,  # noqa: N803  as above
    pivots: Value,
    B: Value,  # noqa: N803  as above
    *,
    hermitian: bool = False,
) -> Value:
    return linalg.ldl_solve(LD, pivots, B, hermitian=hermitian)
