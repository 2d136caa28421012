"""Elements by their positions."""

from __future__ import annotations

import math

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import index

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape
from .graph import INT
from .shape import moves

table = Lowerings[Ref]()


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    """Rows of a table; positions that are only known while running are not below 0 there."""
    if indices.constant is not None:
        return moves(g, input, indices.constant)[0]
    is_vector = g.take(indices).tensor.type == INT and indices.rank == 1 < input.rank
    if not is_vector or axis_of(axis, input.rank):
        raise NoLowering(
            f"nnapi gathers rows of tables by a vector of INT32, not {input.type} by {indices.type}"
        )
    source = g.plain(indices)
    rows = g.plain(input)
    table = g.dims(rows, (rows.shape[0], math.prod(rows.shape[1:])))
    lookups = g.dims(source, source.shape)
    sizes = source.shape[0], table.dims[1]
    made = g.one(OperationType.EMBEDDING_LOOKUP, [lookups, table], sizes, like=rows)
    return made.stored(result_shape(g))
