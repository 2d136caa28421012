"""Control flow over sub-models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import control
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Ref, Refs
from .kernels import carrier
from .static import numbers
from .writer import Graph, Tensor

table = Lowerings[Ref]()


def _sub_graph(g: Emitter, model: Model, name: str) -> tuple[Emitter, Graph]:
    """A sub-model as a graph of its own, whose inputs are as the values are carried."""
    inner = Emitter(g.lowerings, g)
    refs = []
    for value in model.inputs:
        tensor = Tensor(carrier(value.precision), value.shape, None, value.name or "")
        inner.graph.inputs.append(tensor)
        refs.append(Ref(tensor, identity(value.rank), value.precision, inner))
    return inner, inner.run(model, refs, name)


def _finish(inner: Emitter, values: list[Value]) -> None:
    for value in values:
        ref = inner.plain(value)
        inner.graph.outputs.append(inner.own(ref))


@table.lower(control.if_)
def if_(g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model) -> Refs:
    operands = [g.reshape(condition, ()), *map(g.plain, inputs)]
    graphs = {}
    for name, model in (("then", then_model), ("else", else_model)):
        inner, graphs[f"{name}_subgraph_index"] = _sub_graph(g, model, name)
        _finish(inner, model.outputs)
    types = [(carrier(v.precision), v.shape) for v in g.operation.outputs]
    return _results(g, g.emit("IF", operands, types, **graphs))


def _results(g: Emitter, tensors: Sequence[Tensor]) -> Refs:
    pairs = zip(tensors, g.operation.outputs, strict=True)
    return tuple(Ref(t, identity(v.rank), v.precision, g) for t, v in pairs)


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Refs:
    """The condition is part of the state; what stays the same goes round with it.

    So do the results of all iterations, where their number is known, and a count.
    """
    scans = body.outputs[1 + carried :]
    if scans and not trips:
        raise NoLowering("litert stacks the results of a known number of iterations only")
    stacks = [Tensor(carrier(v.precision), (trips or 0, *numbers(v.shape))) for v in scans]
    extra = [_zeros(g, Precision.INT32, ()), *(_zeros(g, s.precision, s.shape) for s in stacks)]
    operands = [g.reshape(condition, ()), *map(g.plain, inputs), *(extra if scans else ())]
    types = [(r.tensor.precision, r.tensor.shape) for r in operands]
    inner, graph = _sub_graph(g, body, "body")
    fixed = list(graph.inputs[carried:])
    graph.inputs.insert(0, Tensor(Precision.BOOL8, ()))
    graph.outputs.append(inner.own(inner.reshape(body.outputs[0], ())))
    _finish(inner, body.outputs[1 : 1 + carried])
    graph.outputs += [inner.own(Ref(t, identity(len(t.shape)), t.precision, inner)) for t in fixed]
    if scans:
        _count(inner, scans, stacks)
    graphs = {"cond_subgraph_index": _condition(g, types), "body_subgraph_index": graph}
    made = g.emit("WHILE", operands, types, **graphs)
    return _results(g, [*made[1 : 1 + carried], *made[2 + len(inputs) :]])


def _condition(g: Emitter, types: list[Any]) -> Graph:
    """The graph that says whether to go on: the first of the state."""
    check = Emitter(g.lowerings, g)
    check.graph = Graph("condition", [Tensor(p, s) for p, s in types])
    check.graph.outputs = [check.own(Ref(check.graph.inputs[0], (), Precision.BOOL8, check))]
    return check.graph


def _zeros(g: Emitter, precision: Precision, shape: tuple[Any, ...]) -> Ref:
    return g.constant(np.zeros(numbers(shape), precision.dtype))


def _count(inner: Emitter, scans: list[Value], stacks: list[Tensor]) -> None:
    """Put the results of an iteration in their places, and count it."""
    turn = Tensor(Precision.INT32, ())
    inner.graph.inputs += [turn, *stacks]
    place = Ref(turn, (), Precision.INT32, inner)
    after = place + 1
    inner.graph.outputs.append(inner.own(after))
    for value, stack in zip(scans, stacks, strict=True):
        row = inner.reshape(inner.plain(value), (1, *value.shape))
        hit = np.zeros(len(stack.shape), np.int32)
        hit[0] = 1
        start = inner.reshape(place, (1,)) * inner.constant(hit)
        whole = Ref(stack, identity(len(stack.shape)), row.precision, inner)
        made = inner.move("DYNAMIC_UPDATE_SLICE", [whole, row], stack.shape, whole.order, start)
        inner.graph.outputs.append(made.tensor)
