"""Recurrent layers, step by step: the graph repeats the cell for every moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import cells, recurrent
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .linear import dense
from .shape import drop_axes, joined, part
from .static import numbers
from .unary import Arithmetic, real

table = Lowerings()
LONGEST = 512
"""As many moments become steps of the graph."""
Function = Callable[[Ref], Ref]
State = tuple[Ref, ...]


def _activation(f: Arithmetic, name: str, a: float, b: float) -> Function:
    match name.lower():
        case "sigmoid":
            return lambda x: f("LOGISTIC", x)
        case "tanh":
            return lambda x: f("TANH", x)
        case "relu":
            return lambda x: f("RELU", x)
        case "affine":
            return lambda x: f("ADD", f("MUL", x, a), b)
        case "leakyrelu":
            return lambda x: f.where(f("LESS", x, 0), f("MUL", x, a), x)
        case "scaledtanh":
            return lambda x: f("MUL", f("TANH", f("MUL", x, b)), a)
        case "hardsigmoid":
            return lambda x: f("MINIMUM", 1, f("MAXIMUM", 0, f("ADD", f("MUL", x, a), b)))
        case "elu":
            return lambda x: f.where(f("LESS", x, 0), f("MUL", f("ELU", x), a), x)
        case "softsign":
            return lambda x: f("DIV", x, f("ADD", f("ABS", x), 1))
        case "thresholdedrelu":
            return lambda x: f.where(f("GREATER", x, a), x, 0)
        case "softplus":
            return lambda x: f("ADD", f("RELU", x), f.log1p(f("EXP", f("NEG", f("ABS", x)))))
    raise NoLowering(f"litert has no activation {name!r} of a recurrent cell")


def _activations(
    f: Arithmetic,
    names: tuple[str, ...],
    alphas: tuple[float, ...] | None,
    betas: tuple[float, ...] | None,
) -> list[Function]:
    rest = list(alphas or ()), list(betas or ())
    made = []
    for name in names:
        key = name.lower()
        given = []
        for defaults, left in zip((cells.ALPHA, cells.BETA), rest, strict=True):
            given.append(left.pop(0) if key in defaults and left else defaults.get(key, 0.0))
        made.append(_activation(f, name, *given))
    return made


class Layer:
    """What all directions of a layer share; `run` repeats a cell over time."""

    def __init__(self, g: Emitter, input: Value, recurrence: Value, lengths: Value | None) -> None:
        self.g, self.f = g, Arithmetic(g)
        sizes = (*input.shape, recurrence.shape[2])
        if not isinstance(sizes[0], int) or sizes[0] > LONGEST:
            raise NoLowering(f"litert repeats a cell up to {LONGEST} times, not {input.type}")
        self.moments, self.batch, _, self.size = numbers(sizes)
        self.input = g.plain(real(g, input))
        self.lengths = None if lengths is None else self._lengths(lengths)

    def _lengths(self, lengths: Value) -> Ref:
        return self.g.reshape(self.g.cast(lengths, Precision.INT32), (self.batch, 1))

    def of(self, value: Value, direction: int) -> Ref:
        """The part of an operand that belongs to a direction."""
        ref = self.g.plain(self.g.cast(value, Precision.FLOAT32))
        if ref.tensor.data is not None:
            return self.g.constant(ref.tensor.data[direction])
        return drop_axes(self.g, part(self.g, ref, 0, direction, 1), (0,))

    def start(self, value: Value | None, direction: int) -> Ref:
        """The state in the beginning."""
        if value is None:
            return self.g.constant(np.zeros((self.batch, self.size), np.float32))
        return self.g.plain(self.of(value, direction))

    def bias(self, bias: Value | None, direction: int, gates: int) -> Ref:
        """Both biases, one behind the other."""
        if bias is None:
            return self.g.constant(np.zeros(2 * gates * self.size, np.float32))
        return self.of(bias, direction)

    def product(self, x: Ref, weight: Ref, bias: Ref | None) -> Ref:
        """x W' + b."""
        units = weight.shape[0]
        return dense(self.g, self.g.plain(x), self.g.plain(weight), bias, (*x.shape[:-1], units))

    def inputs(self, weight: Ref, bias: Ref) -> list[Ref]:
        """x W' + b of every moment, in one product."""
        every = self.product(self.input, weight, bias)
        parts = (part(self.g, every, 0, t, 1) for t in range(self.moments))
        return [drop_axes(self.g, p, (0,)) for p in parts]

    def gate(self, values: Ref, number: int, count: int = 1) -> Ref:
        """Some gates of all."""
        return part(self.g, values, 1, number * self.size, count * self.size)

    def clipped(self, x: Ref, clip: float | None) -> Ref:
        if clip is None:
            return x
        return self.f("MINIMUM", clip, self.f("MAXIMUM", -clip, x))

    def run(
        self, parts: list[Ref], state: State, step: Callable[[Ref, State], State], *, reverse: bool
    ) -> tuple[Ref, State]:
        """The first state of every moment, [T, 1, N, H], and the last states."""
        outputs: list[Ref] = [state[0]] * self.moments
        order = range(self.moments)
        for moment in reversed(order) if reverse else order:
            new = step(parts[moment], state)
            if self.lengths is None:
                state = outputs_of = new
            else:
                here = self.g.constant(np.int32(moment))
                live = self.f_less(here, self.lengths)
                state = tuple(self.g.where(live, n, o) for n, o in zip(new, state, strict=True))
                outputs_of = (self.f.where(live, new[0], 0),)
            outputs[moment] = outputs_of[0]
        rows = [self.g.reshape(o, (1, 1, self.batch, self.size)) for o in outputs]
        return joined(self.g, rows, 0, (self.moments, 1, self.batch, self.size)), state

    def f_less(self, a: Ref, b: Ref) -> Ref:
        return self.g.elementwise("LESS", a, b, precision=Precision.BOOL8)

    def split(self, bias: Ref) -> tuple[Ref, Ref]:
        """The biases of the input and of the state."""
        half = numbers(bias.shape)[0] // 2
        if bias.tensor.data is not None:
            first, second = np.split(bias.tensor.data, 2)
            return self.g.constant(first), self.g.constant(second)
        return part(self.g, bias, 0, 0, half), part(self.g, bias, 0, half, half)

    def sum(self, bias: Ref) -> Ref:
        first, second = self.split(bias)
        if first.tensor.data is not None and second.tensor.data is not None:
            return self.g.constant(first.tensor.data + second.tensor.data)
        return self.f("ADD", first, second)


Cell = Callable[
    [Layer, int, list[Function]], tuple[list[Ref], State, Callable[[Ref, State], State]]
]


def _layer(
    layer: Layer,
    cell: Cell,
    each: int,
    direction: str,
    activations: tuple[str, ...],
    alphas: tuple[float, ...] | None,
    betas: tuple[float, ...] | None,
) -> Any:
    g = layer.g
    turns = recurrent.DIRECTIONS[direction]
    names = activations if len(activations) == each * len(turns) else activations * len(turns)
    functions = _activations(layer.f, names, alphas, betas)
    outputs, lasts = [], []
    for k, reverse in enumerate(turns):
        parts, state, step = cell(layer, k, functions[k * each : (k + 1) * each])
        found, last = layer.run(parts, state, step, reverse=reverse)
        outputs.append(found)
        lasts.append([g.reshape(s, (1, layer.batch, layer.size)) for s in last])
    whole = (layer.moments, len(turns), layer.batch, layer.size)
    ends = [joined(g, list(s), 0, whole[1:]) for s in zip(*lasts, strict=True)]
    return (joined(g, outputs, 1, whole), *ends)


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
    layer = Layer(g, input, recurrence, sequence_lens)

    def cell(layer: Layer, k: int, f: list[Function]) -> Any:
        r, b = layer.of(recurrence, k), layer.sum(layer.bias(bias, k, 1))

        def step(x: Ref, state: State) -> State:
            total = layer.f("ADD", x, layer.product(state[0], r, None))
            return (f[0](layer.clipped(total, clip)),)

        parts = layer.inputs(layer.of(weight, k), b)
        return parts, (layer.start(initial_h, k),), step

    return _layer(layer, cell, 1, direction, activations, activation_alpha, activation_beta)


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
    layer = Layer(g, input, recurrence, sequence_lens)
    op, size = layer.f, layer.size

    def cell(layer: Layer, k: int, f: list[Function]) -> Any:
        wb, rb = layer.split(layer.bias(bias, k, 3))
        r = layer.of(recurrence, k)
        heads = [
            part(g, v, 0, 0, 2 * size)
            if v.tensor.data is None
            else g.constant(v.tensor.data[: 2 * size])
            for v in (r, rb)
        ]
        tails = [
            part(g, v, 0, 2 * size, size)
            if v.tensor.data is None
            else g.constant(v.tensor.data[2 * size :])
            for v in (r, rb)
        ]

        def step(x: Ref, state: State) -> State:
            (h,) = state
            both = op("ADD", layer.gate(x, 0, 2), layer.product(h, *heads))
            gates = f[0](layer.clipped(both, clip))
            z, reset = layer.gate(gates, 0), layer.gate(gates, 1)
            if linear_before_reset:
                hidden = op("MUL", reset, layer.product(h, *tails))
            else:
                hidden = layer.product(op("MUL", reset, h), *tails)
            new = f[1](layer.clipped(op("ADD", layer.gate(x, 2), hidden), clip))
            return (op("ADD", op("MUL", op("SUB", 1, z), new), op("MUL", z, h)),)

        parts = layer.inputs(layer.of(weight, k), wb)
        return parts, (layer.start(initial_h, k),), step

    return _layer(layer, cell, 2, direction, activations, activation_alpha, activation_beta)


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
    layer = Layer(g, input, recurrence, sequence_lens)
    op = layer.f

    def cell(layer: Layer, k: int, f: list[Function]) -> Any:
        r, b = layer.of(recurrence, k), layer.sum(layer.bias(bias, k, 4))
        peeps = None if peephole is None else layer.of(peephole, k)

        def peeped(gate: Ref, number: int, c: Ref) -> Ref:
            if peeps is not None:
                row = part(g, peeps, 0, number * layer.size, layer.size)
                gate = op("ADD", gate, op("MUL", row, c))
            return f[0](layer.clipped(gate, clip))

        def step(x: Ref, state: State) -> State:
            h, c = state
            gates = op("ADD", x, layer.product(h, r, None))
            i = peeped(layer.gate(gates, 0), 0, c)
            forget = op("SUB", 1, i) if input_forget else peeped(layer.gate(gates, 2), 2, c)
            new = f[1](layer.clipped(layer.gate(gates, 3), clip))
            cell_ = op("ADD", op("MUL", forget, c), op("MUL", i, new))
            o = peeped(layer.gate(gates, 1), 1, cell_)
            return op("MUL", o, f[2](cell_)), cell_

        parts = layer.inputs(layer.of(weight, k), b)
        return parts, (layer.start(initial_h, k), layer.start(initial_c, k)), step

    return _layer(layer, cell, 3, direction, activations, activation_alpha, activation_beta)
