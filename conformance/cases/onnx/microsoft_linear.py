"""ONNX Runtime's own products of matrices, whose sums run in another order than ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Tolerance, rand
from .microsoft_activation import MICROSOFT

HALF = Tolerance(relative=2e-3, absolute=4e-3)
"""Sums of halves are computed in float32 there and in float64 here, and rounded once."""


def case(op: str, *inputs: Any, why: str = "", raises: Any = None, **attrs: Any) -> Case:
    """A case of the domain."""
    tol = {"": ROUNDS, "float16": HALF}
    return Case(op, inputs, attrs, tol, why=why, raises=raises, domain=MICROSOFT)


A, B = rand(2, 3, 4), rand(2, 4, 5, seed=1)
LEFT, RIGHT = rand(3, 2, 4), rand(2, 4, 2, seed=1)
TWICE = rand(2, 3, 4, 5), rand(2, 3, 4, 5, seed=1)
PRODUCTS = [
    case("FusedMatMul", A, B),
    case("FusedMatMul", A, B, alpha=-0.125),
    case("FusedMatMul", A.swapaxes(1, 2).copy(), B, transA=1),
    case("FusedMatMul", A, B.swapaxes(1, 2).copy(), transB=1, alpha=2.0),
    case("FusedMatMul", LEFT, RIGHT, transBatchA=1),
    case("FusedMatMul", rand(2, 5, 3), LEFT, transBatchB=1),
    case("FusedMatMul", *TWICE, transBatchA=1, transBatchB=1, transB=1),
    case("FusedMatMul", *TWICE, transBatchA=1, transBatchB=1, transA=1),
    case("FusedMatMul", A[0, 0], B, transA=1, why="a vector has nothing to transpose"),
    case("FusedMatMul", A.astype(np.float64), B.astype(np.float64), alpha=0.5),
    case("FusedMatMul", A.astype(np.float16), B.astype(np.float16)),
    case("FusedMatMul", A[0], B[0], transBatchA=1, why="no batch", raises=BadType),
    case("TransposeMatMul", A, B),
    case("TransposeMatMul", A.swapaxes(1, 2).copy(), B, transA=1, alpha=0.5),
    case("TransposeMatMul", A, B.swapaxes(1, 2).copy(), transB=1),
]

X, W, C = rand(3, 4), rand(4, 5, seed=1), rand(5, seed=2)
PLAIN = ["Relu", "Sigmoid", "Softplus", "Softsign", "Tanh"]
ALPHA = ["Elu", "LeakyRelu", "ThresholdedRelu"]
GEMM = [
    *(case("FusedGemm", X, W, C, activation=name) for name in PLAIN),
    *(case("FusedGemm", X, W, C, activation=name, activation_alpha=0.75) for name in ALPHA),
    case(
        *("FusedGemm", X, W, C),
        activation="HardSigmoid",
        activation_alpha=0.3,
        activation_beta=0.4,
    ),
    case(*("FusedGemm", X, W, C), activation="Selu", activation_alpha=1.5, activation_gamma=1.25),
    case("FusedGemm", X, W, activation="Relu", why="no addend"),
    case("FusedGemm", X.T.copy(), W.T.copy(), C, activation="Relu", transA=1, transB=1),
    case("FusedGemm", X, W, C, activation="Tanh", alpha=0.5, beta=-2.0),
    case("FusedGemm", X, W, C, activation="Mish", why="an activation", raises=Unsupported),
    case("FusedGemm", X, W, C, activation="Elu", why="no alpha", raises=BadType),
    case("FusedGemm", X, W, C, why="no activation", raises=BadType),
]
TURNED = [
    case("FusedMatMul", X.T.copy(), W, transA=1, why="matrices, the first turned"),
    case("FusedMatMul", X, W.T.copy(), transB=1, why="matrices, the second turned"),
]
CASES = [*PRODUCTS, *GEMM, *TURNED]
