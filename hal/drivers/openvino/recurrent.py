"""Recurrent layers as OpenVINO's sequences, whose batch comes first."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import recurrent
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings()
FLOAT32 = Precision.FLOAT32
FUNCTIONS = {"sigmoid": "sigmoid", "tanh": "tanh", "relu": "relu"}


def _names(activations: tuple[str, ...], each: int, direction: str) -> list[str]:
    names = [FUNCTIONS.get(a.lower(), "") for a in activations]
    if "" in names:
        raise NoLowering(f"openvino has no recurrent layer with {activations}")
    if len(names) > each and names[:each] != names[each:]:
        raise NoLowering(f"openvino has the same activations in both directions, not {activations}")
    return names[:each]


def _state(g: Emitter, given: Value | None, x: Ref, recurrence: Value) -> Ref:
    """[D, N, H] with the batch first; zeros where absent. `x` has the batch first."""
    if given is not None:
        return g.node("Transpose", g.cast(given, FLOAT32), g.ints(1, 0, 2))
    directions, _, hidden = recurrence.shape
    if isinstance(directions, Expr) or isinstance(hidden, Expr):
        raise NoLowering(f"openvino: a recurrent layer with {recurrence.type}")
    shape = g.concat(g.part(g.dims(x), 0, 1), g.ints(directions, hidden))
    return g.node("Broadcast", g.number(0, x), shape, mode="numpy")


def _gates(g: Emitter, value: Value | Ref, order: list[int] | None) -> Ref:
    """Weights [D, gates * H, ...] with the gates in another order."""
    if order is None:
        return g.cast(value, FLOAT32)
    if isinstance(value, Value) and value.constant is not None:
        parts = np.split(value.constant, len(order), axis=1)
        return g.cast(g.constant(np.concatenate([parts[k] for k in order], axis=1)), FLOAT32)
    pieces = g.node(
        "Split", g.cast(value, FLOAT32), g.scalar(1), outputs=len(order), num_splits=len(order)
    )
    return g.concat(*(pieces[k] for k in order), axis=1)


def _bias(
    g: Emitter,
    bias: Value | None,
    recurrence: Value,
    gates: int,
    order: list[int] | None,
    *,
    apart: bool,
) -> Ref:
    """Both halves of the bias added up; with `apart` the last gate's stay two."""
    directions, _, hidden = recurrence.shape
    if isinstance(directions, Expr) or isinstance(hidden, Expr):
        raise NoLowering(f"openvino: a recurrent layer with {recurrence.type}")
    if bias is None:
        return g.constant(np.zeros((directions, (gates + apart) * hidden), np.float32))
    if bias.constant is None:
        return _bias_made(g, bias, gates, order, apart=apart)
    both = bias.constant.astype(np.float32).reshape(directions, 2, gates, hidden)
    rows = [both[:, 0, k] + both[:, 1, k] for k in range(gates)]
    if apart:
        rows[-1:] = [both[:, 0, -1], both[:, 1, -1]]
    rows = [rows[k] for k in order] if order else rows
    return g.constant(np.concatenate(rows, axis=1))


def _bias_made(g: Emitter, bias: Value, gates: int, order: list[int] | None, *, apart: bool) -> Ref:
    """As `_bias`, of one that is only known while running."""
    count = 2 * gates
    rows = g.node("Split", g.cast(bias, FLOAT32), g.scalar(1), outputs=count, num_splits=count)
    made = [g.pair("Add", rows[k], rows[gates + k]) for k in range(gates)]
    if apart:
        made[-1:] = [rows[gates - 1], rows[-1]]
    return g.concat(*([made[k] for k in order] if order else made), axis=1)


def _layer(
    g: Emitter,
    op: str,
    input: Value,
    lengths: Value | None,
    states: list[Value | None],
    weights: list[Ref],
    recurrence: Value,
    *,
    outputs: int,
    direction: str,
    activations: list[str],
    clip: float | None,
    **rest: Any,
) -> Any:
    x = g.node("Transpose", g.cast(input, FLOAT32), g.ints(1, 0, 2))
    if lengths is None:
        sizes = g.dims(x)
        long = g.node("Broadcast", g.part(sizes, 1, 2), g.part(sizes, 0, 1), mode="numpy")
    else:
        long = g.int64(lengths)
    first = [_state(g, s, x, recurrence) for s in states]
    results = g.node(
        op,
        x,
        *first,
        long,
        *weights,
        outputs=outputs,
        hidden_size=int(recurrence.shape[2]),  # type: ignore[arg-type]  # as _state found
        direction=direction,
        activations=activations,
        clip=float(clip or 0.0),
        **rest,
    )
    whole = g.node("Transpose", results[0], g.ints(2, 1, 0, 3))
    ends = [g.node("Transpose", r, g.ints(1, 0, 2)) for r in results[1:]]
    return tuple(g.cast(r, input.precision) for r in (whole, *ends))


@table.lower(recurrent.rnn)
def rnn(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
) -> Any:
    names = _names(activations, 1, direction)
    weights = [_gates(g, weight, None), _gates(g, recurrence, None)]
    weights.append(_bias(g, bias, recurrence, 1, None, apart=False))
    return _layer(
        g,
        "RNNSequence",
        input,
        sequence_lens,
        [initial_h],
        weights,
        recurrence,
        outputs=2,
        direction=direction,
        activations=names,
        clip=clip,
    )


@table.lower(recurrent.gru)
def gru(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    linear_before_reset: bool,
) -> Any:
    names = _names(activations, 2, direction)
    weights = [_gates(g, weight, None), _gates(g, recurrence, None)]
    weights.append(_bias(g, bias, recurrence, 3, None, apart=linear_before_reset))
    return _layer(
        g,
        "GRUSequence",
        input,
        sequence_lens,
        [initial_h],
        weights,
        recurrence,
        outputs=2,
        direction=direction,
        activations=names,
        clip=clip,
        linear_before_reset=linear_before_reset,
    )


FORGET_FIRST = [2, 0, 3, 1]
"""OpenVINO's gates in the standard's: forget, input, cell, output."""


@table.lower(recurrent.lstm)
def lstm(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    initial_c: Value | None = None,
    peephole: Value | None = None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    input_forget: bool,
) -> Any:
    if peephole is not None and (peephole.constant is None or peephole.constant.any()):
        raise NoLowering("openvino has no LSTM with peepholes")
    if input_forget:
        raise NoLowering("openvino has no LSTM with input_forget")
    names = _names(activations, 3, direction)
    weights = [_gates(g, v, FORGET_FIRST) for v in (weight, recurrence)]
    weights.append(_bias(g, bias, recurrence, 4, FORGET_FIRST, apart=False))
    return _layer(
        g,
        "LSTMSequence",
        input,
        sequence_lens,
        [initial_h, initial_c],
        weights,
        recurrence,
        outputs=3,
        direction=direction,
        activations=names,
        clip=clip,
    )
