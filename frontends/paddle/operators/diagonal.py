"""Paddle's operators on diagonals and triangles of matrices."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axes_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, shape
from nnir.recipes import diagonal as diagonal_recipes
from nnir.recipes.diagonal import diagonal_scatter

from ...table import Table

table = Table()
table.named(
    {
        "diag_embed": (diagonal_recipes.diag_embed, "input offset dim1 dim2"),
        "diagonal": (diagonal_recipes.diagonal, "x offset axis1 axis2"),
    }
)


@table.convert("tril", "tril_")
def tril(x: Value, diagonal: int) -> Value:
    return diagonal_recipes.tril(x, diagonal)


@table.convert("triu", "triu_")
def triu(x: Value, diagonal: int) -> Value:
    return diagonal_recipes.triu(x, diagonal)


@table.convert("diag")
def diag(x: Value, offset: int, padding_value: float) -> Value:
    """A vector becomes a matrix with `padding_value` around its diagonal."""
    match x.rank:
        case 2:
            return diagonal_recipes.diagonal(x, offset)
        case 0 | 1:
            line = x if x.rank else shape.reshape(x, [1])
            matrix = diagonal_recipes.diag_embed(line, offset)
            if not padding_value:
                return matrix
            around = x.model.constant(padding_value, x.dtype)
            return compare.where(on_diagonal(matrix, offset, 0, 1), matrix, around)
    raise BadType(f"diag of {x.type}, not a vector or a matrix")


def on_diagonal(x: Value, offset: int, a: int, b: int) -> Value:
    """Where column - row is `offset`, over the axes from `a` on."""
    rows = shape.unsqueeze(build.arange_along(x, a), [1])
    edge = rows + offset if offset else rows
    return compare.equal(build.arange_along(x, b), edge)


@table.convert("fill_diagonal", "fill_diagonal_")
def fill_diagonal(x: Value, value: float, offset: int, wrap: bool) -> Value:
    """Of more than two axes, which are equal, the elements with one index for all."""
    number = x.model.constant(np.array(value, x.dtype))
    if x.rank > 2:
        if offset or not wrap or len(set(x.shape)) != 1:
            raise Unsupported(f"fill_diagonal of {x.type} with {offset=} and {wrap=}")
        steps = [
            shape.unsqueeze(build.arange_along(x, k), [1] * (x.rank - 1 - k)) for k in range(x.rank)
        ]
        found = compare.equal(steps[0], steps[1])
        for step in steps[2:]:
            found = found & compare.equal(steps[0], step)
        return compare.where(found, number, x)
    if x.rank < 2:
        raise BadType(f"fill_diagonal of {x.type}")
    rows, columns = x.shape
    if isinstance(rows, int) and isinstance(columns, int):
        last = min(rows - 1, columns - 1 - offset)
        if last * (columns + 1) >= rows * columns > 0:
            raise Unsupported(f"fill_diagonal of {x.type} with {offset=}, where Paddle leaves some")
    if wrap and not (isinstance(rows, int) and isinstance(columns, int) and rows <= columns + 1):
        raise Unsupported(f"fill_diagonal of {x.type} with wrap=True, where it begins again")
    return compare.where(on_diagonal(x, offset, 0, 1), number, x)


@table.convert("fill_diagonal_tensor", "fill_diagonal_tensor_")
def fill_diagonal_tensor(x: Value, y: Value, offset: int, dim1: int, dim2: int) -> Value:
    axes_of((dim1, dim2), x.rank)
    return diagonal_scatter(x, y, offset, dim1, dim2)
