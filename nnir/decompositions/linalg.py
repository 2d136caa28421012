"""Decompositions of small matrices, written out row by row or column by column."""

from __future__ import annotations

from functools import reduce as folded

import numpy as np

from .. import build
from ..broadcast import axes_of
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, compare, generate, index, linalg, linear, reduce, shape, unary
from ..ops.unary import COMPLEX
from ..records import dataclass
from ..types import Precision
from .conv import pad_axes

LARGEST = 32
"""Rows of the largest matrix that is written out."""


@linalg.solve_triangular.decomposes(level=Level.UNROLLED)
def _solve_triangular(a: Value, b: Value, *, upper: bool, unit_diagonal: bool) -> Value:
    """Each row from those that are solved already."""
    n = _rows(a)
    solved: Value | None = None
    for i in reversed(range(n)) if upper else range(n):
        rest = _part(b, -2, i, i + 1)
        row = _part(a, -2, i, i + 1)
        if solved is not None:
            known = _part(row, -1, i + 1, n) if upper else _part(row, -1, 0, i)
            rest = rest - linear.mat_mul(known, solved)
        x = rest if unit_diagonal else rest / _part(row, -1, i, i + 1)
        pieces = [x] if solved is None else [x, solved] if upper else [solved, x]
        solved = shape.concat(*pieces, axis=-2) if len(pieces) > 1 else x
    if solved is None:
        raise Unsupported(f"the solution of {a.type}")
    return solved


@linalg.cholesky.decomposes(level=Level.UNROLLED)
def _cholesky(input: Value, *, upper: bool) -> Value:
    """Each column from those before it; the root of a negative number is NaN, not an error."""
    n = _rows(input)
    a = _transpose_last(input) if upper else input
    columns: Value | None = None
    for j in range(n):
        rest = _part(_part(a, -2, j, n), -1, j, j + 1)
        if columns is not None:
            below = _part(columns, -2, j, n)
            rest = rest - linear.mat_mul(below, _transpose_last(_part(below, -2, 0, 1)))
        column = rest / unary.sqrt(_part(rest, -2, 0, 1))
        padded = pad_axes(column, {a.rank - 2: (j, 0)}, 0)
        columns = padded if columns is None else shape.concat(columns, padded, axis=-1)
    if columns is None:
        raise Unsupported(f"the root of {input.type}")
    return _transpose_last(columns) if upper else columns


@linear.inverse.decomposes(level=Level.UNROLLED)
def _inverse(input: Value) -> Value:
    """The solution for the columns of the identity; infinity or NaN where there is none."""
    n = _rows(input)
    wide = _of_32_bits(input)
    identity = input.model.constant(np.eye(n, dtype=wide.dtype))
    return _solution(wide, identity).cast(input.precision)


@linalg.matrix_inverse.decomposes(level=Level.UNROLLED)
def _matrix_inverse(input: Value) -> Value:
    return _inverse(input)


@linalg.solve.decomposes(level=Level.UNROLLED)
def _solution(a: Value, b: Value) -> Value:
    """Gauss and Jordan; infinity or NaN, not an error, where a matrix is singular."""
    taken: list[Value] = []
    for step in _steps(a, singular=False):
        row = _one_row(step.taken, b) / step.pivot
        b = compare.where(step.taken, row, b - step.column * row)
        taken.append(step.taken)
    return linear.mat_mul(_columns(taken).cast(b.precision), b, transpose_x=True)


@linear.determinant.decomposes(level=Level.UNROLLED)
def _determinant(input: Value) -> Value:
    """The product of the pivots, with the sign of their order."""
    sign, pivots = _pivots(_of_32_bits(input))
    return folded(binary.mul, pivots, sign).cast(input.precision)


@linalg.sign_log_det.decomposes(level=Level.UNROLLED)
def _sign_log_det(input: Value) -> tuple[Value, Value]:
    sign, pivots = _pivots(input)
    sizes = [unary.log(abs(pivot)) for pivot in pivots]
    signs = [unary.sign(pivot) for pivot in pivots]
    return folded(binary.mul, signs, sign), folded(binary.add, sizes)


@dataclass(frozen=True)
class Step:
    """One step of an elimination: which row it takes, and what that row is divided by.

    `taken` and `free` are [..., n, 1] over the rows, `column` is the one that becomes 0 elsewhere,
    `place` and `pivot` are [..., 1, 1]. `free` has the rows that no step before has taken.
    """

    taken: Value
    free: Value | None
    column: Value
    place: Value
    pivot: Value


def _steps(a: Value, *, singular: bool) -> list[Step]:
    """The elimination of a matrix by Gauss and Jordan. No rows are exchanged: each step takes the
    one, of those that are left, whose element is the largest.

    `singular`: a column of zeros is left as it is.
    """
    n = _rows(a)
    rows = a.model.constant(np.arange(n)[:, None])
    free: Value | None = None
    steps: list[Step] = []
    for k in range(n):
        column = _part(a, -1, k, k + 1)
        sizes = abs(column) if free is None else compare.where(free, abs(column), a.scalar(-1))
        place = reduce.arg_max(sizes, axis=-2, keepdim=True)
        taken = compare.equal(place, rows)
        row = _one_row(taken, a)
        pivot = _part(row, -1, k, k + 1)
        steps.append(Step(taken, free, column, place, pivot))
        divisor = compare.where(compare.equal(pivot, 0), a.scalar(1), pivot) if singular else pivot
        row = row / divisor
        a = compare.where(taken, row, a - column * row)
        free = ~taken if free is None else free & ~taken
    return steps


def _one_row(taken: Value, x: Value) -> Value:
    return reduce.reduce_sum(compare.where(taken, x, x.scalar(0)), [-2], keepdim=True)


def _pivots(a: Value) -> tuple[Value, list[Value]]:
    """The sign of the order in which rows are taken, and what they are divided by: [...]."""
    rows = a.model.constant(np.arange(_rows(a))[:, None])
    axes = axes_of((-2, -1), a.rank)
    passed, pivots = a.scalar(0), []
    for step in _steps(a, singular=True):
        before = compare.less(rows, step.place)
        skipped = before if step.free is None else before & step.free
        passed = passed + reduce.reduce_sum(skipped.cast(a.precision), axes, keepdim=False)
        pivots.append(shape.squeeze(step.pivot, [-2, -1]))
    return 1 - 2 * (passed - 2 * unary.floor(passed * 0.5)), pivots


@linalg.qr.decomposes(level=Level.UNROLLED)
def _qr(input: Value, *, complete: bool) -> tuple[Value, Value]:
    rows, columns = _sizes(input)
    inner = rows if complete else min(rows, columns)
    work, vectors, taus = _reflections(input)
    q = input.model.constant(np.eye(rows, inner, dtype=input.dtype))
    for vector, tau in reversed(list(zip(vectors, taus, strict=True))):
        q = _reflect(q, vector, tau)
    if not vectors:
        q = _spread(q, input)
    return q, _upper(_part(work, -2, 0, inner))


@linalg.householder.decomposes(level=Level.UNROLLED)
def _householder(input: Value) -> tuple[Value, Value]:
    rows, columns = _sizes(input)
    work, vectors, taus = _reflections(input)
    if len(taus) < min(rows, columns):
        corner = _part(_part(input, -2, 0, 1), -1, 0, 1)
        taus.append(generate.fill_like(corner, input.scalar(0)))
    if vectors:
        below = pad_axes(_columns(vectors), {input.rank - 1: (0, columns - len(vectors))}, 0)
        mask = input.model.constant(np.triu(np.ones((rows, columns), np.bool_)))
        work = compare.where(mask, work, below)
    return work, shape.squeeze(_columns(taus), [-2])


@linalg.apply_householder.decomposes(level=Level.UNROLLED)
def _apply_householder(vectors: Value, tau: Value, input: Value, *, adjoint: bool) -> Value:
    rows, _ = _sizes(vectors)
    (count,) = build.known_sizes(tau, [tau.rank - 1])
    result = input
    for k in range(count) if adjoint else reversed(range(count)):
        below = _below(_part(vectors, -1, k, k + 1), k, rows)
        factor = shape.unsqueeze(_part(tau, -1, k, k + 1), [-1])
        result = _reflect(result, below + _unit(input, k, rows), factor)
    return result


def _reflections(input: Value) -> tuple[Value, list[Value], list[Value]]:
    """R with rounding errors below it, and Householder's vectors [..., m, 1] and their factors
    [..., 1, 1], by the rules of LAPACK. The last row of a square matrix needs none."""
    rows, columns = _sizes(input)
    work = input
    vectors: list[Value] = []
    taus: list[Value] = []
    one = input.scalar(1)
    for k in range(min(rows - 1, columns)):
        column = _part(work, -1, k, k + 1)
        first, below = _part(column, -2, k, k + 1), _below(column, k, rows)
        squares = reduce.reduce_sum(below * below, [-2], keepdim=True)
        flat = compare.equal(squares, 0)
        length = unary.sqrt(first * first + squares)
        end = compare.where(flat, first, compare.where(first < 0, length, -length))
        tau = (end - first) / compare.where(flat, one, end)
        vector = below / compare.where(flat, one, first - end) + _unit(input, k, rows)
        work = _reflect(work, vector, tau)
        vectors.append(vector)
        taus.append(tau)
    return work, vectors, taus


def _below(column: Value, k: int, rows: int) -> Value:
    """A column [..., m, 1] with zeros from its begin to row k."""
    mask = column.model.constant(np.arange(rows)[:, None] > k)
    return compare.where(mask, column, column.scalar(0))


def _unit(like: Value, k: int, rows: int) -> Value:
    return like.model.constant(np.eye(rows, dtype=like.dtype)[:, k : k + 1])


def _columns(columns: list[Value]) -> Value:
    return shape.concat(*columns, axis=-1) if len(columns) > 1 else columns[0]


def _reflect(x: Value, vector: Value, tau: Value) -> Value:
    return x - tau * vector * linear.mat_mul(vector, x, transpose_x=True)


def _upper(x: Value) -> Value:
    mask = np.triu(np.ones(build.known_sizes(x, [x.rank - 2, x.rank - 1]), np.bool_))
    return compare.where(x.model.constant(mask), x, x.scalar(0))


def _spread(x: Value, like: Value) -> Value:
    """A matrix for each of the leading axes of `like`."""
    sizes = [*build.sizes_of(like)[:-2], *build.sizes_of(x)[-2:]]
    return shape.expand(x, build.vector(x.model, sizes))


def _sizes(a: Value) -> tuple[int, int]:
    rows, columns = build.known_sizes(a, [a.rank - 2, a.rank - 1])
    if not 0 < min(rows, columns) <= LARGEST or a.precision in COMPLEX:
        raise Unsupported(f"{a.type} written out, over {LARGEST} rows or complex")
    return rows, columns


def _of_32_bits(a: Value) -> Value:
    """What is computed in, by operators that take narrow floats."""
    return a if a.precision == Precision.FLOAT64 else a.cast(Precision.FLOAT32)


def _rows(a: Value) -> int:
    (n,) = build.known_sizes(a, [a.rank - 1])
    if not 0 < n <= LARGEST or a.precision in COMPLEX:
        raise Unsupported(f"{a.type} written out, over {LARGEST} rows or complex")
    return n


def _part(x: Value, axis: int, start: int, end: int) -> Value:
    return index.slice_(x, [axis % x.rank], [start], [end])


def _transpose_last(x: Value) -> Value:
    axes = list(range(x.rank))
    return shape.transpose(x, perm=(*axes[:-2], axes[-1], axes[-2]))
