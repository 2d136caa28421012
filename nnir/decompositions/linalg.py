"""Decompositions of small matrices whose order of rows is known, written out row by row."""

from __future__ import annotations

from .. import build
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import index, linalg, linear, shape, unary
from ..ops.unary import COMPLEX
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


def _rows(a: Value) -> int:
    (n,) = build.known_sizes(a, [a.rank - 1])
    if not 0 < n <= LARGEST or a.precision in COMPLEX:
        raise Unsupported(f"{a.type} written out, over {LARGEST} rows or complex")
    return n


def _part(x: Value, axis: int, start: int, end: int) -> Value:
    return index.slice_(x, [axis % x.rank], [start], [end], [1])


def _transpose_last(x: Value) -> Value:
    axes = list(range(x.rank))
    return shape.transpose(x, perm=(*axes[:-2], axes[-1], axes[-2]))
