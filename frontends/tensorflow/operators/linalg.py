"""TensorFlow's linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import complex, generate, index, linalg, linear, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()
DOUBLE = {
    Precision.FLOAT32: Precision.FLOAT64,
    Precision.FLOAT64: Precision.FLOAT64,
    Precision.COMPLEX64: Precision.COMPLEX128,
    Precision.COMPLEX128: Precision.COMPLEX128,
}


def transpose_last(x: Value) -> Value:
    """The last two axes swapped."""
    return shape.transpose(x, perm=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


def adjoint_of(x: Value) -> Value:
    """The conjugate transpose."""
    if x.rank < 2:
        raise BadType(f"{x.type} is no matrix")
    swapped = transpose_last(x)
    return complex.conj(swapped) if x.precision.is_complex else swapped


@table.convert("Cholesky")
def cholesky(input: Value) -> Value:
    return linalg.cholesky(input)


@table.convert("MatrixInverse")
def matrix_inverse(input: Value, *, adjoint: bool = False) -> Value:
    given = adjoint_of(input) if adjoint else input
    return linalg.matrix_inverse(given)


@table.convert("MatrixDeterminant")
def matrix_determinant(input: Value) -> Value:
    if input.is_float:
        return linear.determinant(input)
    sign, log = linalg.sign_log_det(input)
    return sign * unary.exp(log).cast(input.precision)


@table.convert("LogMatrixDeterminant")
def log_matrix_determinant(input: Value) -> tuple[Value, Value]:
    sign, log = linalg.sign_log_det(input)
    return sign, log.cast(input.precision)


@table.convert("MatrixSolve")
def matrix_solve(matrix: Value, rhs: Value, *, adjoint: bool = False) -> Value:
    return linalg.solve(adjoint_of(matrix) if adjoint else matrix, rhs)


@table.convert("MatrixTriangularSolve")
def matrix_triangular_solve(
    matrix: Value, rhs: Value, *, lower: bool = True, adjoint: bool = False
) -> Value:
    given = adjoint_of(matrix) if adjoint else matrix
    return linalg.solve_triangular(given, rhs, upper=lower == adjoint)


@table.convert("Qr")
def qr(input: Value, *, full_matrices: bool = False) -> tuple[Value, Value]:
    q, r = linalg.qr(input, complete=full_matrices)
    return q, r


@table.convert("Svd")
def svd(
    input: Value, *, compute_uv: bool = True, full_matrices: bool = False
) -> tuple[Value, Value, Value]:
    """Without the vectors they have no elements."""
    if not compute_uv:
        nothing = generate.fill([0], input.scalar(0))
        return linalg.singular_values(input).cast(input.precision), nothing, nothing
    u, s, vh = linalg.svd(input, full_matrices=full_matrices)
    return s.cast(input.precision), u, adjoint_of(vh)


@table.convert("SelfAdjointEigV2")
def self_adjoint_eig(input: Value, *, compute_v: bool = True) -> tuple[Value, Value]:
    if not compute_v:
        nothing = generate.fill([0], input.scalar(0))
        return linalg.eigenvalues_h(input).cast(input.precision), nothing
    values, vectors = linalg.eigh(input)
    return values.cast(input.precision), vectors


@table.convert("Lu")
def lu(
    input: Value,
    *,
    output_idx_type: Precision = Precision.INT32,
) -> tuple[Value, Value]:
    if input.rank < 2 or isinstance(input.shape[-2], Expr):
        raise NotConstant(f"Lu of {input.type}: the number of rows must be known")
    packed, pivots = linalg.lu_factor(input)
    order = linalg.pivot_order(pivots, size=int(input.shape[-2]))
    return packed, order.cast(output_idx_type)


@table.convert("MatrixSolveLs")
def matrix_solve_ls(
    matrix: Value, rhs: Value, l2_regularizer: Value, *, fast: bool = True
) -> Value:
    """Least squares by the normal equations, in float64; of a wide matrix the smallest solution."""
    if not fast or matrix.precision not in DOUBLE:
        raise Unsupported(f"MatrixSolveLs of {matrix.type} with fast={fast}")
    wide = DOUBLE[matrix.precision]
    a, b = matrix.cast(wide), rhs.cast(wide)
    rows, columns = matrix.shape[-2:]
    if isinstance(rows, Expr) or isinstance(columns, Expr):
        raise NotConstant(f"MatrixSolveLs of {matrix.type}: rows and columns must be known")
    flipped = adjoint_of(a)
    tall = rows >= columns
    product = linear.mat_mul(flipped, a) if tall else linear.mat_mul(a, flipped)
    ones = matrix.model.constant(identity(min(rows, columns), wide))
    penalty = ones * l2_regularizer.cast(wide)
    system = product + penalty
    if tall:
        result = linalg.solve(system, linear.mat_mul(flipped, b))
    else:
        result = linear.mat_mul(flipped, linalg.solve(system, b))
    return result.cast(matrix.precision)


def identity(size: int, precision: Precision) -> np.ndarray:
    """The unit matrix."""
    return np.eye(size, dtype=precision.dtype)


@table.convert("TridiagonalMatMul")
def tridiagonal_mat_mul(superdiag: Value, maindiag: Value, subdiag: Value, rhs: Value) -> Value:
    """Rows above and below, which are 0 outside, times the diagonals beside the main one."""
    lead = [0] * (2 * rhs.rank - 4)
    size = rhs.shape[-2]
    if isinstance(size, Expr):
        raise NotConstant(f"TridiagonalMatMul of {rhs.type}: the number of rows must be known")

    def slice_rows(before: int, after: int) -> Value:
        padded = shape.pad(rhs, [*lead, before, after, 0, 0])
        return index.slice_(padded, [rhs.rank - 2], [after], [after + size])

    total = transpose_last(maindiag) * rhs
    total = total + transpose_last(superdiag) * slice_rows(0, 1)
    return total + transpose_last(subdiag) * slice_rows(1, 0)
