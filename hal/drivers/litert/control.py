"""Control flow over sub-models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Dim
from nnir.model import Model, Value
from nnir.ops import control
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Plain, Ref, Refs, Single
from .kernels import carrier
from .static import numbers
from .writer import Graph, Tensor

table = Lowerings[Ref]()


def _enter(g: Emitter, model: Model, name: str) -> Emitter:
    """A sub-model as a graph of its own, whose inputs are as the values are carried."""
    inner = Emitter(g.lowerings, g)
    refs = [_accept(inner, v.precision, v.shape, v.name or "") for v in model.inputs]
    inner.run(model, refs, name)
    return inner


def _accept(inner: Emitter, precision: Precision, shape: tuple[Dim, ...], name: str = "") -> Ref:
    """One more input of a graph."""
    inner.graph.inputs.append(Tensor(carrier(precision), shape, None, name))
    return Ref(inner.graph.inputs[-1], identity(len(shape)), precision, inner)


def _give(inner: Emitter, *results: Value | Ref) -> None:
    for result in results:
        inner.graph.outputs.append(inner.own(inner.plain(result)))


def _branch(g: Emitter, model: Model, name: str) -> Graph:
    inner = _enter(g, model, name)
    _give(inner, *model.outputs)
    return inner.graph


@table.lower(control.if_)
def if_(
    g: Emitter, condition: Single, *inputs: Plain, then_model: Model, else_model: Model
) -> Refs:
    return g.several(
        "IF",
        [condition, *inputs],
        [(v.precision, v.shape) for v in g.operation.outputs],
        then_subgraph_index=_branch(g, then_model, "then"),
        else_subgraph_index=_branch(g, else_model, "else"),
    )


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Single, *inputs: Plain, body: Model, carried: int, trips: int | None
) -> Refs:
    """The condition is part of the state; what stays the same goes round with it.

    So do the results of all iterations, where their number is known, and a count.
    """
    results, scans = body.outputs[1 : 1 + carried], body.outputs[1 + carried :]
    g.need(trips or not scans, "stacks the results of a known number of iterations only")
    stacks = [np.zeros((trips or 0, *numbers(v.shape)), v.dtype) for v in scans]
    extra = [g.constant(data) for data in (np.zeros((), np.int32), *stacks) if scans]
    operands = [condition, *inputs, *extra]
    types = [(r.precision, r.tensor.shape) for r in operands]
    inner, check = _enter(g, body, "body"), Emitter(g.lowerings, g)
    inner.graph.inputs.insert(0, Tensor(Precision.BOOL8, ()))
    _give(inner, inner.reshape(body.outputs[0], ()), *results, *body.inputs[carried:])
    if scans:
        _count(inner, scans, *(_accept(inner, *t) for t in types[1 + len(inputs) :]))
    check.graph.name = "condition"
    _give(check, *[_accept(check, *t) for t in types][:1])
    made = g.several(
        "WHILE",
        operands,
        types,
        cond_subgraph_index=check.graph,
        body_subgraph_index=inner.graph,
    )
    return *made[1 : 1 + carried], *made[2 + len(inputs) :]


def _count(inner: Emitter, scans: Sequence[Value], turn: Ref, *stacks: Ref) -> None:
    """Put the results of an iteration in their places, and count it."""
    _give(inner, turn + 1)
    for value, stack in zip(scans, stacks, strict=True):
        row = inner.reshape(value, (1, *value.shape))
        start = inner.reshape(turn, (1,)) * inner.ints(1, *[0] * value.rank)
        _give(inner, inner.move("DYNAMIC_UPDATE_SLICE", [stack, row], start, shape=stack.shape))
