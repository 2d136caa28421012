"""TFLite's recurrent layers. Behind its results each gives what its state becomes, in the order of
its state's operands: a state of the model where the file has it as a variable."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, index, linear, recurrent, reduce, shape

from ...table import Table
from ...translate import Translator
from .fused import NONE, activate
from .lstm import (
    CELL,
    GATES,
    STANDARD,
    Given,
    Stored,
    begun,
    cell_of,
    lstm_layer,
    one_direction,
    recur,
    stack_rows,
    steps_of,
)

table = Table()


def _swap_time_and_batch(x: Value, *, time_major: bool) -> Value:
    """Steps first, or back."""
    if x.rank != 3:
        raise BadType(f"a recurrent layer over {x.type}, not over three axes")
    return x if time_major else shape.transpose(x, perm=(1, 0, 2))


def _pad_operands(given: Given, count: int) -> list[Value | None]:
    if len(given) > count:
        raise BadType(f"a recurrent layer with {len(given)} inputs, not {count}")
    return [*given, *[None] * (count - len(given))]


def _require(value: Value | None, what: str) -> Value:
    if value is None:
        raise BadType(f"a recurrent layer without {what}")
    return value


@table.convert("UNIDIRECTIONAL_SEQUENCE_LSTM")
def unidirectional_sequence_lstm(
    input: Value,
    *rest: Value | None,
    fused_activation_function: str,
    cell_clip: float,
    proj_clip: float,
    time_major: bool,
    diagonal_recurrent_tensors: bool,
    hidden_scales: tuple[float, ...] = (),
    hidden_zeros: tuple[int, ...] = (),
    translator: Translator,
) -> tuple[Value, Value, Value]:
    """Inputs as the file has them: the cell's, output and cell state, four normalisations.

    `hidden_scales` and `hidden_zeros`: see `Stored`.
    """
    given = _pad_operands(rest, CELL + 6)
    norms = given[CELL + 2 :]
    cell = cell_of(given[:CELL], norms, fused_activation_function, cell_clip, proj_clip)
    gates = [g for g in cell.gates.values() if g is not None]
    if any((g.recurrence.rank == 1) != diagonal_recurrent_tensors for g in gates):
        raise BadType("an LSTM whose recurrent weights are not what it says of them")
    hidden, state = (_require(v, "a state") for v in given[CELL : CELL + 2])
    x = _swap_time_and_batch(input, time_major=time_major)
    stored = Stored(hidden_scales, hidden_zeros) if hidden_scales and given[15] is None else None
    result, *states = lstm_layer(x, cell, hidden, state, translator, reverse=False, stored=stored)
    return _swap_time_and_batch(result, time_major=time_major), states[0], states[1]


@table.convert("LSTM")
def lstm(
    input: Value,
    *rest: Value | None,
    fused_activation_function: str,
    cell_clip: float,
    proj_clip: float,
    kernel_type: str,
    translator: Translator,
) -> tuple[Value, ...]:
    """One step; the BASIC kernel has all gates in one matrix and gives its state."""
    match kernel_type:
        case "BASIC":
            return _basic(input, *_pad_operands(rest, 4), function=fused_activation_function)
        case "FULL":
            result, *states = unidirectional_sequence_lstm(
                shape.unsqueeze(input, [0]),
                *rest,
                fused_activation_function=fused_activation_function,
                cell_clip=cell_clip,
                proj_clip=proj_clip,
                time_major=True,
                diagonal_recurrent_tensors=False,
                translator=translator,
            )
            return shape.squeeze(result, [0]), *states
    raise Unsupported(f"LSTM with kernel_type={kernel_type!r}")


def _basic(input: Value, *rest: Value | None, function: str) -> tuple[Value, Value, Value, Value]:
    """Gates in the order i, c, f, o; the last two results are what the kernel works with."""
    hidden, weights, bias, state = (_require(v, "an input") for v in rest)
    joined = shape.concat(input, hidden, axis=1)
    gates = linear.mat_mul(joined, weights, transpose_y=True) + bias
    columns = gates.shape[1]
    if isinstance(columns, Expr) or columns % GATES or function not in ("TANH", NONE):
        raise BadType(f"an LSTM with weights of {weights.type} and {function}")
    i, c, f, o = shape.split(gates, [columns // GATES] * GATES, axis=1)
    new = activation.sigmoid(i) * activation.tanh(c)
    state = new + activation.sigmoid(f) * state
    return activation.sigmoid(o) * activation.tanh(state), state, joined, gates


@table.convert("BIDIRECTIONAL_SEQUENCE_LSTM")
def bidirectional_sequence_lstm(
    input: Value,
    *rest: Value | None,
    fused_activation_function: str,
    cell_clip: float,
    proj_clip: float,
    merge_outputs: bool,
    time_major: bool,
    translator: Translator,
) -> tuple[Value, ...]:
    """Inputs as the file has them: both cells, four states, another input and its weights."""
    given = _pad_operands(rest, 2 * CELL + 13)
    states = [_require(v, "a state") for v in given[2 * CELL : 2 * CELL + 4]]
    other, extra = given[2 * CELL + 4], given[2 * CELL + 5 :]
    x = _swap_time_and_batch(input, time_major=time_major)
    beside = None if other is None else _swap_time_and_batch(other, time_major=time_major)
    linked = beside is not None and extra[1] is not None
    results, kept = [], []
    for k in range(2):
        own = list(given[k * CELL : (k + 1) * CELL])
        line = x
        if beside is not None and linked:
            line = shape.concat(x, beside, axis=2)
            own[:4] = [_beside(a, b) for a, b in zip(own, extra[4 * k : 4 * k + 4], strict=False)]
        elif beside is not None and k:
            line = beside
        cell = cell_of(own, [None] * 4, fused_activation_function, cell_clip, proj_clip)
        hidden, state = states[2 * k : 2 * k + 2]
        result, *next_states = lstm_layer(line, cell, hidden, state, translator, reverse=bool(k))
        results.append(_swap_time_and_batch(result, time_major=time_major))
        kept += next_states
    return (*([shape.concat(*results, axis=2)] if merge_outputs else results), *kept)


def _beside(weight: Value | None, other: Value | None) -> Value | None:
    """The weights of two inputs as those of one."""
    if weight is None or other is None:
        return weight
    return shape.concat(weight, other, axis=1)


class Plain(NamedTuple):
    """A plain recurrent cell."""

    weights: Value
    recurrence: Value
    bias: Value
    function: str

    def layer(
        self, x: Value, hidden: Value, translator: Translator, *, reverse: bool
    ) -> tuple[Value, Value]:
        """The outputs [T, N, H] over [T, N, I], and the state behind the last step."""
        if self.function in STANDARD:
            zero = x.model.constant(np.zeros(self.bias.shape, x.dtype))
            outputs, last = recurrent.rnn(
                x,
                one_direction(self.weights),
                one_direction(self.recurrence),
                one_direction(shape.concat(self.bias, zero, axis=0)),
                None,
                begun(hidden),
                direction="reverse" if reverse else "forward",
                activations=(STANDARD[self.function],),
            )
            return shape.squeeze(outputs, [1]), shape.squeeze(last, [0])
        products = linear.mat_mul(x, self.weights, transpose_y=True) + self.bias
        rows: dict[int, Value] = {}
        for k in steps_of(x, translator, reverse=reverse):
            given = index.gather(products, k, axis=0)
            total = given + recur(hidden, self.recurrence)
            rows[k] = hidden = activate(total, self.function)
        return stack_rows(rows), hidden


@table.convert("UNIDIRECTIONAL_SEQUENCE_RNN")
def unidirectional_sequence_rnn(
    input: Value,
    input_weights: Value,
    recurrent_weights: Value,
    bias: Value,
    hidden_state: Value,
    *,
    time_major: bool,
    fused_activation_function: str,
    translator: Translator,
) -> tuple[Value, Value]:
    cell = Plain(input_weights, recurrent_weights, bias, fused_activation_function)
    x = _swap_time_and_batch(input, time_major=time_major)
    result, last = cell.layer(x, hidden_state, translator, reverse=False)
    return _swap_time_and_batch(result, time_major=time_major), last


@table.convert("RNN")
def rnn(
    input: Value,
    input_weights: Value,
    recurrent_weights: Value,
    bias: Value,
    hidden_state: Value,
    *,
    fused_activation_function: str,
) -> tuple[Value, Value]:
    """One step, whose result is the next state too."""
    total = linear.mat_mul(input, input_weights, transpose_y=True) + linear.mat_mul(
        hidden_state, recurrent_weights, transpose_y=True
    )
    result = activate(total + bias, fused_activation_function)
    return result, result


@table.convert("BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional_sequence_rnn(
    input: Value,
    fw_weights: Value,
    fw_recurrent_weights: Value,
    fw_bias: Value,
    fw_hidden_state: Value,
    bw_weights: Value,
    bw_recurrent_weights: Value,
    bw_bias: Value,
    bw_hidden_state: Value,
    aux_input: Value | None = None,
    fw_aux_weights: Value | None = None,
    bw_aux_weights: Value | None = None,
    *,
    time_major: bool,
    fused_activation_function: str,
    merge_outputs: bool,
    translator: Translator,
) -> tuple[Value, ...]:
    """Another input has weights of its own, or is what goes backwards."""
    forward = behind = _swap_time_and_batch(input, time_major=time_major)
    if aux_input is not None:
        behind = _swap_time_and_batch(aux_input, time_major=time_major)
        if fw_aux_weights is not None and bw_aux_weights is not None:
            forward = behind = shape.concat(forward, behind, axis=2)
            fw_weights = shape.concat(fw_weights, fw_aux_weights, axis=1)
            bw_weights = shape.concat(bw_weights, bw_aux_weights, axis=1)
    first = Plain(fw_weights, fw_recurrent_weights, fw_bias, fused_activation_function)
    second = Plain(bw_weights, bw_recurrent_weights, bw_bias, fused_activation_function)
    ahead, fw_last = first.layer(forward, fw_hidden_state, translator, reverse=False)
    back, bw_last = second.layer(behind, bw_hidden_state, translator, reverse=True)
    results = [_swap_time_and_batch(r, time_major=time_major) for r in (ahead, back)]
    return (*([shape.concat(*results, axis=2)] if merge_outputs else results), fw_last, bw_last)


@table.convert("SVDF")
def svdf(
    input: Value,
    weights_feature: Value,
    weights_time: Value,
    bias: Value | None,
    state: Value,
    *,
    rank: int,
    fused_activation_function: str,
) -> tuple[Value, Value]:
    """A filter over features, then one over time; the state holds features of earlier steps."""
    filters, memory = weights_time.shape
    if isinstance(filters, Expr) or isinstance(memory, Expr) or rank < 1 or filters % rank:
        raise BadType(f"SVDF of rank {rank} with {weights_time.type}")
    batch = build.size_of(input, 0)
    features = linear.mat_mul(input, weights_feature, transpose_y=True)
    past = build.reshape(state, [batch, filters, memory])
    kept = index.slice_(past, [2], [1], [memory])
    whole = shape.concat(kept, shape.unsqueeze(features, [2]), axis=2)
    lines = reduce.reduce_sum(whole * weights_time, [2], keepdim=False)
    units = build.reshape(lines, [batch, filters // rank, rank])
    total = reduce.reduce_sum(units, [2], keepdim=False)
    total = total if bias is None else total + bias
    next_state = build.reshape(whole, [batch, filters * memory])
    return activate(total, fused_activation_function), next_state
