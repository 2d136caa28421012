"""States in OpenVINO's own form: variables that a request keeps, read and assigned at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nnir.model import Model, Value
from nnir.stateful import state_inputs

from ...emission import asking
from .emitter import Emitter, Ref, partial

if TYPE_CHECKING:
    import openvino


class Variables:
    """The variables of a graph, one for each state of its model.

    A state that nothing reads is left out: OpenVINO opens no file that only assigns a variable.
    """

    def __init__(self, emitter: Emitter, model: Model) -> None:
        self.emitter, self.model = emitter, model
        self.variables: list[tuple[openvino.op.util.Variable, Value]] = []

    def read(self) -> None:
        """Let the inputs that are states be what their variables hold, or begin with."""
        g, runtime, model = self.emitter, self.emitter.runtime, self.model
        written = model.outputs[len(model.outputs) - len(model.states) :]
        for state, value, new in zip(model.states, state_inputs(model), written, strict=True):
            if not value.uses and value not in model.outputs:
                continue
            about = runtime.op.util.VariableInfo()
            about.variable_id = state.name
            about.data_type = g.element(value.precision)
            about.data_shape = partial(runtime, value, g.symbols)
            variable = runtime.op.util.Variable(about)
            initial = g.constant(state.initial)
            with asking("openvino", "ReadValue", RuntimeError):
                made = runtime.op.read_value(initial.output, variable)
            made.set_friendly_name(g.name(value.name or "state", keep=True))
            g.names[value] = Ref(made.output(0), g)
            self.variables.append((variable, new))

    def assign(self) -> list[openvino.Node]:
        """Nodes that let the variables hold what the last outputs are."""
        made = []
        for variable, value in self.variables:
            ref = self.emitter.take(value)
            if ref.output.get_index():  # Python hands over a node, which means its first output
                ref = self.emitter.node("Reshape", ref, self.emitter.dims(ref), special_zero=False)
            with asking("openvino", "Assign", RuntimeError):
                node = self.emitter.runtime.op.assign(ref.output.get_node(), variable)
            node.set_friendly_name(self.emitter.name("Assign"))
            made.append(node)
        return made
