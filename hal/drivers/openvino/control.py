"""Control flow over sub-models, which capture nothing."""

from __future__ import annotations

from nnir.model import Model, Value
from nnir.ops import control

from .emitter import Emitter, Ref, Refs
from .forms import Scalar, Table

table = Table()


@table.lower(control.if_)
def if_(
    g: Emitter, condition: Scalar, *inputs: Value, then_model: Model, else_model: Model
) -> Refs:
    node = g.runtime.op.if_op(condition.output)
    sides = []
    for model, put in ((then_model, node.set_then_body), (else_model, node.set_else_body)):
        inner, parameters = g.inner(model, inputs)
        graph, results = inner.body(model, parameters)
        put(graph)
        sides.append((parameters, results))
    heads, ends = zip(*sides, strict=True)
    for value, *pair in zip(inputs, *heads, strict=True):
        node.set_input(g.take(value).output, *pair)
    made = [node.set_output(*pair) for pair in zip(*ends, strict=True)]
    node.set_friendly_name(g.name("If"))
    return tuple(Ref(o, g) for o in made)


@table.lower(control.while_)
def while_(
    g: Emitter, condition: Scalar, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Refs:
    """Scan outputs are stacked along a first axis of each iteration's result."""
    g.need(
        trips or all(v.is_static for v in body.outputs[1 + carried :]),
        "has no loop that may make no iteration of unknown sizes",
    )
    node = g.runtime.op.loop(g.scalar(-1).output, condition.output)
    pairs = zip(body.inputs[:carried], body.outputs[1:], strict=False)
    loose = [into for into, out in pairs if into.shape != out.shape]
    inner, parameters = g.inner(body, inputs, loose)

    def end(k: int, value: Value) -> Ref:
        if not k:
            return inner.one(value)
        return inner.take(value) if k <= carried else inner.unsqueeze(value, 0)

    graph, results = inner.body(body, parameters, end=end)
    node.set_function(graph)
    node.set_special_body_ports([-1, 0])
    ends = [r.output(0) for r in results[1:]]
    for k, (value, parameter) in enumerate(zip(inputs, parameters, strict=True)):
        source = g.take(value).output
        if k < carried:
            node.set_merged_input(parameter, source, ends[k])
        else:
            node.set_invariant_input(parameter, source)
    made = [node.get_iter_value(end, -1) for end in ends[:carried]]
    made += [node.get_concatenated_slices(end, 0, 1, 1, -1, 0) for end in ends[carried:]]
    node.set_friendly_name(g.name("Loop"))
    return tuple(Ref(o, g) for o in made)
