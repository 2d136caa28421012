"""ONNX Runtime's own convolutions, with what was fused into them."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, rand
from .microsoft_activation import MICROSOFT

SUMS = Tolerance(relative=1e-5, absolute=2e-5)
"""Sums of up to 27 products below 4 in another order."""


def case(*inputs: Any, why: str = "", raises: Any = None, **attrs: Any) -> Case:
    """A case of FusedConv."""
    return Case("FusedConv", inputs, attrs, SUMS, why=why, raises=raises, domain=MICROSOFT)


X, W, B = rand(2, 4, 5, 6), rand(6, 4, 3, 3, seed=1), rand(6, seed=2)
Z = rand(2, 6, 3, 4, seed=3)
CASES = [
    case(X, W),
    case(X, Const(W), Const(B), why="a bias"),
    *(case(X, W, B, activation=name) for name in ("HardSwish", "Relu", "Sigmoid", "Tanh")),
    case(X, W, B, activation="LeakyRelu", activation_params=[0.1]),
    case(X, W, B, activation="Clip", activation_params=[-0.5, 1.5]),
    case(X, W, B, activation="HardSigmoid", activation_params=[0.3, 0.4]),
    case(X, W, B, Z, activation="Relu", why="a sum goes through the activation"),
    case(X, W, None, Z, why="a sum alone"),
    case(
        *(X, rand(4, 2, 3, 3), rand(4)),
        activation="Relu",
        group=2,
        pads=[1, 0, 1, 2],
        strides=[2, 1],
        dilations=[1, 2],
        kernel_shape=[3, 3],
    ),
    case(X, W, B, auto_pad="SAME_UPPER", activation="Relu"),
    case(rand(2, 4, 7), rand(6, 4, 3), B, activation="Relu", why="one axis"),
    case(X, W, B, activation="Mish", why="an activation", raises=Unsupported),
    case(X, W, B, activation="Relu", activation_params=[1.0], why="a number", raises=BadType),
    case(X, W, B, activation="Clip", activation_params=[1.0], why="one bound", raises=BadType),
]
