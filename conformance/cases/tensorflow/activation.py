"""TensorFlow's activations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, Tolerance, f, i, rand, scalar

OPS = (
    *("Relu", "Relu6", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign"),
    *("Softmax", "LogSoftmax"),
)
POINTWISE = OPS[:-2]
HALF = Tolerance(relative=2e-3, absolute=1e-3)

LABEL = f(0.5, 0.5, 0).reshape(1, 3)

CASES = [
    *(Case(op, (rand(2, 3, low=-4, high=8),), tol=ROUNDS) for op in OPS),
    *(Case(op, (f(-np.inf, -1, -0.0, 0, 1, np.inf),), why="infinities", tol=ROUNDS)
      for op in POINTWISE if op != "Softsign"),
    *(Case(op, (f(np.nan, 1),), why="nan", tol=ROUNDS) for op in OPS),
    *(Case(op, (rand(2, 3, dtype=np.float16),), why="half", tol=HALF) for op in OPS),
    *(Case(op, (rand(0, 3),), why="empty") for op in OPS),
    *(Case(op, (scalar(0.5),), why="rank 0", tol=ROUNDS) for op in POINTWISE),
    Case("Relu", (i(-2, 3),), why="integers"),
    Case("LeakyRelu", (f(-2, 3),), {"alpha": 0.5}),
    Case("Elu", (i(-2, 3),), why="integers", raises=BadType),
    Case("L2Loss", (rand(2, 3),), tol=ROUNDS),
    Case("L2Loss", (f(1, np.nan),), why="nan"),
    Case("L2Loss", (rand(0, 3),), why="empty"),
    Case("SoftmaxCrossEntropyWithLogits", (rand(2, 3), rand(2, 3, low=0, seed=1)), outputs=2,
         tol=ROUNDS),
    Case("SoftmaxCrossEntropyWithLogits", (f(1, 2, -np.inf).reshape(1, 3), LABEL), outputs=2,
         why="0 times infinity", tol=ROUNDS),
    Case("SoftmaxCrossEntropyWithLogits", (rand(2, 3), LABEL), why="broadcast", outputs=2,
         tol=ROUNDS),
    Case("SoftmaxCrossEntropyWithLogits", (f(1, 5).reshape(2, 1), rand(2, 3, low=0)), outputs=2,
         why="one score for all classes", tol=ROUNDS),
    *(Case("SparseSoftmaxCrossEntropyWithLogits", (rand(2, 3), i(2, 0, dtype=d)), outputs=2,
           why=np.dtype(d).name, tol=ROUNDS) for d in (np.int32, np.int64)),
]  # fmt: skip
