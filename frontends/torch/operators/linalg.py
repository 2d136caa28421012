"""ATen linear algebra: solutions of linear systems, and what is made of them."""

from __future__ import annotations

from nnir import build
from nnir.model import Value
from nnir.ops import linalg, shape, unary
from nnir.recipes import linalg as linalg_recipes
from nnir.recipes.linalg import inverse, no_info, solve, transpose_matrix
from nnir.recipes.linear import identity_like
from nnir.recipes.promotion import COMPLEX

from ...table import Table
from . import factorisation, matrix_norm

table = Table.merge([factorisation.table, matrix_norm.table])
Two = tuple[Value, Value]
Three = tuple[Value, Value, Value]


@table.convert("aten.linalg_cholesky.default")
def linalg_cholesky(self: Value, *, upper: bool = False) -> Value:
    return linalg.cholesky(self, upper=upper)


@table.convert("aten.cholesky.default")
def cholesky(self: Value, upper: bool = False) -> Value:
    return linalg.cholesky(self, upper=upper)


@table.convert("aten.linalg_cholesky_ex.default")
def cholesky_ex(self: Value, *, upper: bool = False, check_errors: bool = False) -> Two:
    return linalg.cholesky(self, upper=upper), no_info(self)


@table.convert("aten.cholesky_inverse.default")
def cholesky_inverse(self: Value, upper: bool = False) -> Value:
    return cholesky_solve(identity_like(self), self, upper)


@table.convert("aten.cholesky_solve.default")
def cholesky_solve(self: Value, input2: Value, upper: bool = False) -> Value:
    return linalg_recipes.cholesky_solve(self, input2, upper)


@table.convert("aten.linalg_inv.default")
def linalg_inv(A: Value) -> Value:  # noqa: N803  the names are those of ATen
    return inverse(A)


@table.convert("aten.inverse.default")
def inverse_(self: Value) -> Value:
    return inverse(self)


@table.convert("aten.linalg_inv_ex.default")
def inv_ex(A: Value, *, check_errors: bool = False) -> Two:  # noqa: N803  as above
    return inverse(A), no_info(A)


@table.convert("aten._linalg_check_errors.default")
def check_errors(info: Value, api_name: str, *, is_matrix: bool) -> tuple[()]:
    """Nothing: what LAPACK could not do is an error of the operator itself."""
    return ()


@table.convert("aten.linalg_det.default")
def linalg_det(A: Value) -> Value:  # noqa: N803  as above
    return linalg_recipes.linalg_det(A)


@table.convert("aten.det.default")
def det(self: Value) -> Value:
    return linalg_det(self)


def factors_of_transposed(A: Value) -> Two:  # noqa: N803  as above
    """Factors of the transposed matrix, which is in LAPACK's order; of the complex one itself."""
    factors, pivots = linalg.lu_factor(A if A.precision in COMPLEX else transpose_matrix(A))
    return factors, pivots


@table.convert("aten._linalg_det.default")
def linalg_det_with_lu(A: Value) -> Three:  # noqa: N803  as above
    return linalg_det(A), *factors_of_transposed(A)


@table.convert("aten.linalg_slogdet.default")
def linalg_slogdet(A: Value) -> Two:  # noqa: N803  as above
    sign, log = linalg.sign_log_det(A)
    return sign, log


@table.convert("aten.slogdet.default")
def slogdet(self: Value) -> Two:
    return linalg_slogdet(self)


@table.convert("aten._linalg_slogdet.default")
def slogdet_with_lu(A: Value) -> tuple[Value, ...]:  # noqa: N803  as above
    return *linalg_slogdet(A), *factors_of_transposed(A)


@table.convert("aten.logdet.default")
def logdet(self: Value) -> Value:
    """NaN for a negative determinant."""
    sign, log = linalg.sign_log_det(self)
    return log.cast(self.precision) + unary.log(sign)


@table.convert("aten.linalg_solve.default")
def linalg_solve(A: Value, B: Value, *, left: bool = True) -> Value:  # noqa: N803  as above
    return solve(A, B, left=left)


@table.convert("aten.linalg_solve_ex.default")
def solve_ex(
    A: Value,  # noqa: N803  as above
    B: Value,  # noqa: N803  as above
    *,
    left: bool = True,
    check_errors: bool = False,
) -> Two:
    return solve(A, B, left=left), no_info(A)


@table.convert("aten._linalg_solve_ex.default")
def solve_ex_with_lu(
    A: Value,  # noqa: N803  as above
    B: Value,  # noqa: N803  as above
    *,
    left: bool = True,
    check_errors: bool = False,
) -> tuple[Value, ...]:
    return solve(A, B, left=left), *linalg.lu_factor(A), no_info(A)


@table.convert("aten.linalg_solve_triangular.default")
def linalg_solve_triangular(
    self: Value,
    B: Value,  # noqa: N803  as above
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Value:
    if left:
        return linalg.solve_triangular(self, B, upper=upper, unit_diagonal=unitriangular)
    flipped = transpose_matrix(self), transpose_matrix(B)
    result = linalg.solve_triangular(*flipped, upper=not upper, unit_diagonal=unitriangular)
    return transpose_matrix(result)


@table.convert("aten.triangular_solve.default")
def triangular_solve(
    self: Value,
    A: Value,  # noqa: N803  as above
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Two:
    """The second result is a copy of A for every right side."""
    given = {"upper": upper != transpose, "unit_diagonal": unitriangular}
    result = linalg.solve_triangular(transpose_matrix(A) if transpose else A, self, **given)
    lead = build.sizes_of(result)[:-2]
    if result.shape[:-2] == A.shape[:-2]:
        return result, A
    whole = build.vector(A.model, [*lead, *build.sizes_of(A)[-2:]])
    return result, shape.expand(A, whole)


@table.convert("aten.linalg_matrix_exp.default", "aten.matrix_exp.default")
def matrix_exp(self: Value) -> Value:
    return linalg.matrix_exp(self)
