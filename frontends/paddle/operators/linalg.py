"""Paddle's linear algebra."""

from __future__ import annotations

from functools import partial

from nnir.broadcast import shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, linalg, linear, reduce, shape, unary
from nnir.recipes import linalg as linalg_recipes
from nnir.recipes.diagonal import diagonal
from nnir.recipes.linalg import (
    Tolerance,
    default_rtol,
    pseudo_inverse,
    solve_by_lu,
    transpose_matrix,
)
from nnir.recipes.promotion import COMPLEX, real_of
from nnir.types import Precision

from ...table import Table

table = Table()
Two = tuple[Value, Value]
Three = tuple[Value, Value, Value]
table.named(
    {
        "cholesky": (linalg.cholesky, "x upper"),
        "cholesky_solve": (linalg_recipes.cholesky_solve, "x y upper"),
        "det": (linalg_recipes.linalg_det, "x"),
        "eigvals": (linalg.eigenvalues, "x"),
        "inverse": (linalg_recipes.inverse, "x"),
        "lu lu_": (linalg_recipes.lu_with_info, "x pivot"),
        "lu_unpack": (linalg_recipes.lu_unpack, "x y unpack_ludata unpack_pivots"),
        "solve": (partial(linalg_recipes.solve, left=True), "x y"),
        "qr": (linalg_recipes.linalg_qr, "x mode"),
        "slogdet_v2": (linalg.sign_log_det, "x"),
    }
)


@table.convert("slogdet")
def slogdet(x: Value) -> Value:
    """The sign and the logarithm as a new first axis."""
    sign, log = linalg.sign_log_det(x)
    return shape.stack(sign, log.cast(sign.precision), axis=0)


@table.convert("trace")
def trace(x: Value, offset: int, axis1: int, axis2: int) -> Value:
    line = diagonal(x, offset, axis1, axis2)
    return reduce.reduce_sum(line, [-1], keepdim=False)


@table.convert("triangular_solve")
def triangular_solve(
    x: Value, y: Value, upper: bool, transpose: bool, unitriangular: bool
) -> Value:
    a = transpose_matrix(x) if transpose else x
    return linalg.solve_triangular(a, y, upper=upper != transpose, unit_diagonal=unitriangular)


@table.convert("svd")
def svd(x: Value, full_matrices: bool) -> Three:
    u, s, vh = linalg.svd(x, full_matrices=full_matrices)
    return u, s, vh


@table.convert("svdvals")
def svdvals(x: Value) -> Value:
    if x.rank > 3:
        raise Unsupported(f"svdvals of {x.type}, where Paddle loses an axis")
    return linalg.singular_values(x)


table.convert("eigh")(linalg_recipes.eigh)


@table.convert("eigvalsh")
def eigvalsh(x: Value, uplo: str, is_test: bool) -> Value:
    """The vectors, which only serve the gradient, are left out."""
    return linalg_recipes.eigvalsh(x, uplo)


table.convert("eig")(linalg_recipes.eig)


@table.convert("lu_solve")
def lu_solve(b: Value, lu: Value, pivots: Value, trans: str) -> Value:
    if trans not in ("N", "T", "C") or (trans == "T" and lu.precision in COMPLEX):
        raise Unsupported(f"lu_solve of {lu.type} with trans={trans!r}")
    if shapes_differ(lu.shape[:-1], pivots.shape):
        raise BadType(f"lu_solve of {lu.type} with pivots {pivots.type}")
    return solve_by_lu(lu, pivots, b, of_adjoint=trans != "N")


@table.convert("lstsq")
def lstsq(x: Value, y: Value, rcond: float, driver: str) -> tuple[Value | None, ...]:
    """Least squares by the pseudo-inverse; which driver is asked for only changes the rounding.

    The residuals are sums of squares where x is tall, else nothing.
    """
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise Unsupported(f"lstsq with driver={driver!r}")
    relative: Tolerance = rcond if rcond > 0 and driver != "gels" else default_rtol(x)
    solution = linear.mat_mul(pseudo_inverse(x, None, relative, hermitian=False), y)
    rest = y - linear.mat_mul(x, solution)
    squares = unary.square(abs(rest) if rest.precision in COMPLEX else rest)
    residuals = reduce.reduce_sum(squares, [-2], keepdim=False)
    rows, columns = x.shape[-2:]
    is_tall = not isinstance(rows, int) or not isinstance(columns, int) or rows > columns
    rank = linalg_recipes.matrix_rank(x, None, relative, hermitian=False).cast(Precision.INT32)
    values = linalg.singular_values(x)
    return solution, residuals if is_tall else None, rank, values


@table.convert("matrix_rank")
def matrix_rank(x: Value, tol: float, use_default_tol: bool, hermitian: bool) -> Value:
    if use_default_tol:
        return linalg_recipes.matrix_rank(x, None, default_rtol(x), hermitian)
    return linalg_recipes.matrix_rank(x, tol, 0.0, hermitian)


@table.convert("matrix_rank_tol")
def matrix_rank_tol(x: Value, atol_tensor: Value, use_default_tol: bool, hermitian: bool) -> Value:
    """A default tolerance counts beside the one that is given; the larger one holds."""
    relative: Tolerance = default_rtol(x) if use_default_tol else 0.0
    return linalg_recipes.matrix_rank(x, atol_tensor, relative, hermitian)


@table.convert("matrix_rank_atol_rtol")
def matrix_rank_atol_rtol(x: Value, atol: Value, rtol: Value | None, hermitian: bool) -> Value:
    """Without a relative tolerance the default one counts where the absolute one is 0."""
    if rtol is not None and rtol.rank != atol.rank:
        raise BadType(f"matrix_rank_atol_rtol with {atol.type} and {rtol.type}: other ranks")
    if rtol is not None:
        return linalg_recipes.matrix_rank(x, atol, rtol, hermitian)
    bound = atol.cast(real_of(x.precision))
    given = bound > 0
    return linalg_recipes.matrix_rank(x, atol, compare.where(given, 0, default_rtol(x)), hermitian)
