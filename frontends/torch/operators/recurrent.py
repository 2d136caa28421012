"""ATen recurrent layers and cells.

PyTorch orders the gates of an LSTM input, forget, cell, output and those of a GRU reset, update,
new; the standard's are input, output, forget, cell and update, reset, new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, linear, shape
from nnir.ops import index as ops
from nnir.recipes.recurrent import GRU, LSTM, RELU, TANH, Kind, cell_operands, join_gates

from ...table import Items, Table

table = Table()
MOST_STEPS = 256


def run_layers(
    kind: Kind,
    x: Value,
    states: Sequence[Value],
    params: Sequence[Value],
    *,
    has_biases: bool,
    num_layers: int,
    bidirectional: bool,
    batch_first: bool,
    lengths: Value | None = None,
) -> tuple[Value, ...]:
    """A stack of layers: the outputs of the last, and every last state; `lengths` of the
    sequences where these end before the last step."""
    if x.rank != 3:
        raise BadType(f"a recurrent layer of {x.type}: three axes are needed")
    count = 2 if bidirectional else 1
    each = 4 if has_biases else 2
    if len(params) == (each + 1) * count * num_layers and kind is LSTM:
        each += 1  # the last is a projection of the state
    if len(params) != each * count * num_layers:
        raise BadType(f"{num_layers} recurrent layers with {len(params)} parameters")
    x = shape.transpose(x, perm=(1, 0, 2)) if batch_first else x
    last: list[list[Value]] = [[] for _ in states]
    for layer in range(num_layers):
        start = layer * count
        rows = [params[(start + d) * each : (start + d + 1) * each] for d in range(count)]
        given = [_rows(s, start, count, num_layers * count) for s in states]
        if each % 2:
            if lengths is not None:
                raise Unsupported("an LSTM with a projection over packed sequences")
            x, *ends = _projected_lstm(x, given, rows, has_biases=has_biases)
        else:
            x, *ends = _layer(kind, x, lengths, given, rows)
        for found, end in zip(last, ends, strict=True):
            found.append(end)
    x = shape.transpose(x, perm=(1, 0, 2)) if batch_first else x
    return x, *(join_gates(found, 0) for found in last)


def _rows(state: Value, start: int, count: int, whole: int) -> Value:
    if count == whole:
        return state
    return ops.slice_(state, [0], [start], [start + count])


def _layer(
    kind: Kind,
    x: Value,
    lengths: Value | None,
    states: Sequence[Value],
    params: Sequence[Sequence[Value]],
) -> tuple[Value, ...]:
    """[T, N, I] to [T, N, directions * H] and the last states."""
    direction = "bidirectional" if len(params) > 1 else "forward"
    given = (x, *cell_operands(kind, params), lengths, *states)
    outputs, *last = kind.operator(*given, direction=direction, **dict(kind.attributes))
    if len(params) == 1:
        return shape.squeeze(outputs, [1]), *last
    lined = shape.transpose(outputs, perm=(0, 2, 1, 3))
    return shape.flatten(lined, start_axis=2, end_axis=3), *last


def _projected_lstm(
    x: Value, states: Sequence[Value], params: Sequence[Sequence[Value]], *, has_biases: bool
) -> tuple[Value, Value, Value]:
    """An LSTM whose state is a projection of the cell's output, written out step by step."""
    steps = x.shape[0]
    if not isinstance(steps, int) or not 0 < steps <= MOST_STEPS:
        raise Unsupported(f"an LSTM with a projection over {steps} steps")
    inputs = [shape.squeeze(v, [0]) for v in shape.split(x, [1] * steps, axis=0)]
    rows, ends = [], []
    for direction, (*weights, projection) in enumerate(params):
        h, c = (shape.squeeze(_rows(s, direction, 1, len(params)), [0]) for s in states)
        made = []
        for step in reversed(inputs) if direction else inputs:
            h, c = _step(step, h, c, weights, has_biases=has_biases)
            h = linear.mat_mul(h, projection, transpose_y=True)
            made.append(h)
        rows.append(shape.stack(*(reversed(made) if direction else made), axis=0))
        ends.append((shape.unsqueeze(h, [0]), shape.unsqueeze(c, [0])))
    return (
        join_gates(rows, 2),
        join_gates([h for h, _ in ends], 0),
        join_gates([c for _, c in ends], 0),
    )


def _step(
    x: Value, h: Value, c: Value, weights: Sequence[Value], *, has_biases: bool
) -> tuple[Value, Value]:
    """One step of an LSTM."""
    gates = linear.mat_mul(x, weights[0], transpose_y=True)
    gates = gates + linear.mat_mul(h, weights[1], transpose_y=True)
    if has_biases:
        gates = gates + (weights[2] + weights[3])
    size = gates.sizes[-1] // 4
    i, f, g, o = shape.split(gates, [size] * 4, axis=-1)
    kept = activation.sigmoid(f) * c
    cell = kept + activation.sigmoid(i) * activation.tanh(g)
    return activation.sigmoid(o) * activation.tanh(cell), cell


def required_still(dropout: float, train: bool) -> None:
    """Unsupported where numbers would be dropped at random."""
    if dropout and train:
        raise Unsupported(f"recurrent layers that train with dropout={dropout}")


@table.convert("aten.lstm.input")
def lstm(
    input: Value,
    hx: Items,
    params: Items,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Value, ...]:
    required_still(dropout, train)
    return run_layers(
        LSTM,
        input,
        hx,
        params,
        has_biases=has_biases,
        num_layers=num_layers,
        bidirectional=bidirectional,
        batch_first=batch_first,
    )


def _one_state(kind: Kind) -> Callable[..., tuple[Value, ...]]:
    def convert(
        input: Value,
        hx: Value,
        params: Items,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> tuple[Value, ...]:
        required_still(dropout, train)
        return run_layers(
            kind,
            input,
            [hx],
            params,
            has_biases=has_biases,
            num_layers=num_layers,
            bidirectional=bidirectional,
            batch_first=batch_first,
        )

    return convert


def _cell(kind: Kind) -> Callable[..., Value]:
    def convert(
        input: Value,
        hx: Value,
        w_ih: Value,
        w_hh: Value,
        b_ih: Value | None = None,
        b_hh: Value | None = None,
    ) -> Value:
        return run_cell(kind, input, [hx], [w_ih, w_hh, b_ih, b_hh])[0]

    return convert


for _name, _kind in (("gru", GRU), ("rnn_tanh", TANH), ("rnn_relu", RELU)):
    table.convert(f"aten.{_name}.input")(_one_state(_kind))
    table.convert(f"aten.{_name}_cell.default")(_cell(_kind))


def run_cell(
    kind: Kind, x: Value, states: Sequence[Value], params: Sequence[Value | None]
) -> list[Value]:
    """The states after a layer of one step."""
    given = [p for p in params if p is not None]
    if len(given) not in (2, 4):
        raise BadType("a recurrent cell with one bias of two")
    if x.rank != 2:
        raise BadType(f"a recurrent cell of {x.type}: two axes are needed")
    lifted = [shape.unsqueeze(v, [0]) for v in (x, *states)]
    _, *last = kind.operator(
        lifted[0], *cell_operands(kind, [given]), None, *lifted[1:], **dict(kind.attributes)
    )
    return [shape.squeeze(v, [0]) for v in last]


@table.convert("aten.lstm_cell.default")
def lstm_cell(
    input: Value,
    hx: Items,
    w_ih: Value,
    w_hh: Value,
    b_ih: Value | None = None,
    b_hh: Value | None = None,
) -> tuple[Value, ...]:
    return tuple(run_cell(LSTM, input, hx, [w_ih, w_hh, b_ih, b_hh]))
