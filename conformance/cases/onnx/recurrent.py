"""ONNX recurrent layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, i, rand

ROUNDS = Tolerance(relative=2e-5, absolute=2e-6)
T, N, K, H = 4, 3, 2, 5
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
LENGTHS = i(4, 2, 1, dtype=np.int32)


def weights(op: str, directions: int = 1, dtype: Any = np.float32) -> tuple[np.ndarray, ...]:
    """Input weights, recurrence weights and biases."""
    gates = GATES[op] * H
    shapes = ((directions, gates, K), (directions, gates, H), (directions, 2 * gates))
    return tuple(rand(*s, seed=k, dtype=dtype, low=-1, high=1) for k, s in enumerate(shapes))


def layer(
    op: str, *more: Any, directions: int = 1, why: str = "", outputs: int = 2, **rest: Any
) -> Case:
    """A layer with biases; `more` follows them."""
    attrs = {"hidden_size": H} | rest.pop("attrs", {})
    given = (rand(T, N, K), *weights(op, directions), *more)
    oracle = rest.pop("oracle", "onnxruntime")
    return Case(op, given, attrs, tol=ROUNDS, why=why, outputs=outputs, oracle=oracle, **rest)


def start(directions: int = 1) -> np.ndarray:
    """An initial state."""
    return rand(directions, N, H, seed=7)


BOTH = {"direction": "bidirectional"}
OTHERS: dict[str, list[str]] = {
    "RNN": ["Relu"],
    "GRU": ["HardSigmoid", "ScaledTanh"],
    "LSTM": ["HardSigmoid", "Softsign", "Elu"],
}
SHARED = [
    case
    for op in GATES
    for case in (
        layer(op, why="plain", oracle="reference"),
        Case(
            op,
            (rand(T, N, K), *weights(op)[:2]),
            {"hidden_size": H},
            tol=ROUNDS,
            why="no bias, one output",
        ),
        Case(op, (rand(T, N, K), *weights(op)[:2]), tol=ROUNDS, oracle="reference", why="defaults"),
        Case(
            op,
            (rand(T, N, K), *map(Const, weights(op))),
            {"hidden_size": H},
            tol=ROUNDS,
            why="constant weights",
        ),
        layer(op, None, start(), why="an initial state"),
        layer(op, LENGTHS, why="lengths"),
        layer(op, LENGTHS, directions=2, attrs=BOTH, why="lengths in both directions"),
        layer(op, None, start(2), directions=2, attrs=BOTH, why="both directions"),
        layer(op, attrs={"direction": "reverse"}, why="reverse"),
        layer(op, attrs={"clip": 0.3}, why="clip"),
        layer(
            op,
            attrs={
                "activations": OTHERS[op],
                "activation_alpha": [0.3, 0.9],
                "activation_beta": [0.4, 0.8],
            },
            why="other activations",
        ),
        *(
            layer(
                op,
                attrs={
                    "activations": [name, *["Tanh"] * (len(OTHERS[op]) - 1)],
                    "activation_alpha": [0.3],
                    "activation_beta": [0.4],
                },
                why=f"a first {name}",
            )
            for name in ("HardSigmoid", "Affine")
        ),
        layer(op, opset=7, why="opset 7"),
        Case(
            op,
            (rand(N, T, K), *weights(op), None, rand(N, 1, H, seed=7)),
            {"hidden_size": H, "layout": 1},
            tol=ROUNDS,
            outputs=2,
            why="batch first",
        ),
        layer(op, attrs={"layout": 2}, raises=Unsupported),
        layer(op, attrs={"direction": "sideways"}, raises=BadType),
        layer(op, attrs={"hidden_size": H + 1}, raises=BadType, why="a size unlike the weights"),
        layer(op, attrs={"activations": ["Gelu"] * 3}, raises=BadType),
    )
]
CASES = [
    *SHARED,
    layer(
        "GRU", attrs={"linear_before_reset": 1}, oracle="reference", why="reset after the product"
    ),
    layer("LSTM", outputs=3, why="the cell state", oracle="reference"),
    layer(
        "LSTM",
        None,
        start(),
        rand(1, N, H, seed=8),
        rand(1, 3 * H, seed=9),
        outputs=3,
        oracle="reference",
        why="initial states and peepholes",
    ),
    layer("LSTM", attrs={"input_forget": 1}, outputs=3, why="coupled gates"),
    Case(
        "LSTM",
        (rand(T, N, K, dtype=np.float64), *weights("LSTM", dtype=np.float64)),
        {"hidden_size": H},
        tol=ROUNDS,
        why="double",
    ),
]
