"""One step of each recurrent cell, and the loop over time. Gates and names are those of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

State = tuple[np.ndarray, ...]
Function = Callable[[np.ndarray], np.ndarray]
Step = Callable[[np.ndarray, State], State]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small)).astype(x.dtype)


FUNCTIONS: dict[str, Callable[[np.ndarray, float, float], np.ndarray]] = {
    "affine": lambda x, a, b: a * x + b,
    "elu": lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "leakyrelu": lambda x, a, b: np.where(x >= 0, x, a * x),
    "relu": lambda x, a, b: np.maximum(x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "sigmoid": lambda x, a, b: sigmoid(x),
    "softplus": lambda x, a, b: np.logaddexp(x, 0),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "tanh": lambda x, a, b: np.tanh(x),
    "thresholdedrelu": lambda x, a, b: np.where(x > a, x, 0),
}
ALPHA = {
    "affine": 1.0,
    "elu": 1.0,
    "hardsigmoid": 0.2,
    "leakyrelu": 0.01,
    "scaledtanh": 1.0,
    "thresholdedrelu": 1.0,
}
BETA = {"affine": 0.0, "hardsigmoid": 0.5, "scaledtanh": 1.0}
"""Defaults of the parameters, for the functions that have them."""


def functions(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> list[Function]:
    """The activations with their parameters."""
    return [_bind_parameters(*each) for each in parameters(names, alphas, betas)]


def parameters(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> list[tuple[str, float, float]]:
    """The key, alpha and beta of each; those that have a parameter take the next one given."""
    rest = list(alphas or ()), list(betas or ())
    rows = []
    for name in names:
        key = name.lower()
        alpha, beta = (
            left.pop(0) if key in defaults and left else defaults.get(key, 0.0)
            for defaults, left in zip((ALPHA, BETA), rest, strict=True)
        )
        rows.append((key, alpha, beta))
    return rows


def _bind_parameters(key: str, alpha: float, beta: float) -> Function:
    def apply(x: np.ndarray) -> np.ndarray:
        return FUNCTIONS[key](x, x.dtype.type(alpha), x.dtype.type(beta)).astype(x.dtype)

    return apply


def clip_values(x: np.ndarray, clip: float | None) -> np.ndarray:
    """Values limited to [-clip, clip]; None does not limit."""
    return x if clip is None else np.clip(x, x.dtype.type(-clip), x.dtype.type(clip))


def run(
    inputs: np.ndarray, lengths: np.ndarray | None, start: State, step: Step, *, reverse: bool
) -> tuple[np.ndarray, State]:
    """The first state of every moment and the last states; past a sequence's end is 0."""
    state = start
    outputs = np.zeros((len(inputs), *start[0].shape), start[0].dtype)
    order = range(len(inputs))
    for moment in reversed(order) if reverse else order:
        new = step(inputs[moment], state)
        if lengths is None:
            state = new
            outputs[moment] = new[0]
        else:
            live = (moment < lengths)[:, None]
            state = tuple(np.where(live, n, o) for n, o in zip(new, state, strict=True))
            outputs[moment] = np.where(live, new[0], 0)
    return outputs, state


def rnn(
    w: np.ndarray, r: np.ndarray, b: np.ndarray, f: Sequence[Function], clip: float | None
) -> Step:
    """The plain cell."""
    bias = b.reshape(2, -1).sum(axis=0)

    def step(x: np.ndarray, state: State) -> State:
        return (f[0](clip_values(x @ w.T + state[0] @ r.T + bias, clip)),)

    return step


def gru(
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    f: Sequence[Function],
    clip: float | None,
    *,
    linear_before_reset: bool,
) -> Step:
    """The gated recurrent unit."""
    size = r.shape[1]
    wb, rb = b.reshape(2, -1)

    def step(x: np.ndarray, state: State) -> State:
        (h,) = state
        gates = x @ w.T + wb
        both = gates[:, : 2 * size] + h @ r[: 2 * size].T + rb[: 2 * size]
        z, reset = np.split(f[0](clip_values(both, clip)), 2, axis=1)
        if linear_before_reset:
            hidden = reset * (h @ r[2 * size :].T + rb[2 * size :])
        else:
            hidden = (reset * h) @ r[2 * size :].T + rb[2 * size :]
        new = f[1](clip_values(gates[:, 2 * size :] + hidden, clip))
        return ((1 - z) * new + z * h,)

    return step


def lstm(
    w: np.ndarray,
    r: np.ndarray,
    b: np.ndarray,
    p: np.ndarray | None,
    f: Sequence[Function],
    clip: float | None,
    *,
    input_forget: bool,
) -> Step:
    """The long short-term memory cell; `p` are its peepholes, where it has such."""
    bias = b.reshape(2, -1).sum(axis=0)
    peep_i, peep_o, peep_f = (None,) * 3 if p is None else np.split(p, 3)

    def look(gate: np.ndarray, peep: np.ndarray | None, cell: np.ndarray) -> np.ndarray:
        return clip_values(gate if peep is None else gate + peep * cell, clip)

    def step(x: np.ndarray, state: State) -> State:
        h, c = state
        i, o, forget, new = np.split(x @ w.T + h @ r.T + bias, 4, axis=1)
        i = f[0](look(i, peep_i, c))
        forget = 1 - i if input_forget else f[0](look(forget, peep_f, c))
        cell = forget * c + i * f[1](clip_values(new, clip))
        o = f[0](look(o, peep_o, cell))
        return o * f[2](cell), cell

    return step
