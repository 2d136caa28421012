"""NNRt's activations."""

from __future__ import annotations

from ... import build
from ...errors import BadType
from ...model import Value
from ...ops import activation
from ..layout import with_channels_first
from . import Recipes

SIXTH = 1 / 6


def hswish(input: Value) -> Value:
    """x * relu6(x + 3) / 6."""
    return activation.hard_swish(input, alpha=SIXTH, beta=0.5)


def hard_sigmoid(input: Value) -> Value:
    """relu6(x + 3) / 6."""
    return activation.hard_sigmoid(input, alpha=SIXTH, beta=0.5)


def gelu(input: Value, *, approximate: bool = False) -> Value:
    """By tanh where `approximate`, else by erf."""
    return activation.gelu(input, approximate=approximate)


def leaky_relu(input: Value, *, negative_slope: float) -> Value:
    """Negative elements times a slope."""
    return activation.leaky_relu(input, alpha=negative_slope)


def prelu(input: Value, weight: Value) -> Value:
    """Negative elements times the slope of their channel, which is the last axis."""
    count = weight.shape[0] if weight.rank else 1
    if count == 1:
        return activation.prelu(input, build.reshape(weight, [1]))
    if input.rank < 2 or count != input.shape[-1]:
        raise BadType(f"PRELU of {input.type} with {weight.type}: a slope for each last index")
    return with_channels_first(input, "NHWC", lambda x: activation.prelu(x, weight))


def softmax(input: Value, *, axis: int) -> Value:
    """Along one axis."""
    return activation.softmax(input, axis=axis)


def log_softmax(input: Value, *, axis: int) -> Value:
    """The logarithm of SOFTMAX."""
    return activation.log_softmax(input, axis=axis)


def clip(input: Value, *, min: float, max: float) -> Value:
    """Between two numbers."""
    return activation.clip(input, input.scalar(min), input.scalar(max))


RECIPES: Recipes = {
    "CLIP": clip,
    "GELU": gelu,
    "HARD_SIGMOID": hard_sigmoid,
    "HSWISH": hswish,
    "LEAKY_RELU": leaky_relu,
    "LOG_SOFTMAX": log_softmax,
    "PRELU": prelu,
    "RELU": activation.relu,
    "RELU6": activation.relu6,
    "SIGMOID": activation.sigmoid,
    "SOFTMAX": softmax,
    "SWISH": activation.swish,
    "TANH": activation.tanh,
}
