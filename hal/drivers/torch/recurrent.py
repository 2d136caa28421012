"""Recurrent layers: torch's own where they fit, else step by step."""

from __future__ import annotations

import torch

from nnir.model import Value
from nnir.ops import cells as reference
from nnir.ops import recurrent

from ...attributes import Cells
from . import cells
from .emitter import Emitter, Formulas, Result, Results

table = Formulas()
KINDS = {"rnn": (1, 1), "gru": (2, 3), "lstm": (3, 4)}
"""Activations and gates of a cell."""


def _functions(how: Cells, each: int) -> list[list[tuple[str, float, float]]]:
    """The activations of each direction with their parameters, as the reference takes them."""
    made = reference.parameters(how.functions(each), how.activation_alpha, how.activation_beta)
    return [made[k : k + each] for k in range(0, len(made), each)]


def _halves(g: Emitter, bias: Result | None, size: int, x: Result) -> list[Result]:
    """The biases of the input and of the state."""
    if bias is None:
        return [g.call(torch.zeros, [size]).to(x.dtype)] * 2
    return [bias.narrow(0, b * size, size) for b in (0, 1)]


@table.lower(recurrent.rnn, recurrent.gru, recurrent.lstm, how=Cells)
def layer(
    g: Emitter,
    input: Value,
    weight: Value,
    recurrence: Value,
    bias: Value | None,
    sequence_lens: Value | None,
    *states: Value | None,
    how: Cells,
) -> Results:
    kind = g.operation.operator.name.lower()
    each, gates = KINDS[kind]
    count = len(g.operation.outputs) - 1
    x, w, r = (g.of(v) for v in (input, weight, recurrence))
    b, *first = (None if v is None else g.of(v) for v in (bias, *states))
    hidden = g.shape(recurrence)[2]
    ends = None if sequence_lens is None else g.index(sequence_lens)
    zeros = g.call(torch.zeros, [g.shape(input)[1], hidden]).to(x.dtype)
    functions, flag = _functions(how, each), how.linear_before_reset or how.input_forget or False
    outputs, lasts = [], []
    for k, reverse in enumerate(how.reverses):
        start = [zeros if s is None else s.select(0, k) for s in first[:count]]
        parts = w.select(0, k), r.select(0, k)
        both = _halves(g, None if b is None else b.select(0, k), gates * hidden, x)
        peep = [None if s is None else s.select(0, k) for s in first[count:]] or [None]
        weights = (*parts, *both, *peep)
        given = kind, x, weights, ends, start, functions[k], how.clip, flag, reverse
        made = g.call(cells.layer, *given)
        outputs.append(made[0])
        lasts.append([made[1 + s] for s in range(count)])
    whole = g.call(torch.stack, outputs, 1)
    last = [g.call(torch.stack, list(column)) for column in zip(*lasts, strict=True)]
    return tuple(g.back(v, input.precision) for v in (whole, *last))
