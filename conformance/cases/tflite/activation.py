"""TFLite's activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import ROUNDS, Case, Const, Tolerance, f, rand, scalar
from .numbers import QUANTUM, name, q, same, stored

INF, NAN = float("inf"), float("nan")
X = rand(2, 3, 4, low=-8, high=8)
SPECIAL = f(NAN, INF, -INF, 0, -0.0)
PLAIN = (
    "ELU",
    "GELU",
    "HARD_SWISH",
    "LOGISTIC",
    "RELU",
    "RELU6",
    "RELU_0_TO_1",
    "RELU_N1_TO_1",
    "TANH",
)
SHARES: dict[Any, tuple[float, int]] = {
    np.int8: (1 / 256, -128),
    np.uint8: (1 / 256, 0),
    np.int16: (1 / 32768, 0),
}
"""Results between 0 and 1."""
SIGNED: dict[Any, tuple[float, int]] = {
    np.int8: (1 / 128, 0),
    np.uint8: (1 / 128, 128),
    np.int16: (1 / 32768, 0),
}
"""Results between -1 and 1."""
BYTES = (np.int8, np.uint8)
ALL = (*BYTES, np.int16)
LOGITS: dict[Any, tuple[float, int]] = {
    np.int8: (0.05, 3),
    np.uint8: (0.05, 120),
    np.int16: (0.0003, 0),
}


def logits(*shape: int, dtype: Any) -> Any:
    """Quantised numbers between -8 and 8."""
    scale, zero = LOGITS[dtype]
    return q(*shape, dtype=dtype, scale=scale, zero=zero)


CASES = [
    *(Case(op, (X,), tol=ROUNDS) for op in (*PLAIN, "SOFTMAX", "LOG_SOFTMAX") if op != "SOFTMAX"),
    *(Case(op, (scalar(-0.7),), tol=ROUNDS, why="scalar") for op in PLAIN),
    *(Case(op, (rand(0, 3),), why="empty") for op in PLAIN),
    *(Case(op, (SPECIAL,), tol=ROUNDS, why="special") for op in ("ELU", "LOGISTIC", "TANH")),
    Case("GELU", (X,), {"approximate": True}, tol=ROUNDS),
    Case("LEAKY_RELU", (X,), {"alpha": 0.2}),
    Case("LEAKY_RELU", (X,), {"alpha": -1.5}, why="a negative slope"),
    Case("PRELU", (X, Const(rand(3, 4, seed=1)))),
    Case("PRELU", (X, Const(rand(1, 1, 4, seed=1))), why="slopes of channels"),
    Case("PRELU", (X, rand(4, seed=1)), why="slopes at run time"),
    Case("SOFTMAX", (X,), {"beta": 1.0}, tol=ROUNDS),
    Case("SOFTMAX", (X,), {"beta": 0.3}, tol=ROUNDS),
    Case("SOFTMAX", (f(3, -1, 80),), {"beta": 1.0}, tol=ROUNDS, why="one axis"),
    Case("LOG_SOFTMAX", (f(3, -1, 80),), tol=ROUNDS, why="one axis"),
    *(Case(op, (q(2, 3, 4, dtype=d),), results=same(d), tol=QUANTUM, opset=v, why=name(d))
      for op, v in (("RELU", 2), ("RELU6", 2), ("RELU_N1_TO_1", 1), ("RELU_0_TO_1", 1))
      for d in BYTES),
    *(Case(op, (q(2, 3, 4, dtype=d),), results=stored(0.03, 7, d), tol=QUANTUM, opset=2,
           why=f"another scale, {name(d)}") for op in ("RELU", "RELU6") for d in BYTES),
    Case("RELU", (q(2, 3, dtype=np.int16),), results=same(np.int16), tol=QUANTUM, opset=3,
         why="int16"),
    *(Case("LOGISTIC", (logits(2, 3, 40, dtype=d),), results=stored(*SHARES[d], d), tol=QUANTUM,
           opset=3, why=name(d)) for d in ALL),
    *(Case("TANH", (logits(2, 3, 40, dtype=d),), results=stored(*SIGNED[d], d), tol=QUANTUM,
           opset=3, why=name(d)) for d in BYTES),
    Case("TANH", (logits(2, 3, 40, dtype=np.int16),), results=stored(*SIGNED[np.int16], np.int16),
         tol=Tolerance(absolute=2), opset=3, why="int16: between the points of a table there"),
    *(Case("SOFTMAX", (logits(3, 11, dtype=d),), {"beta": 1.0}, results=stored(*SHARES[d], d),
           tol=QUANTUM, opset=3, why=name(d)) for d in BYTES),
    Case("SOFTMAX", (logits(3, 11, dtype=np.int16),), {"beta": 1.0}, tol=Tolerance(absolute=4),
         results=stored(*SHARES[np.int16], np.int16), opset=3,
         why="int16: between the points of two tables there"),
    Case("SOFTMAX", (logits(3, 11, dtype=np.int8),), {"beta": 1.0},
         results=stored(1 / 65536, -32768, np.int16), tol=QUANTUM, opset=3, why="int8 to int16"),
    *(Case("LOG_SOFTMAX", (logits(3, 11, dtype=d),),
           results=stored(16 / 256, 127 if d == np.int8 else 255, d), tol=QUANTUM, opset=2,
           why=name(d)) for d in BYTES),
    *(Case("LEAKY_RELU", (q(2, 3, 4, dtype=d),), {"alpha": 0.2},
           results=stored(0.03 if d != np.int16 else 0.0001, 5 if d != np.int16 else 0, d),
           tol=QUANTUM, opset=2, why=name(d)) for d in ALL),
    *(Case("PRELU", (q(2, 3, 4, dtype=d), q(1, 1, 4, dtype=d, scale=0.01, constant=True)),
           results=stored(0.03, 5, d), tol=QUANTUM, opset=1, why=name(d)) for d in BYTES),
    *(Case("HARD_SWISH", (logits(2, 3, 40, dtype=d),), results=stored(0.03, -30, d) if d == np.int8
           else stored(0.03, 90, d), tol=QUANTUM, why=name(d)) for d in BYTES),
    *(Case("ELU", (logits(2, 3, 40, dtype=d),), results=stored(0.05, -100, d), tol=QUANTUM,
           why=name(d)) for d in (np.int8,)),
    *(Case("GELU", (logits(2, 3, 40, dtype=d),), {"approximate": a},
           results=stored(0.03, -100 if d == np.int8 else 20, d), tol=QUANTUM, opset=2,
           why=f"{name(d)}, approximate={a}") for d in BYTES for a in (False, True)),
]  # fmt: skip
CASES += [Case("PRELU", (X, Const(scalar(0.25))), why="one slope without axes")]
