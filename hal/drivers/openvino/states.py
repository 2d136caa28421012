"""States in OpenVINO's own form: variables that a request keeps, read and assigned at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nnir.model import Model
from nnir.stateful import state_inputs

from ...emission import asking
from .emitter import Emitter, Ref, partial

if TYPE_CHECKING:
    import openvino


class Variables:
    """The variables of a graph, one for each state of its model."""

    def __init__(self, emitter: Emitter, model: Model) -> None:
        self.emitter, self.model = emitter, model
        self.variables: list[openvino.op.util.Variable] = []

    def read(self) -> None:
        """Let the inputs that are states be what their variables hold, or begin with."""
        g, runtime = self.emitter, self.emitter.runtime
        for state, value in zip(self.model.states, state_inputs(self.model), strict=True):
            about = runtime.op.util.VariableInfo()
            about.variable_id = state.name
            about.data_type = g.element(value.precision)
            about.data_shape = partial(runtime, value, g.symbols)
            variable = runtime.op.util.Variable(about)
            initial = g.constant(state.initial)
            with asking("openvino", "ReadValue", RuntimeError):
                made = runtime.op.read_value(initial.output, variable)
            made.set_friendly_name(g.name(value.name or "state", keep=True))
            g.names[value] = Ref(made.output(0))
            self.variables.append(variable)

    def assign(self) -> list[openvino.Node]:
        """Nodes that let the variables hold what the last outputs are."""
        values = self.model.outputs[len(self.model.outputs) - len(self.variables) :]
        made = []
        for variable, value in zip(self.variables, values, strict=True):
            ref = self.emitter.take(value)
            if ref.output.get_index():  # Python hands over a node, which means its first output
                ref = self.emitter.node("Reshape", ref, self.emitter.dims(ref), special_zero=False)
            with asking("openvino", "Assign", RuntimeError):
                made.append(self.emitter.runtime.op.assign(ref.output.get_node(), variable))
        return made
