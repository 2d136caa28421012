"""Recurrent layers, whose operators are ONNX's with time first."""

from __future__ import annotations

from typing import Any

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import cells, recurrent
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings()


def _layer(
    g: Emitter,
    op: str,
    input: Value,
    *operands: Value | None,
    outputs: int,
    activations: tuple[str, ...],
    each: int,
    direction: str,
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    **rest: Any,
) -> Any:
    if input.precision == Precision.FLOAT64:
        raise NoLowering(f"onnxruntime has no {op} kernel for FLOAT64")
    if any(d == 0 for d in input.shape):
        raise NoLowering(f"onnxruntime crashes on {op} of {input.type}")
    if any(a.lower() == "softplus" for a in activations):
        raise NoLowering(f"onnxruntime's {op} overflows in Softplus")
    count = 2 if direction == "bidirectional" else 1
    names = activations if len(activations) == each * count else activations * count
    wide = [_wide(g, v) for v in (input, *operands)]
    results = g.node(
        op,
        *wide,
        outputs=outputs,
        activations=list(names),
        direction=direction,
        activation_alpha=_every(names, cells.ALPHA, activation_alpha),
        activation_beta=_every(names, cells.BETA, activation_beta),
        **rest,
    )
    return tuple(g.cast(Ref(r, Precision.FLOAT32), input.precision) for r in results)


def _every(
    names: tuple[str, ...], defaults: dict[str, float], given: tuple[float, ...] | None
) -> list[float] | None:
    """A number for each activation that has the parameter: ONNX Runtime has other defaults."""
    rest = list(given or ())
    takers = [n.lower() for n in names if n.lower() in defaults]
    return [float(rest.pop(0) if rest else defaults[n]) for n in takers] or None


def _wide(g: Emitter, value: Value | None) -> Ref | None:
    """Floats in float32, lengths in int32."""
    if value is None:
        return None
    return g.cast(value, Precision.FLOAT32 if value.is_float else Precision.INT32)


def _hidden(recurrence: Value) -> int:
    size = recurrence.shape[2]
    if not isinstance(size, int):
        raise NoLowering("a recurrent layer whose hidden size is not known")
    return size


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
    return _layer(
        g,
        "RNN",
        input,
        weight,
        recurrence,
        bias,
        sequence_lens,
        initial_h,
        outputs=2,
        each=1,
        direction=direction,
        activations=activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        hidden_size=_hidden(recurrence),
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
    return _layer(
        g,
        "GRU",
        input,
        weight,
        recurrence,
        bias,
        sequence_lens,
        initial_h,
        outputs=2,
        each=2,
        direction=direction,
        activations=activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        linear_before_reset=int(linear_before_reset),
        hidden_size=_hidden(recurrence),
    )


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
    return _layer(
        g,
        "LSTM",
        input,
        weight,
        recurrence,
        bias,
        sequence_lens,
        initial_h,
        initial_c,
        peephole,
        outputs=3,
        each=3,
        direction=direction,
        activations=activations,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        clip=clip,
        input_forget=int(input_forget),
        hidden_size=_hidden(recurrence),
    )
