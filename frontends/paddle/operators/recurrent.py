"""Paddle's recurrent layers and decoders; the gates come as in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import activation, index, linear, shape
from nnir.recipes.recurrent import GRU, LSTM, RELU, TANH, Kind, cell_operands, join_gates

from ...table import Items, Table
from . import decoding

table = Table()
KINDS = {"LSTM": LSTM, "GRU": GRU, "RNN_TANH": TANH, "RNN_RELU": RELU}


@table.convert("rnn")
def rnn(
    x: Value,
    pre_state: Items,
    weight_list: Items,
    sequence_length: Value | None,
    dropout_state_in: Value | None,
    dropout_prob: float,
    is_bidirec: bool,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    mode: str,
    seed: int,
    is_test: bool,
) -> tuple[Value | list[Value] | None, ...]:
    """A stack of layers over [T, N, I]; the weights of all of them come before the biases."""
    if mode not in KINDS:
        raise Unsupported(f"rnn with {mode=}")
    if dropout_prob and not is_test and num_layers > 1:
        raise Unsupported(f"rnn that trains with {dropout_prob=}")
    kind, count = KINDS[mode], 2 if is_bidirec else 1
    half = 2 * count * num_layers
    if len(weight_list) != 2 * half or len(pre_state) != kind.states or x.rank != 3:
        raise BadType(f"rnn of {x.type} with {len(weight_list)} weights for {num_layers} layers")
    last: list[list[Value]] = [[] for _ in pre_state]
    for layer in range(num_layers):
        start = layer * count
        rows = []
        for place in range(2 * start, 2 * (start + count), 2):
            biases = weight_list[half + place : half + place + 2]
            rows.append([*weight_list[place : place + 2], *biases])
        states = [part(s, start, count, num_layers * count) for s in pre_state]
        x, *ends = run_layers(kind, x, rows, sequence_length, states)
        for found, end in zip(last, ends, strict=True):
            found.append(end)
    nothing = x.model.constant(np.zeros(0, np.uint8))  # what dropout would go on from
    return x, nothing, [join_gates(found, 0) for found in last], None


def part(state: Value, start: int, count: int, whole: int) -> Value:
    """The rows of one layer."""
    return state if count == whole else index.slice_(state, [0], [start], [start + count])


def run_layers(
    kind: Kind,
    x: Value,
    params: Sequence[Sequence[Value]],
    lengths: Value | None,
    states: Sequence[Value],
) -> tuple[Value, ...]:
    """[T, N, I] to [T, N, directions * H] and the last states."""
    direction = "bidirectional" if len(params) > 1 else "forward"
    given = (x, *cell_operands(kind, params), lengths, *states)
    outputs, *last = kind.operator(*given, direction=direction, **dict(kind.attributes))
    if len(params) == 1:
        return shape.squeeze(outputs, [1]), *last
    lined = shape.transpose(outputs, perm=(0, 2, 1, 3))
    return shape.flatten(lined, start_axis=2, end_axis=3), *last


ACTIVATIONS = {1: activation.sigmoid, 2: activation.tanh, 3: activation.relu}


def activate(x: Value, code: int) -> Value:
    """An activation by its number."""
    if code == 0:
        return x
    if code not in ACTIVATIONS:
        raise Unsupported(f"gru_unit with activation {code}")
    return ACTIVATIONS[code](x)


@table.convert("gru_unit")
def gru_unit(
    input: Value,
    hidden_prev: Value,
    weight: Value,
    bias: Value | None,
    activation: int,
    gate_activation: int,
    origin_mode: bool,
) -> tuple[Value, Value, Value]:
    """One step; the weights of the gates lie before those of the candidate in memory."""
    size = hidden_prev.shape[1]
    if isinstance(size, Expr):
        raise NotConstant(f"gru_unit of {hidden_prev.type}")
    flat = shape.reshape(weight, [-1])
    cut = 2 * size * size
    both = shape.reshape(index.slice_(flat, [0], [0], [cut]), [size, 2 * size])
    single = shape.reshape(index.slice_(flat, [0], [cut], [cut + size * size]), [size, size])
    x = input if bias is None else input + bias
    gates = index.slice_(x, [1], [0], [2 * size])
    gates = activate(gates + linear.mat_mul(hidden_prev, both), gate_activation)
    update, reset = shape.split(gates, [size, size], axis=1)
    kept = reset * hidden_prev
    candidate = index.slice_(x, [1], [2 * size], [3 * size])
    candidate = activate(candidate + linear.mat_mul(kept, single), activation)
    rest = 1 - update
    old, new = (update, rest) if origin_mode else (rest, update)
    hidden = new * candidate + old * hidden_prev
    return shape.concat(gates, candidate, axis=1), kept, hidden


table = Table.merge([table, decoding.table])
