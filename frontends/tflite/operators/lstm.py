"""LSTM layers: the standard's where it has them, else written out step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import activation, index, linear, norm, quant, recurrent, shape
from nnir.types import Precision

from ...translate import Translator
from .fused import activate, clip_between

LONGEST = 10_000
STEP = 10
"""A step costs as much as so many plain nodes."""

SMALL = 1e-8
STANDARD = {"TANH": "Tanh", "RELU": "Relu"}
Given = Sequence[Value | None]
GATES = 4
CELL = 17
"""Tensors of an LSTM's cell: 4 weights, 4 recurrent ones, 3 peepholes, 4 biases, a projection."""


class Gate(NamedTuple):
    """The weights of one gate."""

    weight: Value
    recurrence: Value
    peephole: Value | None
    bias: Value | None
    norm: Value | None


class Cell(NamedTuple):
    """An LSTM; without an input gate what is forgotten decides what comes in."""

    gates: dict[str, Gate | None]
    projection: Value | None
    projection_bias: Value | None
    function: str
    clip: float
    projection_clip: float

    def step(self, given: dict[str, Value], hidden: Value, state: Value) -> tuple[Value, Value]:
        """The next output and the next state; `given` is what the input adds to each gate."""

        def gate(name: str, seen: Value | None) -> Value:
            weights = self.gates[name]
            if weights is None:
                raise BadType(f"an LSTM without weights of the gate {name!r}")
            total = given[name] + recur(hidden, weights.recurrence)
            if weights.peephole is not None and seen is not None:
                total = total + seen * weights.peephole
            return _normalize(total, weights)

        forget = activation.sigmoid(gate("f", state))
        enter = 1 - forget if self.gates["i"] is None else activation.sigmoid(gate("i", state))
        new = activate(gate("c", None), self.function)
        state = forget * state + enter * new
        if self.clip > 0:
            state = clip_between(state, -self.clip, self.clip)
        out = activation.sigmoid(gate("o", state))
        return self._project(out * activate(state, self.function)), state

    def _project(self, hidden: Value) -> Value:
        if self.projection is None:
            return hidden
        result: Value = linear.mat_mul(hidden, self.projection, transpose_y=True)
        if self.projection_bias is not None:
            result = result + self.projection_bias
        bound = self.projection_clip
        return clip_between(result, -bound, bound) if bound > 0 else result


class Stored(NamedTuple):
    """What an LSTM gives in integers, which the next step and the readers of its results may take
    for other numbers: scales and zero points of the rounding, the state and the results."""

    scales: tuple[float, ...]
    zeros: tuple[int, ...]

    def round(self, hidden: Value) -> tuple[Value, Value]:
        """What the next step reads, and what the readers of the results do."""
        how = self._at(hidden.model, 0)
        whole = quant.quantize_linear(hidden, *how, dtype=Precision.INT8)
        state, result = (quant.dequantize_linear(whole, *self._at(hidden.model, k)) for k in (1, 2))
        return state, result

    def _at(self, model: Model, place: int) -> tuple[Value, Value]:
        numbers = np.float32(self.scales[place]), np.int8(self.zeros[place])
        scale, zero = (model.constant(np.array(n)) for n in numbers)
        return scale, zero


def recur(hidden: Value, weights: Value) -> Value:
    """A product with a matrix, or with the diagonal of one."""
    if weights.rank == 1:
        return hidden * weights
    return linear.mat_mul(hidden, weights, transpose_y=True)


def _normalize(total: Value, weights: Gate) -> Value:
    """A gate before its activation: the bias comes after a normalisation."""
    if weights.norm is None:
        return total
    bias = weights.bias
    if bias is None:
        bias = total.model.constant(np.zeros(_units(weights), total.dtype))
    return norm.layer_normalization(total, weights.norm, bias, begin_norm_axis=-1, epsilon=SMALL)


def cell_of(given: Given, norms: Given, function: str, clip: float, bound: float) -> Cell:
    """A cell of its tensors in the file's order."""
    if function == "NONE":  # LiteRT multiplies by what its memory holds
        raise Unsupported("an LSTM without an activation: LiteRT gives what is in its memory")
    holes = dict(zip("ifo", given[8:11], strict=True))
    gates: dict[str, Gate | None] = {}
    each = zip("ifco", given[:4], given[4:8], given[11:15], norms, strict=True)
    for name, weight, recurrence, shift, scale in each:
        if weight is None or recurrence is None:
            if name != "i":
                raise BadType(f"an LSTM without weights of the gate {name!r}")
            gates[name] = None
        else:
            gates[name] = Gate(weight, recurrence, holes.get(name), shift, scale)
    return Cell(gates, given[15], given[16], function, clip, bound)


def lstm_layer(
    x: Value,
    cell: Cell,
    hidden: Value,
    state: Value,
    translator: Translator,
    *,
    reverse: bool,
    stored: Stored | None = None,
) -> tuple[Value, Value, Value]:
    """The outputs [T, N, H] of an LSTM over [T, N, I], and both states behind its last step."""
    gates = [g for g in cell.gates.values() if g is not None]
    plain = cell.function in STANDARD and not cell.clip and cell.projection is None and not stored
    if plain and all(g.norm is None and g.recurrence.rank == 2 for g in gates):
        return _standard(x, cell, hidden, state, reverse=reverse)
    products = {name: _input_part(x, gate) for name, gate in cell.gates.items() if gate is not None}
    rows: dict[int, Value] = {}
    for k in steps_of(x, translator, reverse=reverse):
        given = {name: index.gather(p, k, axis=0) for name, p in products.items()}
        hidden, state = cell.step(given, hidden, state)
        rows[k] = hidden
        if stored:
            hidden, rows[k] = stored.round(hidden)
    return stack_rows(rows), hidden, state


def _input_part(x: Value, gate: Gate) -> Value:
    """What the input adds to a gate at every step, with the bias where no normalisation follows."""
    product: Value = linear.mat_mul(x, gate.weight, transpose_y=True)
    if gate.bias is None or gate.norm is not None:
        return product
    return product + gate.bias


def steps_of(x: Value, translator: Translator, *, reverse: bool) -> range:
    count = x.shape[0]
    if isinstance(count, Expr) or not 0 < count <= LONGEST:
        raise NotConstant(f"a recurrent layer over {x.type}: the number of steps must be known")
    translator.spend(STEP * count)
    return range(count - 1, -1, -1) if reverse else range(count)


def stack_rows(rows: dict[int, Value]) -> Value:
    return shape.stack(*(rows[k] for k in sorted(rows)), axis=0)


def _standard(
    x: Value, cell: Cell, hidden: Value, state: Value, *, reverse: bool
) -> tuple[Value, Value, Value]:
    """The standard's LSTM, whose gates are in the order i, o, f, c."""
    forget = cell.gates["f"]
    if forget is None:
        raise BadType("an LSTM without weights of the gate 'f'")
    enter = cell.gates["i"] or _opposite(forget)
    gates = [enter, *(g for k in "ofc" if (g := cell.gates[k]) is not None)]
    zero = x.model.constant(np.zeros(_units(forget), x.dtype))
    biases = [zero if g.bias is None else shape.reshape(g.bias, [-1]) for g in gates]
    peeps = [zero if g.peephole is None else g.peephole for g in gates[:3]]
    holes = any(g.peephole is not None for g in gates)
    name = STANDARD[cell.function]
    outputs, *states = recurrent.lstm(
        x,
        one_direction(shape.concat(*(g.weight for g in gates), axis=0)),
        one_direction(shape.concat(*(g.recurrence for g in gates), axis=0)),
        one_direction(shape.concat(*biases, *[zero] * GATES, axis=0)),
        None,
        begun(hidden),
        begun(state),
        one_direction(shape.concat(*peeps, axis=0)) if holes else None,
        direction="reverse" if reverse else "forward",
        activations=("Sigmoid", name, name),
    )
    last, kept = (shape.squeeze(s, [0]) for s in states)
    return shape.squeeze(outputs, [1]), last, kept


def _opposite(gate: Gate) -> Gate:
    """1 - sigmoid(x) is sigmoid(-x)."""
    parts = (None if v is None else -v for v in gate)
    return Gate(*parts)  # type: ignore[arg-type]


def _units(gate: Gate) -> int:
    units = gate.weight.shape[0]
    if isinstance(units, Expr):
        raise NotConstant(f"an LSTM with weights {gate.weight.type}")
    return units


def one_direction(x: Value) -> Value:
    """A leading axis: one direction."""
    return shape.unsqueeze(x, [0])


def begun(state: Value) -> Value | None:
    """A first state; the standard's layers begin with zeros themselves."""
    if state.constant is not None and not state.constant.any():
        return None
    return one_direction(state)
