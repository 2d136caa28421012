"""Recurrent layers: torch's own where they fit, else step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from nnir.model import Value
from nnir.ops import cells as reference
from nnir.ops import recurrent
from nnir.ops.recurrent import DIRECTIONS

from ...lowering import Lowerings
from . import cells
from .emitter import Emitter

table = Lowerings()
GATES = {"rnn": 1, "gru": 3, "lstm": 4}


def _functions(
    names: Sequence[str],
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    each: int,
    count: int,
) -> list[list[tuple[str, float, float]]]:
    """The activations of each direction with their parameters, as the reference takes them."""
    rest = list(alphas or ()), list(betas or ())
    made = []
    for name in names if len(names) == each * count else tuple(names) * count:
        key = name.lower()
        given = []
        for defaults, left in zip((reference.ALPHA, reference.BETA), rest, strict=True):
            taken = left.pop(0) if key in defaults and left else defaults.get(key, 0.0)
            given.append(float(taken))
        made.append((key, *given))
    return [made[k * each : (k + 1) * each] for k in range(count)]  # type: ignore[misc]


def _halves(g: Emitter, bias: Any, size: Any, x: Any) -> list[Any]:
    """The biases of the input and of the state."""
    if bias is None:
        return [g.call(torch.zeros, [size]).to(x.dtype)] * 2
    return [bias.narrow(0, b * size, size) for b in (0, 1)]


def _layer(
    g: Emitter,
    kind: str,
    operands: dict[str, Value | None],
    functions: list[list[tuple[str, float, float]]],
    direction: str,
    clip: float | None,
    *,
    flag: bool = False,
) -> Any:
    given: dict[str, Any] = {k: None if v is None else g.of(v) for k, v in operands.items()}
    input, recurrence = operands["input"], operands["recurrence"]
    if input is None or recurrence is None:
        raise ValueError(kind)
    x, hidden = given["input"], g.shape(recurrence)[2]
    lengths = operands["sequence_lens"]
    ends = None if lengths is None else g.index(lengths)
    states = ["initial_h", "initial_c"] if kind == "lstm" else ["initial_h"]
    zeros = g.call(torch.zeros, [g.shape(input)[1], hidden]).to(x.dtype)
    outputs, lasts = [], []
    for k, reverse in enumerate(DIRECTIONS[direction]):
        start = [zeros if given[s] is None else given[s].select(0, k) for s in states]
        parts = [given[n].select(0, k) for n in ("weight", "recurrence")]
        size = GATES[kind] * hidden
        bias = None if given["bias"] is None else given["bias"].select(0, k)
        both = _halves(g, bias, size, x)
        peep = given.get("peephole")
        weights = (*parts, *both, None if peep is None else peep.select(0, k))
        made = g.call(cells.layer, kind, x, weights, ends, start, functions[k], clip, flag, reverse)
        outputs.append(made[0])
        lasts.append([made[1 + s] for s in range(len(states))])
    whole = g.call(torch.stack, outputs, 1)
    last = [g.call(torch.stack, list(column)) for column in zip(*lasts, strict=True)]
    return tuple(g.back(r, input.precision) for r in (whole, *last))


@table.lower(recurrent.rnn)
def rnn(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None,
    sequence_lens: Value | None,
    initial_h: Value | None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
) -> Any:
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    count = len(DIRECTIONS[direction])
    functions = _functions(activations, activation_alpha, activation_beta, 1, count)
    return _layer(g, "rnn", operands, functions, direction, clip)


@table.lower(recurrent.gru)
def gru(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None,
    sequence_lens: Value | None,
    initial_h: Value | None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    linear_before_reset: bool,
) -> Any:
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    count = len(DIRECTIONS[direction])
    functions = _functions(activations, activation_alpha, activation_beta, 2, count)
    return _layer(g, "gru", operands, functions, direction, clip, flag=linear_before_reset)


@table.lower(recurrent.lstm)
def lstm(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None,
    sequence_lens: Value | None,
    initial_h: Value | None,
    initial_c: Value | None,
    peephole: Value | None,
    *,
    direction: str,
    activations: tuple[str, ...],
    activation_alpha: tuple[float, ...] | None,
    activation_beta: tuple[float, ...] | None,
    clip: float | None,
    input_forget: bool,
) -> Any:
    operands = {"input": input, "weight": weight, "recurrence": recurrence, "bias": bias}
    operands |= {"sequence_lens": sequence_lens, "initial_h": initial_h}
    operands |= {"initial_c": initial_c, "peephole": peephole}
    count = len(DIRECTIONS[direction])
    functions = _functions(activations, activation_alpha, activation_beta, 3, count)
    return _layer(g, "lstm", operands, functions, direction, clip, flag=input_forget)
