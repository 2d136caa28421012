"""Recurrent layers as OpenVINO's sequences, whose batch comes first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from nnir.model import Model, Value
from nnir.ops import recurrent
from nnir.recipes.recurrent import add_biases, join_gates, reorder_gates
from nnir.types import Precision

from ...attributes import Cells
from ...quirks import report_met
from .emitter import Emitter, Ref, Refs
from .forms import Single, Sizes, Table, single
from .quirks import TRANSPOSED_INPUT

table = Table()
FUNCTIONS = frozenset({"sigmoid", "tanh", "relu"})
KINDS = {"RNN": (1, 1, ()), "GRU": (2, 3, ()), "LSTM": (3, 4, (2, 0, 3, 1))}
"""Activations, gates, and OpenVINO's gates in the standard's: forget, input, cell, output."""


def _batch_first(g: Emitter, x: Ref) -> Ref:
    return g.transpose(x, 1, 0, 2)


def _time_first(g: Emitter, whole: Ref, directions: int) -> Ref:
    """[N, D, T, H] as [T, D, N, H].

    Between a Transpose of its input and one of its result OpenVINO makes a sequence of one
    direction read the input as it is, and gives whatever else reads the first Transpose that too.
    No reader can be kept off it, equal nodes become one; so the second one has three axes.
    """
    if directions > 1:
        return g.transpose(whole, 2, 1, 0, 3)
    report_met(TRANSPOSED_INPUT)
    return g.unsqueeze(_batch_first(g, g.squeeze(whole, 1)), 1)


def _weights(
    *parts: Value, gates: int, order: Sequence[int], apart: bool
) -> tuple[Value, Value, Value]:
    """Weights of the input and of the state and their biases, the gates in OpenVINO's order."""
    weight, recurrence, bias = (p.cast(Precision.FLOAT32) for p in parts)
    sums = add_biases(bias, gates, apart=apart)
    reorder = partial(reorder_gates, gates=order or (0,), axis=1)
    biases = join_gates([sums[k] for k in order or range(len(sums))], 1)
    return reorder(weight), reorder(recurrence), biases


@table.lower(recurrent.rnn, recurrent.gru, recurrent.lstm, how=Cells)
def layer(
    g: Emitter,
    input: Single,
    weight: Value,
    recurrence: Value,
    bias: Value | None,
    sequence_lens: Sizes | None,
    *states: Value | None,
    how: Cells,
) -> Refs:
    name, count = g.operation.operator.name, len(g.operation.outputs)
    each, gates, order = KINDS[name]
    peepholes = [v for v in states[2:] if v is not None]
    g.need(
        not (how.input_forget or any(v.constant is None or v.constant.any() for v in peepholes)),
        "has no LSTM with peepholes or input_forget",
    )
    g.need(
        sequence_lens is None or input.output.get_partial_shape().is_static,
        "reads no lengths of sequences whose sizes are open: fix them with --dim NAME=SIZE",
    )
    names = [f.lower() for f in how.functions(each)]
    g.need(
        FUNCTIONS.issuperset(names) and names[:each] == names[-each:],
        f"has sigmoid, tanh and relu, alike in both directions, not {names}",
    )
    directions, _, hidden = recurrence.sizes
    none = Model().constant(np.zeros((directions, 2 * gates * hidden), np.float32))
    arrange = partial(_weights, gates=gates, order=order, apart=how.linear_before_reset or False)
    x = _batch_first(g, input)
    batch, steps = (g.part(g.dims(x), k, k + 1) for k in (0, 1))
    begin = g.broadcast(g.number(0, x), batch, g.ints(directions, hidden))
    whole, *ends = g.node(
        f"{name}Sequence",
        x,
        *(begin if s is None else _batch_first(g, single(g, s)) for s in states[: count - 1]),
        g.broadcast(steps, batch) if sequence_lens is None else sequence_lens,
        *g.compose(arrange, weight, recurrence, none if bias is None else bias),
        outputs=count,
        hidden_size=hidden,
        direction=how.direction,
        activations=names[:each],
        clip=how.clip or 0.0,
        linear_before_reset=how.linear_before_reset,
    )
    return _time_first(g, whole, directions), *(_batch_first(g, r) for r in ends)
