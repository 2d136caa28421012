"""States in TFLite's own form: resource variables, which a graph of their own initialises."""

from __future__ import annotations

from nnir.model import Model
from nnir.types import Precision

from .writer import RESOURCE, Graph, Step, Tensor

INITIAL = "initialise_states"
"""The name of the graph that runs once."""


def hold_states(graph: Graph, model: Model) -> None:
    """Let the last inputs and outputs of a graph, which are the states of `model`, be variables.

    They are read before anything else, and written when all else has run.
    """
    count = len(model.states)
    if not count:
        return
    reads, written = graph.inputs[-count:], graph.outputs[-count:]
    del graph.inputs[-count:], graph.outputs[-count:]
    first = Graph(INITIAL)
    before = [Step("CALL_ONCE", [], [], "CallOnceOptions", {"init_subgraph_index": first})]
    after = []
    for state, read, new in zip(model.states, reads, written, strict=True):
        handle, step = _open(state.name)
        before += [step, Step("READ_VARIABLE", [handle], [read], "ReadVariableOptions")]
        after.append(_assign(handle, new))
        there, step = _open(state.name)
        initial = Tensor(
            read.precision, state.initial.shape, state.initial, f"{state.name}/initial"
        )
        first.steps += [step, _assign(there, initial)]
    graph.steps = [*before, *graph.steps, *after]


def _open(name: str) -> tuple[Tensor, Step]:
    """The handle of a variable, and the step that makes it."""
    handle = Tensor(Precision.INT32, (1,), None, f"{name}/handle", kind=RESOURCE)
    about = {"container": "", "shared_name": name}
    return handle, Step("VAR_HANDLE", [], [handle], "VarHandleOptions", {**about})


def _assign(handle: Tensor, value: Tensor) -> Step:
    return Step("ASSIGN_VARIABLE", [handle, value], [], "AssignVariableOptions")
