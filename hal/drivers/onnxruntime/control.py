"""Control flow over sub-models."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Model, Value
from nnir.ops import control

from ...lowering import Lowerings
from .emitter import Emitter

table = Lowerings()


@table.lower(control.if_)
def if_(g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model) -> Any:
    flag = g.node("Reshape", condition, g.constant([1], np.int64))
    precision = then_model.outputs[0].precision
    return g.node(
        "If",
        flag,
        outputs=len(then_model.outputs),
        precision=precision,
        then_branch=g.branch(then_model, inputs),
        else_branch=g.branch(else_model, inputs),
    )


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Any:
    state, fixed = inputs[:carried], inputs[carried:]
    loop = g.loop_body(body, carried, fixed)
    return g.node(
        "Loop",
        None,
        g.node("Reshape", condition, g.constant([], np.int64)) if condition.rank else condition,
        *state,
        outputs=len(body.outputs) - 1,
        precision=body.outputs[1].precision,
        body=loop,
    )
