"""Recurrent layers as OpenVINO's sequences, whose batch comes first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import recurrent
from nnir.recipes.recurrent import add_biases, join_gates, reorder_gates
from nnir.types import Precision

from ...attributes import Cells, Ints
from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Ref, Refs
from .quirks import TRANSPOSED_INPUT

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32
FUNCTIONS = frozenset({"sigmoid", "tanh", "relu"})
KINDS = {"RNN": (1, 1, ()), "GRU": (2, 3, ()), "LSTM": (3, 4, (2, 0, 3, 1))}
"""Activations, gates, and OpenVINO's gates in the standard's: forget, input, cell, output."""


def _names(activations: tuple[str, ...], each: int) -> list[str]:
    names = [a.lower() for a in activations]
    if not FUNCTIONS.issuperset(names):
        raise NoLowering(f"openvino has no recurrent layer with {activations}")
    if len(names) > each and names[:each] != names[each:]:
        raise NoLowering(f"openvino has the same activations in both directions, not {activations}")
    return names[:each]


def _state(g: Emitter, given: Value | None, x: Ref, sizes: Ints) -> Ref:
    """[D, N, H] with the batch first; zeros where absent. `x` has the batch first."""
    if given is not None:
        return _batch_first(g, given)
    shape = g.concat(g.part(g.dims(x), 0, 1), g.ints(*sizes))
    return g.node("Broadcast", g.number(0, x), shape, mode="numpy")


def _batch_first(g: Emitter, value: Value | Ref) -> Ref:
    return g.transpose(g.cast(value, FLOAT32), 1, 0, 2)


def _time_first(g: Emitter, whole: Ref, directions: int) -> Ref:
    """[N, D, T, H] as [T, D, N, H].

    Between a Transpose of its input and one of its result OpenVINO makes a sequence of one
    direction read the input as it is, and gives whatever else reads the first Transpose that too.
    No reader can be kept off it, equal nodes become one; so the second one has three axes.
    """
    if directions > 1:
        return g.transpose(whole, 2, 1, 0, 3)
    report_met(TRANSPOSED_INPUT)
    flat = g.transpose(g.squeeze(whole, 1), 1, 0, 2)
    return g.unsqueeze(flat, 1)


def _join_biases(bias: Value, *, gates: int, order: Sequence[int], apart: bool) -> Value:
    sums = add_biases(bias.cast(FLOAT32), gates, apart=apart)
    return join_gates([sums[k] for k in order or range(len(sums))], 1)


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
) -> Refs:
    name = g.operation.operator.name
    each, gates, order = KINDS[name]
    if any(v is not None and (v.constant is None or v.constant.any()) for v in states[2:]):
        raise NoLowering("openvino has no LSTM with peepholes")
    if how.input_forget:
        raise NoLowering("openvino has no LSTM with input_forget")
    names = _names(how.activations, each)
    directions, _, hidden = recurrence.shape
    if isinstance(directions, Expr) or isinstance(hidden, Expr):
        raise NoLowering(f"openvino: a recurrent layer with {recurrence.type}")
    sizes, apart = (directions, hidden), how.linear_before_reset or False
    reorder = partial(reorder_gates, gates=order or (0,), axis=1)
    weights = [g.compose(reorder, v)[0].cast(FLOAT32) for v in (weight, recurrence)]
    if bias is None:
        weights.append(g.constant(np.zeros((directions, (gates + apart) * hidden), np.float32)))
    else:
        weights += g.compose(partial(_join_biases, gates=gates, order=order, apart=apart), bias)
    x, count = _batch_first(g, input), len(g.operation.outputs)
    batch, steps = (g.part(g.dims(x), k, k + 1) for k in (0, 1))
    long = g.node("Broadcast", steps, batch, mode="numpy")
    if sequence_lens is not None:
        long = g.int64(sequence_lens)
    whole, *ends = g.node(
        f"{name}Sequence",
        x,
        *(_state(g, s, x, sizes) for s in states[: count - 1]),
        long,
        *weights,
        outputs=count,
        hidden_size=hidden,
        direction=how.direction,
        activations=names,
        clip=float(how.clip or 0.0),
        linear_before_reset=how.linear_before_reset,
    )
    return _time_first(g, whole, directions), *(_batch_first(g, r) for r in ends)
