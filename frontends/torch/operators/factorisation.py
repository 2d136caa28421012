"""ATen factorisations of matrices, and spectra."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.model import Value
from nnir.ops import linalg, shape
from nnir.recipes import linalg as linalg_recipes
from nnir.recipes.linalg import (
    Three,
    Two,
    first_true,
    first_zero,
    known_size,
    no_info,
    permuted_identity,
    triangles,
    zeros,
)

from ...table import Table
from .diagonal import diagonal

table = Table()


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
    return linalg_recipes.lu_with_info(self, pivot, check_errors)


@table.convert("aten.linalg_lu.default")
def linalg_lu(A: Value, *, pivot: bool = True) -> Three:  # noqa: N803  as above
    factors, pivots = linalg.lu_factor(A, pivot=pivot)
    empty = zeros(A, (0,), A.precision)
    return permuted_identity(factors, pivots) if pivot else empty, *triangles(factors)


table.convert("aten.lu_unpack.default")(linalg_recipes.lu_unpack)


@table.convert("aten.linalg_lu_solve.default")
def linalg_lu_solve(
    LU: Value,  # noqa: N803  as above
    pivots: Value,
    B: Value,  # noqa: N803  as above
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Value:
    return linalg_recipes.solve_by_lu(LU, pivots, B, left=left, of_adjoint=adjoint)


@table.convert("aten.lu_solve.default")
def lu_solve(
    self: Value,
    LU_data: Value,  # noqa: N803  as above
    LU_pivots: Value,  # noqa: N803  as above
) -> Value:
    return linalg_lu_solve(LU_data, LU_pivots, self)


@table.convert("aten.linalg_qr.default")
def linalg_qr(A: Value, mode: str = "reduced") -> Two:  # noqa: N803  as above
    return linalg_recipes.linalg_qr(A, mode)


@table.convert("aten.qr.default")
def qr(self: Value, some: bool = True) -> Two:
    return linalg_qr(self, "reduced" if some else "complete")


@table.convert("aten.geqrf.default")
def geqrf(self: Value) -> Two:
    packed, tau = linalg.householder(self)
    return packed, tau


@table.convert("aten.linalg_householder_product.default")
def householder_product(input: Value, tau: Value) -> Value:
    rows, columns = (known_size(d, input) for d in input.shape[-2:])
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
    turned = linalg.apply_householder(
        self, input2, linalg_recipes.adjoint(input3), adjoint=not transpose
    )
    return linalg_recipes.adjoint(turned)


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
        return u, s, linalg_recipes.adjoint(vh)
    *lead, rows, columns = build.sizes_of(self)
    u, v = (zeros(self, (*lead, n, n), self.precision) for n in (rows, columns))
    return u, linalg.singular_values(self), v


@table.convert("aten.linalg_svdvals.default")
def svdvals(A: Value, *, driver: str | None = None) -> Value:  # noqa: N803  as above
    return linalg.singular_values(A)


@table.convert("aten.linalg_eigh.default")
def eigh(self: Value, UPLO: str = "L") -> Two:  # noqa: N803  as above
    return linalg_recipes.eigh(self, UPLO)


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
    return linalg_recipes.eigvalsh(self, UPLO)


@table.convert("aten.linalg_eig.default")
def eig(self: Value) -> Two:
    return linalg_recipes.eig(self)


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
    return factors, pivots, first_true(zero & alone)


@table.convert("aten.linalg_ldl_solve.default")
def ldl_solve(
    LD: Value,  # noqa: N803  as above
    pivots: Value,
    B: Value,  # noqa: N803  as above
    *,
    hermitian: bool = False,
) -> Value:
    return linalg.ldl_solve(LD, pivots, B, hermitian=hermitian)
