"""Activations that TFLite computes together with an operator."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import activation

NONE = "NONE"


def clip_between(x: Value, low: float, high: float) -> Value:
    """Numbers between two bounds."""
    bounds = (x.model.constant(b, x.dtype) for b in (low, high))
    return activation.clip(x, *bounds)


def activate(x: Value, function: str) -> Value:
    """`fused_activation_function` of a result."""
    result: Value
    match function:
        case "NONE":
            result = x
        case "RELU":
            result = activation.relu(x)
        case "RELU6":
            result = activation.relu6(x)
        case "RELU_N1_TO_1":
            result = clip_between(x, -1, 1)
        case "TANH":
            result = activation.tanh(x)
        case _:
            raise Unsupported(f"fused_activation_function={function!r}")
    return result
