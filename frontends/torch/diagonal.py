"""ATen operators on diagonals and triangles of matrices."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, ints
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Model, Value
from nnir.ops import binary, compare, generate, index, reduce, shape
from nnir.types import Precision

from ..table import Table

table = Table()


def _triangle(self: Value, diagonal: Value, *, upper: bool) -> Value:
    """The elements where column - row is at least (upper) or at most (lower) `diagonal`."""
    if self.rank < 2:
        raise BadType(f"a triangle of {self.type}, not of matrices")
    rows = shape.unsqueeze(build.arange_along(self, -2), [1])
    known = ints(diagonal)
    edge = rows if known == (0,) else rows + (diagonal if known is None else known[0])
    kept = (compare.greater_equal if upper else compare.less_equal)(
        build.arange_along(self, -1), edge
    )
    return compare.where(kept, self, 0)


@table.convert("aten.tril.default")
def tril(self: Value, diagonal: Index | int = 0) -> Value:
    return _triangle(self, _number(self, diagonal), upper=False)


@table.convert("aten.triu.default")
def triu(self: Value, diagonal: Index | int = 0) -> Value:
    return _triangle(self, _number(self, diagonal), upper=True)


def _number(x: Value, number: Value | int) -> Value:
    return number if isinstance(number, Value) else x.model.constant(np.int64(number))


def positions(rows: object, columns: object, offset: int) -> np.ndarray:
    """The places [length, 2] of a diagonal of matrices whose sizes are known."""
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise NotConstant(f"a diagonal of {rows} rows and {columns} columns")
    row, column = max(-offset, 0), max(offset, 0)
    steps = np.arange(max(min(rows - row, columns - column), 0))
    return np.stack([steps + row, steps + column], 1)


@table.convert("aten.diagonal.default")
def diagonal(self: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """The two axes become one, the last."""
    a, b = axes_of((dim1, dim2), self.rank)
    others = [k for k in range(self.rank) if k not in (a, b)]
    rows, columns = (build.size_of(self, k) for k in (a, b))
    is_known = isinstance(rows, int) and isinstance(columns, int)
    if is_known and not (others and (a, b) == (self.rank - 2, self.rank - 1)):
        first = shape.transpose(self, perm=(a, b, *others)) if (a, b) != (0, 1) else self
        found = index.gather_nd(first, positions(rows, columns, offset))
        return shape.transpose(found, perm=(*range(1, found.rank), 0)) if others else found
    order = (*others, a, b)
    last = shape.transpose(self, perm=order) if order != tuple(range(self.rank)) else self
    flat = build.reshape(last, [*build.sizes_of(last)[:-2], build.times(rows, columns)])
    return index.gather(flat, _flat_positions(self.model, rows, columns, offset), axis=-1)


def _flat_positions(model: Model, rows: build.Size, columns: build.Size, offset: int) -> Value:
    """The places of a diagonal among the elements of a matrix: each one row and one column on."""
    row, column = max(-offset, 0), max(offset, 0)
    if isinstance(rows, int) and isinstance(columns, int):
        where = positions(rows, columns, offset)
        return model.constant(where[:, 0] * columns + where[:, 1])
    steps = _steps(model, rows, columns, offset)
    first = build.vector(model, [build.plus(build.times(columns, row), column)])
    step = build.vector(model, [build.plus(columns, 1)])
    result: Value = steps * step + first
    return result


def _steps(model: Model, rows: build.Size, columns: build.Size, offset: int) -> Value:
    """0, 1, ... as many as the diagonal is long."""
    down, across = build.minus(rows, max(-offset, 0)), build.minus(columns, max(offset, 0))
    lengths = [build.vector(model, [n]) for n in (down, across)]
    steps: Value = generate.range_([0], binary.max_(binary.min_(*lengths), [0]), [1])
    return steps


def _places(x: Value, a: int, b: int, offset: int) -> Value:
    """The places [length, 2] of a diagonal in two axes."""
    rows, columns = (build.size_of(x, k) for k in (a, b))
    if isinstance(rows, int) and isinstance(columns, int):
        return x.model.constant(positions(rows, columns, offset))
    steps = _steps(x.model, rows, columns, offset)
    pair: Value = shape.stack(*(steps + max(k, 0) for k in (-offset, offset)), axis=1)
    return pair


@table.convert("aten.diagonal_scatter.default")
def diagonal_scatter(
    self: Value, src: Value, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Value:
    a, b = axes_of((dim1, dim2), self.rank)
    where = _places(self, a, b, offset)
    perm = (a, b, *(k for k in range(self.rank) if k not in (a, b)))
    front = shape.transpose(self, perm=perm) if perm != tuple(range(self.rank)) else self
    lines = shape.transpose(src, perm=(src.rank - 1, *range(src.rank - 1)))
    placed = index.scatter_nd(front, where, lines if src.rank > 1 else src)
    if front is self:
        return placed
    return shape.transpose(placed, perm=tuple(int(k) for k in np.argsort(perm)))


@table.convert("aten.diag_embed.default")
def diag_embed(self: Value, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    """Vectors on a diagonal of zeros: each row (or column) has one place for its element."""
    rank = self.rank + 1
    a, b = axes_of((dim1, dim2), rank)
    away = abs(offset)
    line = self
    if away:
        line = shape.pad(self, [0, 0] * (self.rank - 1) + [0, away])
    spread = shape.unsqueeze(line, [self.rank if offset >= 0 else self.rank - 1])
    steps = build.arange_along(line, -1)
    edge = shape.unsqueeze(steps, [1])
    if offset:
        edge = edge + offset
    matrix = compare.where(compare.equal(steps, edge), spread, 0)
    others = iter(range(rank - 2))
    perm = tuple({a: rank - 2, b: rank - 1}.get(k, -1) for k in range(rank))
    order = tuple(next(others) if k < 0 else k for k in perm)
    return matrix if order == tuple(range(rank)) else shape.transpose(matrix, perm=order)


@table.convert("aten.diag.default")
def diag(self: Value, diagonal: int = 0) -> Value:
    match self.rank:
        case 1:
            return diag_embed(self, diagonal)
        case 2:
            return _diagonal(self, diagonal)
    raise BadType(f"diag of {self.type}, not a vector or a matrix")


_diagonal = diagonal


@table.convert("aten.diagflat.default")
def diagflat(self: Value, offset: int = 0) -> Value:
    flat = self if self.rank == 1 else shape.flatten(self, start_axis=0, end_axis=-1)
    return diag_embed(flat, offset)


@table.convert("aten.trace.default")
def trace(self: Value) -> Value:
    if self.rank != 2:
        raise BadType(f"trace of {self.type}, not a matrix")
    line = _diagonal(self)
    if line.is_integer:
        line = line.cast(Precision.INT64)
    return reduce.reduce_sum(line, [0], keepdim=False)
