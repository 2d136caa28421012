"""Diagonals, bands and triangles of matrices."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axes_of, ints
from ..dim import Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Index, Model, Value
from ..ops import binary, compare, generate, index, shape


def _triangle(x: Value, diagonal: Value, *, upper: bool) -> Value:
    """The elements where column - row is at least (upper) or at most (lower) `diagonal`."""
    if x.rank < 2:
        raise BadType(f"a triangle of {x.type}, not of matrices")
    rows = shape.unsqueeze(build.arange_along(x, -2), [1])
    known = ints(diagonal)
    edge = rows if known == (0,) else rows + (diagonal if known is None else known[0])
    kept = (compare.greater_equal if upper else compare.less_equal)(build.arange_along(x, -1), edge)
    return compare.where(kept, x, 0)


def tril(x: Value, diagonal: Index | int = 0) -> Value:
    """The lower triangles of matrices, zeros above."""
    return _triangle(x, _offset(x, diagonal), upper=False)


def triu(x: Value, diagonal: Index | int = 0) -> Value:
    """The upper triangles of matrices, zeros below."""
    return _triangle(x, _offset(x, diagonal), upper=True)


def _offset(x: Value, number: Value | int) -> Value:
    return number if isinstance(number, Value) else x.model.constant(np.int64(number))


def positions(rows: object, columns: object, offset: int) -> np.ndarray:
    """The places [length, 2] of a diagonal of matrices whose sizes are known."""
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise NotConstant(f"a diagonal of {rows} rows and {columns} columns")
    row, column = max(-offset, 0), max(offset, 0)
    steps = np.arange(max(min(rows - row, columns - column), 0))
    return np.stack([steps + row, steps + column], 1)


def diagonal(x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """The two axes become one, the last."""
    a, b = axes_of((dim1, dim2), x.rank)
    others = [k for k in range(x.rank) if k not in (a, b)]
    rows, columns = (build.size_of(x, k) for k in (a, b))
    is_known = isinstance(rows, int) and isinstance(columns, int)
    if is_known and not (others and (a, b) == (x.rank - 2, x.rank - 1)):
        first = shape.transpose(x, perm=(a, b, *others)) if (a, b) != (0, 1) else x
        found = index.gather_nd(first, positions(rows, columns, offset))
        return shape.transpose(found, perm=(*range(1, found.rank), 0)) if others else found
    order = (*others, a, b)
    last = shape.transpose(x, perm=order) if order != tuple(range(x.rank)) else x
    flat = build.reshape(last, [*build.sizes_of(last)[:-2], build.times(rows, columns)])
    return index.gather(flat, _flat_positions(x.model, rows, columns, offset), axis=-1)


def _flat_positions(model: Model, rows: build.Size, columns: build.Size, offset: int) -> Value:
    """The places of a diagonal among the elements of a matrix: each one row and one column on."""
    row, column = max(-offset, 0), max(offset, 0)
    if isinstance(rows, int) and isinstance(columns, int):
        where = positions(rows, columns, offset)
        return model.constant(where[:, 0] * columns + where[:, 1])
    steps = _steps(model, rows, columns, offset)
    first = build.vector(model, [build.plus(build.times(columns, row), column)])
    step = build.vector(model, [build.plus(columns, 1)])
    return steps * step + first


def _steps(model: Model, rows: build.Size, columns: build.Size, offset: int) -> Value:
    """0, 1, ... as many as the diagonal is long."""
    down, across = build.minus(rows, max(-offset, 0)), build.minus(columns, max(offset, 0))
    lengths = [build.vector(model, [n]) for n in (down, across)]
    return generate.range_([0], binary.max_(binary.min_(*lengths), [0]), [1])


def _places(x: Value, a: int, b: int, offset: int) -> Value:
    """The places [length, 2] of a diagonal in two axes."""
    rows, columns = (build.size_of(x, k) for k in (a, b))
    if isinstance(rows, int) and isinstance(columns, int):
        return x.model.constant(positions(rows, columns, offset))
    steps = _steps(x.model, rows, columns, offset)
    return shape.stack(*(steps + max(k, 0) for k in (-offset, offset)), axis=1)


def diagonal_scatter(x: Value, src: Value, offset: int, dim1: int, dim2: int) -> Value:
    """A copy of `x` whose diagonal is `src`."""
    a, b = axes_of((dim1, dim2), x.rank)
    where = _places(x, a, b, offset)
    perm = (a, b, *(k for k in range(x.rank) if k not in (a, b)))
    front = shape.transpose(x, perm=perm) if perm != tuple(range(x.rank)) else x
    lines = shape.transpose(src, perm=(src.rank - 1, *range(src.rank - 1)))
    placed = index.scatter_nd(front, where, lines if src.rank > 1 else src)
    if front is x:
        return placed
    return shape.transpose(placed, perm=tuple(int(k) for k in np.argsort(perm)))


def diag_embed(x: Value, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    """Matrices whose diagonal is the last axis of `x`, zeros elsewhere."""
    rank = x.rank + 1
    a, b = axes_of((dim1, dim2), rank)
    away = abs(offset)
    line = x
    if away:
        line = shape.pad(x, [0, 0] * (x.rank - 1) + [0, away])
    spread = shape.unsqueeze(line, [x.rank if offset >= 0 else x.rank - 1])
    steps = build.arange_along(line, -1)
    edge = shape.unsqueeze(steps, [1])
    if offset:
        edge = edge + offset
    matrix = compare.where(compare.equal(steps, edge), spread, 0)
    others = iter(range(rank - 2))
    perm = tuple({a: rank - 2, b: rank - 1}.get(k, -1) for k in range(rank))
    order = tuple(next(others) if k < 0 else k for k in perm)
    return matrix if order == tuple(range(rank)) else shape.transpose(matrix, perm=order)


ALIGNED = {"LEFT_LEFT": (0, 0), "LEFT_RIGHT": (0, 1), "RIGHT_LEFT": (1, 0), "RIGHT_RIGHT": (1, 1)}
"""Whether diagonals above and below the main one end at the right."""


def diagonal_matrix(diagonal: Value) -> Value:
    """Matrices with a diagonal, and zeros elsewhere."""
    steps = build.arange_along(diagonal, -1)
    is_on = compare.equal(shape.unsqueeze(steps, [1]), steps)
    wide = shape.unsqueeze(diagonal, [diagonal.rank])
    return compare.where(is_on, wide, 0)


def band_bounds(k: tuple[int, ...]) -> tuple[int, int]:
    """The first and the last diagonal that `k` names."""
    first, last = k[0], k[-1]
    if len(k) > 2 or first > last:
        raise BadType(f"diagonals k={list(k)}")
    return first, last


def band_positions(rows: int, columns: int, k: tuple[int, ...], align: str) -> np.ndarray:
    """For each diagonal, from the last to the first, which element of the matrix each is, or -1."""
    if align not in ALIGNED:
        raise Unsupported(f"diagonals with align={align!r}")
    first, last = band_bounds(k)
    above, below = ALIGNED[align]
    longest = max(min(rows + min(last, 0), columns - max(first, 0)), 0)
    build.arange((last - first + 1) * longest)  # too many are refused
    found = np.full((last - first + 1, longest), -1)
    for place, offset in enumerate(range(last, first - 1, -1)):
        count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
        right = (offset < 0 or above) and (offset > 0 or below)
        start = longest - count if right else 0
        steps = np.arange(count)
        row, column = steps + max(-offset, 0), steps + max(offset, 0)
        found[place, start : start + count] = row * columns + column
    return found


def band_elements(diagonal: Value, k: tuple[int, ...]) -> Value:
    """The elements of all diagonals along one axis."""
    if len(k) < 2 or k[0] == k[1]:
        return diagonal
    head, count = build.sizes_of(diagonal)[:-2], build.known_sizes(diagonal, (-2, -1))
    return build.reshape(diagonal, [*head, count[0] * count[1]])


def constant_mask(x: Value, mask: np.ndarray) -> Value:
    """A mask as a constant in the model of `x`."""
    return x.model.constant(mask)


def band_indices(
    rows: int, columns: int, k: tuple[int, ...], align: str
) -> tuple[np.ndarray, np.ndarray]:
    """For each element of a matrix which element of the diagonals it is, and where it is one."""
    where = band_positions(rows, columns, k, align).reshape(-1)
    build.arange(rows * columns)  # too many are refused
    spots, mask = np.zeros(rows * columns, np.int64), np.zeros(rows * columns, np.bool_)
    spots[where[where >= 0]] = np.flatnonzero(where >= 0)
    mask[where[where >= 0]] = True
    return spots.reshape(rows, columns), mask.reshape(rows, columns)


def has_open_sizes(x: Value) -> bool:
    """Whether the sizes of matrices are only known while running."""
    return any(isinstance(d, Expr) for d in x.shape[-2:])


def set_diagonals(x: Value, diagonal: Value, k: tuple[int, ...], align: str) -> Value:
    """Matrices with other diagonals."""
    if band_bounds(k) == (0, 0) and x.shape[-1] == x.shape[-2] and has_open_sizes(x):
        steps = build.arange_along(x, -1)
        is_on = compare.equal(shape.unsqueeze(steps, [1]), steps)
        return compare.where(is_on, shape.unsqueeze(diagonal, [diagonal.rank]), x)
    rows, columns = build.known_sizes(x, (-2, -1))
    spots, mask = band_indices(rows, columns, k, align)
    found = index.gather(band_elements(diagonal, k), spots, axis=-1)
    return compare.where(constant_mask(found, mask), found, x)
