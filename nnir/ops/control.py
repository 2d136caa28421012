"""Control flow over sub-models. A sub-model takes everything as inputs, nothing is captured."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dim import Dim, Expr
from ..errors import Unsupported
from ..evaluate import Plan
from ..model import Model, Value
from ..operator import operator, require
from ..types import Precision, TensorType


def _if(
    condition: np.ndarray, *inputs: np.ndarray, then_model: Model, else_model: Model
) -> tuple[np.ndarray, ...]:
    chosen = then_model if condition.reshape(-1)[0] else else_model
    return tuple(Plan(chosen).run(inputs))


@operator(code=1850, reference=_if)
def if_(
    condition: Value, *inputs: Value, then_model: Model, else_model: Model
) -> tuple[TensorType, ...]:
    """Run one of two models on the same inputs.

    Types: `condition` is one bool; both models take `inputs` and give outputs of equal precision
    and rank.
    Shapes: a size in which the two models differ becomes a new symbol.
    Edges: the other model is not run.
    """
    require(condition.precision == Precision.BOOL8, f"if needs a bool condition: {condition.type}")
    for model in (then_model, else_model):
        _require_inputs("if", model, inputs)
    left, right = then_model.outputs, else_model.outputs
    require(len(left) == len(right), f"if with {len(left)} and {len(right)} outputs")
    return tuple(
        join_types(condition.model, a.type, b.type, "the branches of an if")
        for a, b in zip(left, right, strict=True)
    )


def _while(
    condition: np.ndarray, *inputs: np.ndarray, body: Model, carried: int, trips: int | None
) -> tuple[np.ndarray, ...]:
    plan = Plan(body)
    state, fixed = list(inputs[:carried]), inputs[carried:]
    scans: list[list[np.ndarray]] = [[] for _ in body.outputs[1 + carried :]]
    go = bool(condition.reshape(-1)[0])
    while go:
        flag, *results = plan.run([*state, *fixed])
        go, state = bool(flag.reshape(-1)[0]), results[:carried]
        for column, array in zip(scans, results[carried:], strict=True):
            column.append(array)
    empty = (_nothing(v) for v in body.outputs[1 + carried :])
    stacked = [np.stack(c) if c else e for c, e in zip(scans, empty, strict=True)]
    return (*state, *stacked)


def _nothing(value: Value) -> np.ndarray:
    """No iterations: a size that is not known is 0."""
    sizes = [0 if isinstance(d, Expr) else d for d in value.shape]
    return np.empty((0, *sizes), value.dtype)


@operator(code=1851, reference=_while)
def while_(
    condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None = None
) -> tuple[TensorType, ...]:
    """Repeat a model while a condition holds.

    The first `carried` inputs are the state, the others are the same in each iteration. `body`
    takes all of them and gives the next condition, the next state and then the scan outputs.
    The operation gives the last state and, for each scan output, all of them stacked on a new
    first axis. `trips` is the number of iterations where it is known.

    Types: the state keeps its precision and rank.
    Shapes: the sizes of the state must not change; the first size of a scan output is `trips`.
    Edges: with no iteration the state is returned as it is.
    """
    require(condition.precision == Precision.BOOL8, f"while needs a bool: {condition.type}")
    _require_inputs("while", body, inputs)
    require(len(body.outputs) > carried, f"while with {len(body.outputs)} body outputs")
    flag, *results = body.outputs
    require(flag.precision == Precision.BOOL8, f"while needs a bool condition: {flag.type}")
    model = condition.model
    state = [
        join_types(model, a.type, b.type, "the state of a while")
        for a, b in zip(inputs[:carried], results[:carried], strict=True)
    ]
    count: Dim = model.fresh() if trips is None else trips
    return (*state, *(v.type.with_shape((count, *v.shape)) for v in results[carried:]))


def join_types(model: Model, a: TensorType, b: TensorType, what: str) -> TensorType:
    """A type that both fit; sizes that differ become new symbols."""
    require(a.precision == b.precision, f"{what} have types {a} and {b}")
    if a.rank != b.rank:
        raise Unsupported(
            f"{what} have types {a} and {b}: a rank that is only known while running; sizes or "
            "values of inputs that choose one are given by --shape NAME=... and --value NAME=..."
        )
    dims = (m if m == n else model.fresh() for m, n in zip(a.shape, b.shape, strict=True))
    return a.with_shape(tuple(dims))


def _require_inputs(name: str, model: Model, inputs: tuple[Any, ...]) -> None:
    mine = [v.precision for v in model.inputs]
    given = [v.precision for v in inputs]
    require(mine == given, f"{name}: a sub-model takes {mine}, not {given}")
