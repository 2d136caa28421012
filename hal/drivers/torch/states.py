"""States in PyTorch's own form: buffers that a program overwrites."""

from __future__ import annotations

import torch
from torch import fx

from nnir.model import Model, Value
from nnir.operator import Pattern
from nnir.stateful import state_inputs, user_outputs

from .dtypes import tensor_of
from .origins import register


def keep_states(module: fx.GraphModule, model: Model) -> None:
    """Let the inputs of a module that are states be buffers, which the last results are copied to.

    What is a view of a buffer is copied first, so that nobody sees what is written here.
    """
    graph = module.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (end,) = (n for n in graph.nodes if n.op == "output")
    results = list(end.args[0])
    inputs = state_inputs(model)
    first = len(placeholders) - len(inputs)
    buffers = []
    for state, placeholder in zip(model.states, placeholders[first:], strict=True):
        target = register(module, state.name, tensor_of(state.initial).clone())
        with graph.inserting_before(placeholder):
            buffer = graph.get_attr(target)
        placeholder.replace_all_uses_with(buffer)
        results = [buffer if r is placeholder else r for r in results]
        graph.erase_node(placeholder)
        buffers.append(buffer)
    kept = set(inputs)
    with graph.inserting_before(end):
        for place, value in enumerate(model.outputs):
            if _is_view_of(value, kept):
                results[place] = graph.call_function(
                    torch.ops.aten.clone.default, (results[place],)
                )
        for buffer, result in zip(buffers, results[len(user_outputs(model)) :], strict=True):
            graph.call_function(torch.ops.aten.copy_.default, (buffer, result))
    end.args = (tuple(results[: len(user_outputs(model))]),)
    module.recompile()


def _is_view_of(value: Value, states: set[Value]) -> bool:
    """Whether a value may share the memory of a state: of one operand, element by element."""
    while value not in states:
        made = value.producer
        read = [] if made is None else [v for v in made.inputs if v is not None]
        if made is None or not read or made.operator.pattern is Pattern.COMBINING:
            return False
        if made.operator.pattern is Pattern.ELEMENTWISE and len(read) > 1:
            return False
        value = read[0]
    return True
