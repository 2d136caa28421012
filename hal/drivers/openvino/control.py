"""Control flow over sub-models, which capture nothing."""

from __future__ import annotations

from typing import Any

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import control

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()


@table.lower(control.if_)
def if_(g: Emitter, condition: Value, *inputs: Value, then_model: Model, else_model: Model) -> Refs:
    flag = g.reshape(condition, []) if condition.rank else g.ref(condition)
    if flag is None:
        raise NoLowering("openvino: an if without a condition")
    node = g.runtime.op.if_op(flag.output)
    sides = []
    for model in (then_model, else_model):
        inner = g.inner(model)
        parameters = [_parameter(inner, g, v) for v in inputs]
        graph, results = inner.body(model, parameters)
        sides.append((graph, parameters, results))
    node.set_then_body(sides[0][0])
    node.set_else_body(sides[1][0])
    for k, value in enumerate(inputs):
        ref = g.ref(value)
        if ref is not None:
            node.set_input(ref.output, sides[0][1][k], sides[1][1][k])
    made = [node.set_output(a, b) for a, b in zip(sides[0][2], sides[1][2], strict=True)]
    node.set_friendly_name(g.name("If"))
    return tuple(Ref(o, g) for o in made)


def _parameter(inner: Emitter, g: Emitter, value: Value, *, loose: bool = False) -> Any:
    """An input of a body, of the type and shape of what is given to it."""
    ref = g.ref(value)
    if ref is None:
        raise NoLowering("openvino: a sub-model without an input")
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
    if len(body.outputs) > 1 + carried and not trips:
        empty = [
            v for v in body.outputs[1 + carried :] if any(isinstance(d, Expr) for d in v.shape)
        ]
        if empty:
            raise NoLowering("openvino: a loop that may make no iteration of unknown sizes")
    flag = g.reshape(condition, []) if condition.rank else g.ref(condition)
    if flag is None:
        raise NoLowering("openvino: a while without a condition")
    node = g.runtime.op.loop(g.scalar(-1).output, flag.output)
    inner = g.inner(body)
    parameters = []
    for k, value in enumerate(inputs):
        loose = k < carried and body.inputs[k].shape != body.outputs[1 + k].shape
        parameters.append(_parameter(inner, g, value, loose=loose))
    results = _body(inner, body, parameters, node, carried)
    for k, value in enumerate(inputs):
        ref = g.ref(value)
        if ref is not None and k < carried:
            node.set_merged_input(parameters[k], ref.output, results[1 + k].output(0))
        elif ref is not None:
            node.set_invariant_input(parameters[k], ref.output)
    made = [node.get_iter_value(r.output(0), -1) for r in results[1 : 1 + carried]]
    made += [
        node.get_concatenated_slices(r.output(0), 0, 1, 1, -1, 0) for r in results[1 + carried :]
    ]
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
        ref = inner.ref(value)
        if ref is None:
            raise NoLowering(f"{value!r} is not made")
        if k == 0 and value.rank:
            ref = inner.reshape(ref, [])
        if k > carried:
            ref = inner.unsqueeze(ref, 0)
        result = inner.runtime.op.Result(ref.output)
        result.set_friendly_name(inner.name("Result"))
        results.append(result)
    node.set_function(inner.runtime.Model(results, parameters, body.name))
    node.set_special_body_ports([-1, 0])
    return results
