"""NNRt's LSTM: layers over time, whose gates are input, forget, cell and output."""

from __future__ import annotations

from ... import build
from ...broadcast import shapes_differ
from ...errors import BadType, Unsupported
from ...model import Value
from ...ops import index, shape
from ..recurrent import LSTM, cell_operands, join_gates
from . import Recipes
from .open_sizes import with_sizes


def lstm(
    input: Value,
    w_ih: Value,
    w_hh: Value,
    bias: Value,
    hx: Value,
    cx: Value,
    *,
    bidirectional: bool,
    has_bias: bool,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    num_directions: int,
    dropout: float,
    zoneout_cell: float = 0.0,
    zoneout_hidden: float = 0.0,
    proj_size: int = 0,
) -> tuple[Value, Value, Value]:
    """The last layer at each time, and the last states of all layers.

    Weights, biases and states have an entry for each direction of each layer. A bias is that of
    the input before that of the state. `dropout` is only for training.
    """
    count = 2 if bidirectional else 1
    if num_directions != count or num_layers < 1:
        raise BadType(
            f"LSTM with numLayers={num_layers}, numDirections={num_directions} and "
            f"bidirectional={bidirectional}"
        )
    if zoneout_cell or zoneout_hidden or proj_size:
        raise Unsupported("LSTM with zoneout or a projection")
    if not 0 <= dropout <= 1:
        raise BadType(f"LSTM with dropout={dropout}: 0 to 1 is accepted")
    w_ih = _with_sizes(w_ih, (count * num_layers, 4 * hidden_size, input_size))
    w_hh = _with_sizes(w_hh, (count * num_layers, 4 * hidden_size, hidden_size))
    if has_bias:
        bias = _with_sizes(bias, (count * num_layers, 8 * hidden_size))
    if num_layers > 1 and input_size != count * hidden_size:
        raise BadType(
            f"LSTM of {num_layers} layers with inputSize={input_size}: all layers have weights "
            f"of one size, so {count * hidden_size} is accepted"
        )
    x = input
    ends: list[tuple[Value, Value]] = []
    for layer in range(num_layers):
        places = range(layer * count, (layer + 1) * count)
        shifts = bias if has_bias else None
        x, *last = _layer(x, w_ih, w_hh, shifts, hx, cx, places)
        ends.append((last[0], last[1]))
    return x, join_gates([h for h, _ in ends], 0), join_gates([c for _, c in ends], 0)


def _with_sizes(weight: Value, wanted: tuple[int, ...]) -> Value:
    if shapes_differ(weight.shape, wanted):
        raise BadType(f"LSTM with {weight.type}: {list(wanted)} is accepted")
    return with_sizes(weight, wanted, wanted)


def _layer(
    x: Value,
    w_ih: Value,
    w_hh: Value,
    bias: Value | None,
    hx: Value,
    cx: Value,
    places: range,
) -> tuple[Value, Value, Value]:
    """[time, batch, inputs] to [time, batch, directions * hidden], and the last states."""
    rows = [[_row(v, k) for v in (w_ih, w_hh)] for k in places]
    if bias is not None:
        for row, k in zip(rows, places, strict=True):
            both = _row(bias, k)
            half = both.sizes[0] // 2
            row += [
                index.slice_(both, [0], [0], [half]),
                index.slice_(both, [0], [half], [2 * half]),
            ]
    states = [index.slice_(s, [0], [places.start], [places.stop]) for s in (hx, cx)]
    direction = "bidirectional" if len(places) > 1 else "forward"
    found = LSTM.operator(x, *cell_operands(LSTM, rows), None, *states, direction=direction)
    outputs, hidden, cell = found
    if len(places) == 1:
        return shape.squeeze(outputs, [1]), hidden, cell
    lined = shape.transpose(outputs, perm=(0, 2, 1, 3))
    return shape.flatten(lined, start_axis=2, end_axis=3), hidden, cell


def _row(weight: Value, place: int) -> Value:
    """The entry of one direction of one layer; of a constant now."""
    if weight.constant is not None:
        return weight.model.constant(weight.constant[place])
    row = index.slice_(weight, [0], [place], [place + 1])
    return build.reshape(row, list(weight.sizes[1:]))


RECIPES: Recipes = {"LSTM": lstm}
