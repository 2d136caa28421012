"""ONNX recurrent layers."""

from __future__ import annotations

from typing import Any

from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import recurrent, shape

from ...table import Table

table = Table()
Activations = tuple[str, ...]
Numbers = tuple[float, ...]


def _layer(
    operator: Operator[tuple[Value, ...]],
    inputs: tuple[Value | None, ...],
    *,
    hidden_size: int | None,
    layout: int,
    states: tuple[int, ...],
    **attributes: Any,
) -> tuple[Value, ...]:
    """Call the operator, which has time first; `states` are the positions of initial states."""
    operands = list(inputs)
    name = operator.name
    if layout not in (0, 1):
        raise Unsupported(f"{name} with layout={layout}")
    _check_hidden(name, operands[2], hidden_size)
    if layout:
        for position in (0, *states):
            operands[position] = _swap_time_and_batch(operands[position])
    while operands[-1] is None:
        operands.pop()
    outputs, *last = operator(*operands, **attributes)
    if layout:
        outputs = shape.transpose(outputs, perm=(2, 0, 1, 3))
        last = [_swap_time_and_batch(v) for v in last]
    return outputs, *last


def _swap_time_and_batch(value: Value | None) -> Any:
    return None if value is None else shape.transpose(value, perm=(1, 0, 2))


def _check_hidden(name: str, recurrence: Value | None, hidden_size: int | None) -> None:
    size = None if recurrence is None or recurrence.rank != 3 else recurrence.shape[2]
    known = hidden_size is not None and not isinstance(size, Expr)
    if known and size != hidden_size:
        raise BadType(f"{name} with hidden_size={hidden_size} and weights of {size}")


@table.convert("RNN", since=7)
def rnn(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> tuple[Value, ...]:
    each = 2 if direction == "bidirectional" else 1
    return _layer(
        recurrent.rnn,
        (x, w, r, b, sequence_lens, initial_h),
        hidden_size=hidden_size,
        layout=layout,
        states=(5,),
        activations=activations[:each] if activations == ("Tanh", "Tanh") else activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        direction=direction,
    )


@table.convert("GRU", since=7)
def gru(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Sigmoid", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Value, ...]:
    return _layer(
        recurrent.gru,
        (x, w, r, b, sequence_lens, initial_h),
        hidden_size=hidden_size,
        layout=layout,
        states=(5,),
        activations=activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        direction=direction,
        linear_before_reset=bool(linear_before_reset),
    )


@table.convert("LSTM", since=7)
def lstm(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    initial_c: Value | None = None,
    p: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Sigmoid", "Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Value, ...]:
    return _layer(
        recurrent.lstm,
        (x, w, r, b, sequence_lens, initial_h, initial_c, p),
        hidden_size=hidden_size,
        layout=layout,
        states=(5, 6),
        activations=activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        direction=direction,
        input_forget=bool(input_forget),
    )


@table.convert("RNN", since=1)
def rnn_1(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    output_sequence: int = 0,
) -> tuple[Value, ...]:
    """`output_sequence` says whether the first output is wanted; it is there in any case."""
    return rnn(
        x,
        w,
        r,
        b,
        sequence_lens,
        initial_h,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
    )


@table.convert("GRU", since=3)
@table.convert("GRU", since=1)
def gru_1(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Sigmoid", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    linear_before_reset: int = 0,
    output_sequence: int = 0,
) -> tuple[Value, ...]:
    """`output_sequence` as in RNN."""
    return gru(
        x,
        w,
        r,
        b,
        sequence_lens,
        initial_h,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
        linear_before_reset=linear_before_reset,
    )


@table.convert("LSTM", since=1)
def lstm_1(
    x: Value,
    w: Value,
    r: Value,
    b: Value | None = None,
    sequence_lens: Value | None = None,
    initial_h: Value | None = None,
    initial_c: Value | None = None,
    p: Value | None = None,
    *,
    activation_alpha: Numbers | None = None,
    activation_beta: Numbers | None = None,
    activations: Activations = ("Sigmoid", "Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    output_sequence: int = 0,
) -> tuple[Value, ...]:
    """`output_sequence` as in RNN."""
    return lstm(
        x,
        w,
        r,
        b,
        sequence_lens,
        initial_h,
        initial_c,
        p,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
        input_forget=input_forget,
    )
