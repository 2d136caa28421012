"""Elements by their positions."""

from __future__ import annotations

import math

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Taken, result_shape
from .graph import INT
from .shape import moves

table = Lowerings[Ref]()
table.lower(
    *(index.slice_, index.roll, index.gather_nd, index.gather_elements),
    *(index.channel_shuffle, index.reverse_sequence),
    implied=[
        *("axes", "starts", "ends", "steps", "shifts", "indices", "batch_dims", "axis", "group"),
        *("lengths", "batch_axis", "time_axis"),
    ],
)(moves)


@table.lower(index.gather)
def gather(g: Emitter, input: Taken, indices: Value, *, axis: int) -> Ref:
    """Rows of a table; positions that are only known while running are not below 0 there."""
    if indices.constant is not None:
        return moves(g, input)[0]
    where, rows = g.take(indices), g.plain(input)
    if where.tensor.type != INT or where.rank != 1 or axis % input.rank or input.rank == 1:
        raise NoLowering(
            f"nnapi gathers rows of tables by a vector of INT32, not axis {axis} by {indices.type}"
        )
    rows = rows.stored((rows.shape[0], math.prod(rows.shape[1:])))
    made = g.one("EMBEDDING_LOOKUP", [where, rows], (*where.shape, rows.shape[1]), like=rows)
    return made.stored(result_shape(g))
