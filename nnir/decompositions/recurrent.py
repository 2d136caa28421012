"""Recurrent layers written out step by step: one matrix product for all inputs, then the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import build
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import activation, cells, compare, generate, index, linear, recurrent, shape
from ..ops.recurrent import DIRECTIONS

LONGEST = 1024
"""So many steps a layer is written out for."""

Function = Callable[[Value], Value]
State = tuple[Value, ...]
Step = Callable[[Value, State], State]
"""From the product of the input (with its bias) and the state to the next state."""

FUNCTIONS: dict[str, Callable[[Value, float, float], Value]] = {
    "affine": lambda x, a, b: x * a + b,
    "elu": lambda x, a, b: compare.where(x < 0, activation.elu(x, alpha=a), x),
    "hardsigmoid": lambda x, a, b: activation.hard_sigmoid(x, alpha=a, beta=b),
    "leakyrelu": lambda x, a, b: activation.leaky_relu(x, alpha=a),
    "relu": lambda x, a, b: activation.relu(x),
    "scaledtanh": lambda x, a, b: activation.tanh(x * b) * a,
    "sigmoid": lambda x, a, b: activation.sigmoid(x),
    "softplus": lambda x, a, b: activation.softplus(x),
    "softsign": lambda x, a, b: x / (abs(x) + 1),
    "tanh": lambda x, a, b: activation.tanh(x),
    "thresholdedrelu": lambda x, a, b: compare.where(x > a, x, 0),
}


@recurrent.rnn.decomposes(level=Level.UNROLLED)
def _rnn(
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
) -> tuple[Value, ...]:
    layer = Layer(input, weight, recurrence, bias, sequence_lens, clip, direction)
    functions = layer.functions(1, activations, activation_alpha, activation_beta)

    def step_of(k: int) -> Step:
        def step(x: Value, state: State) -> State:
            total = x + layer.product(state[0], k, 0, 1) + layer.offset(k, 0, 1)
            return (functions[k][0](layer.clip(total)),)

        return step

    return layer.run(step_of, [initial_h])


@recurrent.gru.decomposes(level=Level.UNROLLED)
def _gru(
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
) -> tuple[Value, ...]:
    layer = Layer(input, weight, recurrence, bias, sequence_lens, clip, direction)
    functions = layer.functions(2, activations, activation_alpha, activation_beta)

    def step_of(k: int) -> Step:
        def step(x: Value, state: State) -> State:
            (h,) = state
            gates = layer.columns(x, 0, 2) + layer.product(h, k, 0, 2) + layer.offset(k, 0, 2)
            both = functions[k][0](layer.clip(gates))
            update, reset = layer.columns(both, 0, 1), layer.columns(both, 1, 2)
            if linear_before_reset:
                hidden = reset * (layer.product(h, k, 2, 3) + layer.offset(k, 2, 3))
            else:
                hidden = layer.product(reset * h, k, 2, 3) + layer.offset(k, 2, 3)
            new = functions[k][1](layer.clip(layer.columns(x, 2, 3) + hidden))
            return ((1 - update) * new + update * h,)

        return step

    return layer.run(step_of, [initial_h])


@recurrent.lstm.decomposes(level=Level.UNROLLED)
def _lstm(
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
) -> tuple[Value, ...]:
    layer = Layer(input, weight, recurrence, bias, sequence_lens, clip, direction)
    functions = layer.functions(3, activations, activation_alpha, activation_beta)

    def step_of(k: int) -> Step:
        f, g, h_of = functions[k]

        def peep(cell: Value, gate: int) -> Value | float:
            return (
                0.0 if peephole is None else cell * layer.columns(_row(peephole, k), gate, gate + 1)
            )

        def step(x: Value, state: State) -> State:
            h, c = state
            total = x + layer.product(h, k, 0, 4) + layer.offset(k, 0, 4)
            i, o, forget, cell = (layer.columns(total, n, n + 1) for n in range(4))
            opened = f(layer.clip(_plus(i, peep(c, 0))))
            kept = 1 - opened if input_forget else f(layer.clip(_plus(forget, peep(c, 2))))
            new = kept * c + opened * g(layer.clip(cell))
            return f(layer.clip(_plus(o, peep(new, 1)))) * h_of(new), new

        return step

    return layer.run(step_of, [initial_h, initial_c])


def _plus(x: Value, other: Value | float) -> Value:
    return x + other if isinstance(other, Value) else x


def _row(x: Value, k: int) -> Value:
    return index.gather(x, k, axis=0)


class Layer:
    """The weights of a layer, and what its steps are made of."""

    def __init__(
        self,
        input: Value,
        weight: Value,
        recurrence: Value,
        bias: Value | None,
        lengths: Value | None,
        clip: float | None,
        direction: str,
    ) -> None:
        self.input, self.weight, self.recurrence = input, weight, recurrence
        self.bias, self.lengths, self.limit = bias, lengths, clip
        self.reverses = DIRECTIONS[direction]
        (self.steps,) = build.known_sizes(input, [0])
        if not 0 < self.steps <= LONGEST:
            raise Unsupported(f"{self.steps} steps written out, over {LONGEST} or none")
        (self.hidden,) = build.known_sizes(recurrence, [2])
        (rows,) = build.known_sizes(recurrence, [1])
        self.gates = rows // self.hidden

    def functions(
        self,
        each: int,
        names: tuple[str, ...],
        alphas: tuple[float, ...] | None,
        betas: tuple[float, ...] | None,
    ) -> list[list[Function]]:
        """The activations of each direction."""
        count = len(self.reverses)
        every = names if len(names) == each * count else names * count
        parts = cells.parameters(every, alphas, betas)
        bound = [_activation_of(*part) for part in parts]
        return [bound[k * each : (k + 1) * each] for k in range(count)]

    def clip(self, x: Value) -> Value:
        """Values limited as the layer says."""
        if self.limit is None:
            return x
        return activation.clip(x, x.scalar(-self.limit), x.scalar(self.limit))

    def columns(self, x: Value, first: int, end: int) -> Value:
        """The gates `first` up to `end` along the last axis."""
        if first == 0 and x.shape[-1] == end * self.hidden:
            return x
        return index.slice_(x, [-1], [first * self.hidden], [end * self.hidden])

    def product(self, h: Value, k: int, first: int, end: int) -> Value:
        """The state times the rows of some gates of direction `k`."""
        rows = _row(self.recurrence, k)
        if end - first < self.gates:
            rows = index.slice_(rows, [0], [first * self.hidden], [end * self.hidden])
        return linear.mat_mul(h, shape.transpose(rows, perm=(1, 0)))

    def offset(self, k: int, first: int, end: int) -> Value:
        """The recurrent half of the bias of some gates."""
        if self.bias is None:
            return self.input.scalar(0)
        start = self.gates * self.hidden
        half = index.slice_(_row(self.bias, k), [0], [start], [2 * start])
        return self.columns(half, first, end)

    def run(
        self, step_of: Callable[[int], Step], starts: Sequence[Value | None]
    ) -> tuple[Value, ...]:
        """All states [T, D, N, H] and the last of each kind [D, N, H]."""
        sequences, lasts = [], []
        for k, reverse in enumerate(self.reverses):
            state = tuple(self._start(s, k) for s in starts)
            outputs, last = self._direction(k, step_of(k), state, reverse=reverse)
            sequences.append(outputs)
            lasts.append(last)
        ends = [shape.stack(*states, axis=0) for states in zip(*lasts, strict=True)]
        return shape.stack(*sequences, axis=1), *ends

    def _start(self, start: Value | None, k: int) -> Value:
        if start is not None:
            return _row(start, k)
        batch = build.size_of(self.input, 1)
        size = build.vector(self.input.model, [batch, self.hidden])
        return generate.fill(size, self.input.scalar(0))

    def _direction(self, k: int, step: Step, state: State, *, reverse: bool) -> tuple[Value, State]:
        inner = linear.mat_mul(self.input, shape.transpose(_row(self.weight, k), perm=(1, 0)))
        if self.bias is not None:
            half = index.slice_(_row(self.bias, k), [0], [0], [self.gates * self.hidden])
            inner = inner + half
        outputs: list[Value] = [inner] * self.steps
        order = range(self.steps)
        for moment in reversed(order) if reverse else order:
            new = step(_row(inner, moment), state)
            if self.lengths is None:
                state, outputs[moment] = new, new[0]
                continue
            live = shape.unsqueeze(self.lengths > moment, [1])
            state = tuple(compare.where(live, n, o) for n, o in zip(new, state, strict=True))
            outputs[moment] = compare.where(live, new[0], 0)
        return shape.stack(*outputs, axis=0), state


def _activation_of(name: str, alpha: float, beta: float) -> Function:
    return lambda x: FUNCTIONS[name](x, alpha, beta)
