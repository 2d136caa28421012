"""ATen operators on diagonals and triangles of matrices."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import reduce, shape
from nnir.recipes import diagonal as diagonal_recipes
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("aten.tril.default")
def tril(self: Value, diagonal: Index | int = 0) -> Value:
    return diagonal_recipes.tril(self, diagonal)


@table.convert("aten.triu.default")
def triu(self: Value, diagonal: Index | int = 0) -> Value:
    return diagonal_recipes.triu(self, diagonal)


@table.convert("aten.diagonal.default")
def diagonal(self: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    return diagonal_recipes.diagonal(self, offset, dim1, dim2)


@table.convert("aten.diagonal_scatter.default")
def diagonal_scatter(
    self: Value, src: Value, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Value:
    return diagonal_recipes.diagonal_scatter(self, src, offset, dim1, dim2)


@table.convert("aten.diag_embed.default")
def diag_embed(self: Value, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    return diagonal_recipes.diag_embed(self, offset, dim1, dim2)


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
    return diag_embed(shape.flatten(self, start_axis=0, end_axis=-1), offset)


@table.convert("aten.trace.default")
def trace(self: Value) -> Value:
    if self.rank != 2:
        raise BadType(f"trace of {self.type}, not a matrix")
    line = _diagonal(self)
    if line.is_integer:
        line = line.cast(Precision.INT64)
    return reduce.reduce_sum(line, [0], keepdim=False)
