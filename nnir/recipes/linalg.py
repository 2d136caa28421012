"""Linear algebra: factorisations, solutions, inverses and ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..broadcast import shapes_differ
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import binary, compare, generate, index, linalg, linear, reduce, shape, unary
from ..types import Precision
from .diagonal import diagonal, tril, triu
from .linear import conjugate
from .promotion import promote, real_of

Two = tuple[Value, Value]
Three = tuple[Value, Value, Value]


def no_info(a: Value) -> Value:
    """0 for every matrix: what LAPACK could not do is an error while running."""
    return zeros(a, build.sizes_of(a)[:-2], Precision.INT32)


def zeros(like: Value, parts: Sequence[build.Size], precision: Precision) -> Value:
    """Zeros of a shape that may only be known while running; `like` says in which model."""
    zero = like.model.constant(0, precision.dtype)
    return generate.fill(build.vector(like.model, parts), zero) if parts else zero


def known_size(size: object, of: Value) -> int:
    """A size as a number."""
    if not isinstance(size, int):
        raise NotConstant(f"linear algebra of {of.type}, whose sizes are not known")
    return size


def lu_with_info(x: Value, pivot: bool = True, check_errors: bool = True) -> Three:
    """Packed factors, pivots, and the first position of a 0 on the diagonal of U."""
    factors, pivots = linalg.lu_factor(x, pivot=pivot)
    return factors, pivots, first_zero(factors)


def first_zero(factors: Value) -> Value:
    """0 where the diagonal has no 0, else the position of the first, from 1 on, as int32."""
    line = diagonal(factors, 0, -2, -1)
    if line.shape[-1] == 0:
        return no_info(factors)
    return first_true(compare.equal(line, 0))


def first_true(found: Value) -> Value:
    """The position of the first truth along the last axis, from 1 on, else 0, as int32."""
    empty = found.cast(Precision.INT32)
    place = reduce.arg_max(empty, axis=-1, keepdim=False, dtype=Precision.INT32)
    some = reduce.reduce_max(empty, [-1], keepdim=False)
    return some * (place + found.model.constant(np.int32(1)))


def permuted_identity(factors: Value, pivots: Value) -> Value:
    """The P of A = P L U."""
    size = known_size(factors.shape[-2], factors)
    order = linalg.pivot_order(pivots, size=size)
    columns = factors.model.constant(np.arange(size).reshape(size, 1))
    rows = shape.unsqueeze(order, [order.rank - 1])
    return compare.equal(columns, rows).cast(factors.precision)


def triangles(factors: Value) -> Two:
    """L with its diagonal of ones, and U."""
    rows, columns = (known_size(d, factors) for d in factors.shape[-2:])
    least = min(rows, columns)
    left = index.slice_(factors, [-1], [0], [least]) if columns > least else factors
    right = index.slice_(factors, [-2], [0], [least]) if rows > least else factors
    ones = factors.model.constant(np.eye(rows, least, dtype=factors.dtype))
    return tril(left, -1) + ones, triu(right, 0)


def lu_unpack(
    LU_data: Value,  # noqa: N803  as in mathematics
    LU_pivots: Value,  # noqa: N803  as in mathematics
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> Three:
    """P, L and U from packed factors and pivots; BadType where their batches differ."""
    rows, columns = LU_data.shape[-2:]
    whole = isinstance(rows, int) and isinstance(columns, int)
    pivots = LU_pivots.shape[-1:] if not whole else (min(rows, columns),)  # type: ignore[type-var]
    if shapes_differ((*LU_data.shape[:-2], *pivots), LU_pivots.shape):
        raise BadType(f"lu_unpack of {LU_data.type} with pivots {LU_pivots.type}")
    empty = zeros(LU_data, (0,), LU_data.precision)
    order = permuted_identity(LU_data, LU_pivots) if unpack_pivots else empty
    return order, *(triangles(LU_data) if unpack_data else (empty, empty))


def solve_by_lu(
    LU: Value,  # noqa: N803  as in mathematics
    pivots: Value,
    B: Value,  # noqa: N803  as in mathematics
    *,
    left: bool = True,
    of_adjoint: bool,
) -> Value:
    """A X = B, with `of_adjoint` A* X = B; X A = B is the adjoint of A* X* = B*."""
    if not left:
        given = adjoint(B)
        result = solve_by_lu(LU, pivots, given, of_adjoint=not of_adjoint)
        return adjoint(result)
    order = permuted_identity(LU, pivots)
    if not of_adjoint:
        moved = linear.mat_mul(transpose_matrix(order), B)
        half = linalg.solve_triangular(LU, moved, upper=False, unit_diagonal=True)
        return linalg.solve_triangular(LU, half, upper=True)
    other = adjoint(LU)
    half = linalg.solve_triangular(other, B, upper=False)
    whole = linalg.solve_triangular(other, half, upper=True, unit_diagonal=True)
    return linear.mat_mul(order, whole)


def linalg_qr(A: Value, mode: str = "reduced") -> Two:  # noqa: N803  as in mathematics
    """Q and R of A = Q R; `mode` is "reduced", "complete" or "r"."""
    match mode:
        case "reduced" | "complete":
            q, r = linalg.qr(A, complete=mode == "complete")
            return q, r
        case "r":
            return zeros(A, (0,), A.precision), linalg.qr(A)[1]
    raise Unsupported(f"linalg_qr with mode={mode!r}")


def reads_upper(half: str) -> bool:
    """Whether the upper half of a Hermitian matrix is read: "U", not "L"."""
    if half.upper() not in ("L", "U"):
        raise Unsupported(f"eigenvalues with UPLO={half!r}")
    return half.upper() == "U"


def eigh(x: Value, UPLO: str = "L") -> Two:  # noqa: N803  as in mathematics
    """Eigenvalues and eigenvectors of Hermitian matrices, of which one half is read."""
    values, vectors = linalg.eigh(x, upper=reads_upper(UPLO))
    return values, vectors


def eigvalsh(x: Value, UPLO: str) -> Value:  # noqa: N803  as in mathematics
    """Eigenvalues of Hermitian matrices, of which one half is read."""
    return linalg.eigenvalues_h(x, upper=reads_upper(UPLO))


def eig(x: Value) -> Two:
    """Eigenvalues and eigenvectors of general matrices."""
    values, vectors = linalg.eig(x)
    return values, vectors


def lower_of(factor: Value, upper: bool) -> Value:
    """A triangular factor as the lower one."""
    return adjoint(factor) if upper else factor


def cholesky_solve(b: Value, factor: Value, upper: bool = False) -> Value:
    """The X of A X = B, from the Cholesky factor of A."""
    lower = lower_of(factor, upper)
    half = linalg.solve_triangular(lower, b, upper=False)
    return linalg.solve_triangular(adjoint(lower), half, upper=True)


def linalg_det(A: Value) -> Value:  # noqa: N803  as in mathematics
    """The determinants of matrices."""
    if A.is_float:
        return linear.determinant(A)
    sign, log = linalg.sign_log_det(A)
    return sign * unary.exp(log).cast(A.precision)


def solve(a: Value, b: Value, *, left: bool) -> Value:
    """X with A X = B, or X A = B; B may be a stack of vectors."""
    is_vector = b.rank == 1 or (b.rank == a.rank - 1 and b.shape == a.shape[:-1])
    if is_vector:
        b = shape.unsqueeze(b, [-1])
    if left or is_vector:
        result: Value = linalg.solve(a, b)
    else:
        result = transpose_matrix(linalg.solve(transpose_matrix(a), transpose_matrix(b)))
    return shape.squeeze(result, [-1]) if is_vector else result


def transpose_matrix(a: Value) -> Value:
    """The last two axes swapped."""
    return shape.transpose(a, perm=(*range(a.rank - 2), a.rank - 1, a.rank - 2))


def adjoint(a: Value) -> Value:
    """The conjugate transpose."""
    return conjugate(transpose_matrix(a))


def inverse(a: Value) -> Value:
    """The inverses of real or complex matrices."""
    return linear.inverse(a) if a.is_float else linalg.matrix_inverse(a)


def spectrum(a: Value, hermitian: bool) -> Value:
    """Singular values; of Hermitian matrices the sizes of the eigenvalues."""
    return abs(linalg.eigenvalues_h(a)) if hermitian else linalg.singular_values(a)


def cutoff(
    a: Value, values: Value, atol: Value | float | None, rtol: Value | float | None
) -> Value:
    """max(atol, rtol * the largest value) for each matrix, with an axis to compare by."""
    if rtol is None:
        rtol = 0.0 if atol is not None and not _is_zero(atol) else default_rtol(a)
    largest = reduce.reduce_max(values, [-1], keepdim=True)
    relative = _factor(values, rtol) * largest
    return binary.max_(relative, _factor(values, 0.0 if atol is None else atol))


def default_rtol(a: Value) -> Value:
    """The precision times the longer side."""
    longest = binary.max_(*(a.size(axis) for axis in (-2, -1)))
    kind = real_of(a.precision)
    return longest.cast(kind) * float(np.finfo(kind.dtype).eps)


def _is_zero(tolerance: Value | float) -> bool:
    """Whether an absolute tolerance is none at all."""
    return not isinstance(tolerance, Value) and tolerance == 0


def _factor(values: Value, tolerance: Value | float) -> Value:
    if not isinstance(tolerance, Value):
        return values.model.constant(tolerance, real_of(values.precision).dtype)
    found = tolerance.cast(values.precision)
    return shape.unsqueeze(found, [-1]) if found.rank else found


Tolerance = Value | float | None


def matrix_rank(a: Value, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Value:
    """How many values are above the tolerance."""
    values = spectrum(a, hermitian)
    above = values > cutoff(a, values, atol, rtol)
    return reduce.reduce_sum(above.cast(Precision.INT64), [-1], keepdim=False)


def relative_tolerance(a: Value, atol: Value | None, rtol: Value | None) -> Tolerance:
    """A tensor for an absolute tolerance replaces the default relative one where it is not 0."""
    if rtol is not None or atol is None:
        return rtol
    kind = atol.cast(real_of(a.precision))
    none = a.model.constant(0, real_of(a.precision).dtype)
    return compare.where(kind > none, none, default_rtol(a))


def pseudo_inverse(a: Value, atol: Tolerance, rtol: Tolerance, hermitian: bool) -> Value:
    """V S^-1 U*, without the singular values below the tolerance."""
    if hermitian:
        values, right = linalg.eigh(a)
        left = adjoint(right)
    else:
        u, values, vh = linalg.svd(a, full_matrices=False)
        left, right = adjoint(u), adjoint(vh)
    sizes_ = abs(values) if hermitian else values
    kept = sizes_ > cutoff(a, sizes_, atol, rtol)
    factors = compare.where(kept, unary.reciprocal(values), 0)
    scaled = right * shape.unsqueeze(factors, [values.rank - 1]).cast(a.precision)
    return linear.mat_mul(scaled, left)


def cross(input: Value, other: Value, axis: int) -> Value:
    """(a2 b3 - a3 b2, a3 b1 - a1 b3, a1 b2 - a2 b1) along an axis of 3."""
    a, b = promote(input, other)
    next_, last = (a.model.constant(np.array(p)) for p in ([1, 2, 0], [2, 0, 1]))
    one, two = (index.gather(x, next_, axis=axis - x.rank) for x in (a, b))
    three, four = (index.gather(x, last, axis=axis - x.rank) for x in (b, a))
    return one * three - four * two
