"""Steps of NNAPI's recurrent layers, whose states are inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable

from nnir import build
from nnir.errors import BadModel, Unsupported
from nnir.formats.nnapi.structures import FusedActivation
from nnir.model import Value
from nnir.ops import activation as activations
from nnir.ops import generate, linear, reduce, shape

from ...table import Table
from .fused import activate, clip_between

table = Table()
NONE = int(FusedActivation.NONE)


def _product(x: Value, weights: Value) -> Value:
    """Rows times [units, inputs]."""
    found: Value = linear.mat_mul(x, weights, transpose_y=True)
    return found


@table.convert("RNN")
def rnn(
    input: Value,
    weights: Value,
    recurrent_weights: Value,
    bias: Value,
    hidden_state_in: Value,
    *,
    fuse_code: int = NONE,
) -> tuple[Value, Value]:
    """The state is the output."""
    sums = _product(input, weights) + _product(hidden_state_in, recurrent_weights) + bias
    state = activate(sums, fuse_code)
    return state, state


@table.convert("SVDF")
def svdf(
    input: Value,
    weights_feature: Value,
    weights_time: Value,
    bias: Value | None,
    state_in: Value,
    *,
    rank: int,
    fuse_code: int = NONE,
) -> tuple[Value, Value]:
    """Features are pushed into a memory, oldest first, which is filtered along time."""
    filters, memory = weights_time.sizes
    if memory < 2:
        raise Unsupported("SVDF with a memory of one step: its state has no elements")
    features = _product(input, weights_feature)
    batch, _ = build.sizes_of(features)
    stored = build.reshape(state_in, [batch, filters, memory - 1])
    whole = shape.concat(stored, shape.unsqueeze(features, [2]))
    filtered = reduce.reduce_sum(whole * weights_time, [2])
    ranks = build.reshape(filtered, [batch, filters // rank, rank])
    sums = reduce.reduce_sum(ranks, [2], keepdim=False)
    result = activate(sums if bias is None else sums + bias, fuse_code)
    _, left = shape.split(whole, [1, memory - 1], axis=2)
    return build.reshape(left, build.sizes_of(state_in)), result


CELLS: dict[int, Callable[[Value], Value]] = {
    0: lambda x: x,
    1: activations.relu,
    3: activations.relu6,
    4: activations.tanh,
    6: activations.sigmoid,
}
"""The activations of a cell by their codes."""


def _squash(x: Value, code: int) -> Value:
    if code not in CELLS:
        raise Unsupported(f"LSTM with activation={code}")
    return CELLS[code](x)


def _require(x: Value | None) -> Value:
    """What stands beside the weights of an input gate, as a valid model has it."""
    if x is None:
        raise BadModel("LSTM with a part of an input gate")
    return x


def _clip(x: Value, most: float) -> Value:
    return clip_between(x, -most, most) if most > 0 else x


@table.convert("LSTM")
def lstm(
    input: Value,
    input_to_input_weights: Value | None,
    input_to_forget_weights: Value,
    input_to_cell_weights: Value,
    input_to_output_weights: Value,
    recurrent_to_input_weights: Value | None,
    recurrent_to_forget_weights: Value,
    recurrent_to_cell_weights: Value,
    recurrent_to_output_weights: Value,
    cell_to_input_weights: Value | None,
    cell_to_forget_weights: Value | None,
    cell_to_output_weights: Value | None,
    input_gate_bias: Value | None,
    forget_gate_bias: Value,
    cell_bias: Value,
    output_gate_bias: Value,
    projection_weights: Value | None,
    projection_bias: Value | None,
    output_state_in: Value,
    cell_state_in: Value,
    *,
    activation: int,
    cell_clip: float,
    proj_clip: float,
) -> tuple[Value, Value, Value, Value]:
    """One step; without an input gate that is 1 less the forget gate. The scratch is zeros."""

    def gate(weights: Value, recurrent: Value, bias: Value) -> Value:
        return _product(input, weights) + _product(output_state_in, recurrent) + bias

    def peep(sums: Value, cell: Value, weights: Value | None) -> Value:
        return _squash(sums if weights is None else sums + cell * weights, 6)

    forget_sums = gate(input_to_forget_weights, recurrent_to_forget_weights, forget_gate_bias)
    forget = peep(forget_sums, cell_state_in, cell_to_forget_weights)
    enter = 1 - forget
    if input_to_input_weights is not None:
        others = _require(recurrent_to_input_weights), _require(input_gate_bias)
        sums = gate(input_to_input_weights, *others)
        enter = peep(sums, cell_state_in, cell_to_input_weights)
    inner = gate(input_to_cell_weights, recurrent_to_cell_weights, cell_bias)
    cell = _clip(forget * cell_state_in + enter * _squash(inner, activation), cell_clip)
    out_sums = gate(input_to_output_weights, recurrent_to_output_weights, output_gate_bias)
    result = peep(out_sums, cell, cell_to_output_weights) * _squash(cell, activation)
    if projection_weights is not None:
        projected = _product(result, projection_weights)
        result = _clip(
            projected if projection_bias is None else projected + projection_bias, proj_clip
        )
    scratch = [cell] * (3 if input_to_input_weights is None else 4)
    return generate.fill_like(shape.concat(*scratch), 0), result, cell, result
