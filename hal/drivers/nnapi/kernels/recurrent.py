"""Steps of recurrent layers, whose states come and go with each call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import fixed
from .activation import sigmoid
from .call import Call, Kernel, Results

FUNCTIONS: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    0: lambda x: x,
    1: lambda x: np.maximum(x, 0),
    3: lambda x: np.minimum(np.maximum(x, 0), 6),
    4: np.tanh,
    6: sigmoid,
}
"""The activations of a cell by their codes."""


def rnn(call: Call) -> Results:
    """activation(x W' + h R' + b), twice."""
    x, state = call.array(), call.array("hidden_state_in")
    sums = x @ call.array("weights").T + state @ call.array("recurrent_weights").T
    made = fixed.activate(sums + call.array("bias"), call.activation)
    return [made, made.copy()]


def svdf(call: Call) -> Results:
    """Features are pushed into a memory, which is filtered along time.

    The filters of one unit lie beside each other; the memory holds what was before, oldest first.
    """
    time = call.array("weights_time")
    filters, memory = time.shape
    features = call.array() @ call.array("weights_feature").T
    past = call.array("state_in").reshape(-1, filters, memory - 1)
    whole = np.concatenate([past, features[:, :, None]], 2)
    ranks = (whole * time).sum(2).reshape(len(whole), -1, call.integer("rank"))
    sums = ranks.sum(2)
    bias = call.optional("bias")
    result = sums if bias is None else sums + bias
    return [whole[:, :, 1:].reshape(len(whole), -1), fixed.activate(result, call.activation)]


def lstm(call: Call) -> Results:
    """One step of a cell; without an input gate that is 1 less the forget gate."""
    cell, act = call.array("cell_state_in"), FUNCTIONS[call.integer("activation")]
    forget = sigmoid(_gate(call, "forget", cell))
    coupled = "input_to_input_weights" not in call
    entry = 1 - forget if coupled else sigmoid(_gate(call, "input", cell))
    inner = act(_gate(call, "cell", None))
    cell = _clip(forget * cell + entry * inner, call.real("cell_clip"))
    result = sigmoid(_gate(call, "output", cell)) * act(cell)
    projection = call.optional("projection_weights")
    if projection is not None:
        result = result @ projection.T
        bias = call.optional("projection_bias")
        result = _clip(result if bias is None else result + bias, call.real("proj_clip"))
    scratch = np.zeros(call.bound.dims[call.bound.operation.outputs[0]], np.float32)
    return [scratch, result, cell, result.copy()]


BIASES = {"cell": "cell_bias"}


def _gate(call: Call, name: str, cell: np.ndarray | None) -> np.ndarray:
    """What goes into the activation of a gate; `cell` is what its peephole sees."""
    sums: np.ndarray = call.array() @ call.array(f"input_to_{name}_weights").T
    sums = sums + call.array("output_state_in") @ call.array(f"recurrent_to_{name}_weights").T
    peephole = call.optional(f"cell_to_{name}_weights")
    if peephole is not None and cell is not None:
        sums = sums + cell * peephole
    return sums + call.array(BIASES.get(name, f"{name}_gate_bias"))


def _clip(x: np.ndarray, most: np.float32) -> np.ndarray:
    return np.clip(x, -most, most) if most > 0 else x


KERNELS: dict[str, Kernel] = {"RNN": rnn, "SVDF": svdf, "LSTM": lstm}
