"""Control flow over sub-models."""

from __future__ import annotations

from nnir.model import Model, Value
from nnir.ops import control

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import Emitter, Result, Results
from .flow import Branches, Loop

table = Lowerings[Result]()


@table.lower(control.if_)
def if_(
    g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model
) -> Results:
    parts = Branches(g.branch(then_model), g.branch(else_model))
    results = g.part(parts, g.raw(condition), *(g.raw(v) for v in inputs))
    return tuple(results[k] for k in range(len(then_model.outputs)))


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Results:
    scans = [
        ([d if isinstance(d, int) else 0 for d in v.shape], dtype_of(v.precision))
        for v in body.outputs[1 + carried :]
    ]
    loop = Loop(g.branch(body), carried, trips, scans)
    results = g.part(loop, g.raw(condition), *(g.raw(v) for v in inputs))
    return tuple(results[k] for k in range(len(body.outputs) - 1))
