"""Recurrent layers, whose batch comes first."""

from __future__ import annotations

from ..graph import End, Output
from ..operands import Cube, Matrix, Vector
from ..schema import Single, Table, Words
from ..shapes import Dimension, PartialShape, merge
from .elementwise import same_type

table = Table()
NONE: Words = ()
OFF = Single(0.0)


def _ends(
    name: str,
    gates: int,
    data: Output,
    states: tuple[Output, ...],
    lengths: Output,
    weights: tuple[Output, Output, Output],
    direction: str,
    hidden: int,
    *,
    rows: int = 0,
) -> list[End]:
    """The whole sequence, then a last state for each of the first ones."""
    kind = same_type(name, data, *states, *weights)
    count = 2 if direction == "bidirectional" else 1
    what = f"operands of {name}"
    batch = merge(data.shape[0], lengths.shape[0], what)
    for state in states:
        batch = merge(batch, state.shape[0], what)
        merge(state.shape[1], Dimension(count), what)
        merge(state.shape[2], Dimension(hidden), what)
    taken, kept, added = weights
    for one in weights:
        merge(one.shape[0], Dimension(count), what)
    merge(taken.shape[1], Dimension(gates * hidden), what)
    merge(taken.shape[2], data.shape[2], what)
    merge(kept.shape[1], Dimension(gates * hidden), what)
    merge(kept.shape[2], Dimension(hidden), what)
    merge(added.shape[1], Dimension((rows or gates) * hidden), what)
    last = (kind, PartialShape([batch, count, hidden]))
    return [(kind, PartialShape([batch, count, data.shape[1], hidden])), *[last] * len(states)]


@table.kind("RNNSequence", since=5)
def rnn(
    data: Cube,
    state: Cube,
    lengths: Vector,
    w: Cube,
    r: Cube,
    b: Matrix,
    *,
    direction: str,
    hidden_size: int,
    activations: Words = ("tanh",),
    activations_alpha: Words = NONE,
    activations_beta: Words = NONE,
    clip: Single = OFF,
) -> list[End]:
    return _ends("RNNSequence", 1, data, (state,), lengths, (w, r, b), direction, hidden_size)


@table.kind("GRUSequence", since=5)
def gru(
    data: Cube,
    state: Cube,
    lengths: Vector,
    w: Cube,
    r: Cube,
    b: Matrix,
    *,
    direction: str,
    linear_before_reset: bool = False,
    hidden_size: int,
    activations: Words = ("sigmoid", "tanh"),
    activations_alpha: Words = NONE,
    activations_beta: Words = NONE,
    clip: Single = OFF,
) -> list[End]:
    rows = 4 if linear_before_reset else 3
    weights = w, r, b
    return _ends(
        "GRUSequence", 3, data, (state,), lengths, weights, direction, hidden_size, rows=rows
    )


@table.kind("LSTMSequence", since=5)
def lstm(
    data: Cube,
    state: Cube,
    cell: Cube,
    lengths: Vector,
    w: Cube,
    r: Cube,
    b: Matrix,
    *,
    direction: str,
    hidden_size: int,
    activations: Words = ("sigmoid", "tanh", "tanh"),
    activations_alpha: Words = NONE,
    activations_beta: Words = NONE,
    clip: Single = OFF,
) -> list[End]:
    states = state, cell
    return _ends("LSTMSequence", 4, data, states, lengths, (w, r, b), direction, hidden_size)
