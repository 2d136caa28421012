"""Elements by their positions."""

from __future__ import annotations

import math

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Ref, result_shape
from .graph import INT
from .shape import moves

table = Lowerings[Ref]()


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    """Rows of a table; positions that are only known while running are not below 0 there."""
    if indices.constant is not None:
        return moves(g, input, indices.constant)[0]
    if g.take(indices).tensor.type != INT or input.rank < 2 or axis_of(axis, input.rank):
        raise NoLowering(
            f"nnapi gathers rows of tables by INT32, not {input.type} by {indices.type}"
        )
    rows, source = g.plain(input), g.plain(indices)
    if indices.rank != 1:
        raise NoLowering(f"nnapi gathers by a vector, not by {indices.type}")
    wide = math.prod(rows.shape[1:])
    values = g.dims(rows, (rows.shape[0], wide))
    lookups = g.dims(source, source.shape)
    dims = (source.shape[0], wide)
    grid = values.grid
    made = g.step(OperationType.EMBEDDING_LOOKUP, [lookups, values], dims, values.type, grid)
    shape = result_shape(g)
    return Ref(made, shape, identity(len(shape)), Precision(input.precision))
