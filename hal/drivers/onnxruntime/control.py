"""Control flow over sub-models."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.model import Model, Value
from nnir.ops import control

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, Scalar

table = Lowerings[Ref]()


@table.lower(control.if_)
def if_(
    g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model
) -> Ref | Refs:
    results = g.node(
        "If",
        g.reshape(condition, 1),
        outputs=len(then_model.outputs),
        then_branch=g.branch(then_model, inputs),
        else_branch=g.branch(else_model, inputs),
    )
    return _label_results(g, results)


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Scalar, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Ref | Refs:
    state, fixed = inputs[:carried], inputs[carried:]
    results = g.node(
        "Loop",
        None,
        condition,
        *state,
        outputs=len(body.outputs) - 1,
        body=g.loop_body(body, carried, fixed),
    )
    made = _label_results(g, results)
    if trips:
        return made
    scans = zip(made[carried:], body.outputs[1 + carried :], strict=True)
    return (*made[:carried], *(_with_rank(g, result, value) for result, value in scans))


def _label_results(g: Emitter, results: Ref | Refs) -> Refs:
    """What a node with graphs gives, each in its own precision."""
    made = results if isinstance(results, tuple) else (results,)
    pairs = zip(made, g.operation.outputs, strict=True)
    return tuple(ref.seen_as(value.precision) for ref, value in pairs)


def _with_rank(g: Emitter, result: Ref, value: Value) -> Ref:
    """A scan output with its rank: ONNX Runtime forgets the sizes when it runs no iteration. Those
    that only a run knows are 0 then."""
    if not value.rank:
        return result
    sizes = [0 if isinstance(d, Expr) else d for d in value.shape]
    if value.is_static:
        shape = g.concat(g.part(g.dims(result), 0, 1), g.ints(*sizes))
    else:
        shape = g.part(g.concat(g.dims(result), g.ints(*sizes)), 0, value.rank + 1)
    return g.node("Reshape", result, shape, allowzero=1)
