"""Control flow over sub-models, which capture nothing."""

from __future__ import annotations

from typing import Any

from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import control

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs
from .generate import scalar

table = Lowerings[Ref]()


@table.lower(control.if_)
def if_(g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model) -> Refs:
    node = g.runtime.op.if_op(scalar(g, condition).output)
    sides = []
    for model, put in ((then_model, node.set_then_body), (else_model, node.set_else_body)):
        inner = g.inner(model)
        parameters = [_parameter(inner, g, v) for v in inputs]
        graph, results = inner.body(model, parameters)
        put(graph)
        sides.append((parameters, results))
    then, other = sides
    for value, *pair in zip(inputs, then[0], other[0], strict=True):
        node.set_input(g.take(value).output, *pair)
    made = [node.set_output(*pair) for pair in zip(then[1], other[1], strict=True)]
    node.set_friendly_name(g.name("If"))
    return tuple(Ref(o, g) for o in made)


def _parameter(inner: Emitter, g: Emitter, value: Value, *, loose: bool = False) -> Any:
    """An input of a body, of the type and shape of what is given to it."""
    ref = g.take(value)
    shape = ref.output.get_partial_shape()
    if loose:
        shape = g.runtime.PartialShape([g.runtime.Dimension()] * ref.rank)
    made = g.runtime.op.Parameter(ref.output.get_element_type(), shape)
    made.set_friendly_name(inner.name(value.name or "input"))
    return made


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Refs:
    """Scan outputs are stacked along a first axis of each iteration's result."""
    if not trips and any(not v.is_static for v in body.outputs[1 + carried :]):
        raise NoLowering("openvino: a loop that may make no iteration of unknown sizes")
    node = g.runtime.op.loop(g.scalar(-1).output, scalar(g, condition).output)
    inner, parameters = g.inner(body), []
    for k, value in enumerate(inputs):
        loose = k < carried and body.inputs[k].shape != body.outputs[1 + k].shape
        parameters.append(_parameter(inner, g, value, loose=loose))
    results = _body(inner, body, parameters, node, carried)
    ends = [r.output(0) for r in results]
    for k, (value, parameter) in enumerate(zip(inputs, parameters, strict=True)):
        source = g.take(value).output
        if k < carried:
            node.set_merged_input(parameter, source, ends[1 + k])
        else:
            node.set_invariant_input(parameter, source)
    made = [node.get_iter_value(end, -1) for end in ends[1 : 1 + carried]]
    made += [node.get_concatenated_slices(end, 0, 1, 1, -1, 0) for end in ends[1 + carried :]]
    node.set_friendly_name(g.name("Loop"))
    return tuple(Ref(o, g) for o in made)


def _body(inner: Emitter, body: Model, parameters: list[Any], node: Any, carried: int) -> list[Any]:
    """Emit the body; its condition has rank 0, and scan outputs a first axis more."""
    for value, parameter in zip(body.inputs, parameters, strict=True):
        inner.names[value] = Ref(parameter.output(0), inner)
    for operation in body.sorted():
        inner.lower(operation)
    results = []
    for k, value in enumerate(body.outputs):
        ref = inner.take(value) if k else scalar(inner, value)
        if k > carried:
            ref = inner.unsqueeze(ref, 0)
        results.append(inner.runtime.op.Result(ref.output))
        results[-1].set_friendly_name(inner.name("Result"))
    node.set_function(inner.runtime.Model(results, parameters, body.name))
    node.set_special_body_ports([-1, 0])
    return results
