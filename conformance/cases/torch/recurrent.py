"""ATen recurrent layers and cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, rand

SUMS = Tolerance(relative=1e-5, absolute=1e-5)
X = rand(5, 2, 3)
GATES = {"lstm.input": 4, "gru.input": 3, "rnn_tanh.input": 1, "rnn_relu.input": 1}


def params(
    gates: int, layers: int, directions: int, *, bias: bool = True, projected: int = 0
) -> list[Const]:
    """The weights of layers with 4 hidden units."""
    found, size = [], 3
    for k in range(layers * directions):
        if k == directions:
            size = (projected or 4) * directions
        found.append(rand(4 * gates, size, seed=k, low=-0.7, high=0.7))
        found.append(rand(4 * gates, projected or 4, seed=k + 9, low=-0.7, high=0.7))
        if bias:
            found += [rand(4 * gates, seed=k + 20), rand(4 * gates, seed=k + 30)]
        if projected:
            found.append(rand(projected, 4, seed=k))
    return [Const(w) for w in found]


def layer(name: str, why: str, layers: int = 1, *flags: bool, **given: Any) -> Case:
    """`flags`: bidirectional, batch_first, without bias."""
    both, first, plain = (*flags, False, False, False)[:3]
    weights = params(GATES[name], layers, 1 + both, bias=not plain, **given)
    batch = 5 if first else 2
    state = rand(layers * (1 + both), batch, given.get("projected", 0) or 4, seed=5)
    cell = rand(layers * (1 + both), batch, 4, seed=6)
    hx: Any = [state, cell] if name == "lstm.input" else state
    inputs = (X, hx, weights, not plain, layers, 0.0, False, both, first)
    return Case(f"aten.{name}", inputs, tol=SUMS, why=why)


CELL = {"lstm_cell": 4, "gru_cell": 3, "rnn_tanh_cell": 1, "rnn_relu_cell": 1}


def cell(name: str, rows: np.ndarray, state: np.ndarray, why: str, *, bias: bool = True) -> Case:
    """One step."""
    weights = params(CELL[name], 1, 1, bias=bias)
    hx: Any = [state, state + 1] if name == "lstm_cell" else state
    return Case(f"aten.{name}.default", (rows, hx, *weights), tol=SUMS, why=why)


CASES: list[Case] = [
    *(layer(name, "plain") for name in GATES),
    *(layer(name, "both directions", 1, True) for name in GATES),
    *(layer(name, "two layers, both directions, batch first", 2, True, True) for name in GATES),
    *(layer(name, "no bias, two layers", 2, False, False, True) for name in GATES),
    layer("lstm.input", "a projection", 2, True, projected=2),
    layer("lstm.input", "a projection without bias", 1, False, True, True, projected=2),
    Case(
        "aten.lstm.input",
        (X, [rand(1, 2, 4)] * 2, [c.array for c in params(4, 1, 1)], True, 1, 0.0, *[False] * 3),
        tol=SUMS,
        why="weights at run time",
    ),
    *(
        Case(
            f"aten.{name}",
            (
                X,
                [rand(1, 2, 4)] * 2 if name == "lstm.input" else rand(1, 2, 4),
                [
                    c if k != at else Const(c.array.astype(np.float64))
                    for k, c in enumerate(params(GATES[name], 1, 1))
                ],
                True,
                1,
                0.0,
                *[False] * 3,
            ),
            raises=BadType,
            why=f"parameter {at} in float64",
        )
        for name in GATES
        for at in (0, 1, 3)
    ),
    Case(
        "aten.gru.input",
        (X, rand(1, 2, 4), params(3, 1, 1), True, 1, 0.5, True, False, False),
        raises=Unsupported,
        why="dropout",
    ),
    *(cell(name, X[0], rand(2, 4), "plain") for name in CELL),
    *(cell(name, X[0, :1], rand(1, 4), "one sample, no bias", bias=False) for name in CELL),
]
LIMITS: list[Limit] = []
