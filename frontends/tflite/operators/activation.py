"""TFLite's activations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation, compare, shape
from nnir.recipes.layout import with_channels_first

from ...table import Table
from .fused import clip_between

table = Table()
table.same(
    {
        "LOGISTIC": activation.sigmoid,
        "RELU": activation.relu,
        "RELU6": activation.relu6,
        "TANH": activation.tanh,
    }
)


@table.convert("ELU")
def elu(input: Value) -> Value:
    return activation.elu(input, alpha=1.0)


@table.convert("LOG_SOFTMAX")
def log_softmax(input: Value) -> Value:
    return activation.log_softmax(input, axis=-1)


@table.convert("RELU_N1_TO_1")
def relu_n1_to_1(input: Value) -> Value:
    return clip_between(input, -1, 1)


@table.convert("RELU_0_TO_1")
def relu_0_to_1(input: Value) -> Value:
    return clip_between(input, 0, 1)


@table.convert("LEAKY_RELU")
def leaky_relu(input: Value, *, alpha: float) -> Value:
    return activation.leaky_relu(input, alpha=alpha)


@table.convert("PRELU")
def prelu(input: Value, alpha: Value) -> Value:
    """Slopes of the last axis are the standard's; others are written out."""
    *outer, last = alpha.shape or (1,)
    if any(d != 1 for d in outer) or input.rank < 2 or alpha.rank > input.rank:
        rise = input >= 0
        return compare.where(rise, input, input * alpha)
    slope = shape.reshape(alpha, [last])
    return with_channels_first(input, "NHWC", lambda x: activation.prelu(x, slope))


@table.convert("HARD_SWISH")
def hard_swish(input: Value) -> Value:
    return activation.hard_swish(input, alpha=1 / 6, beta=0.5)


@table.convert("GELU")
def gelu(input: Value, *, approximate: bool) -> Value:
    return activation.gelu(input, approximate=approximate)


@table.convert("SOFTMAX")
def softmax(input: Value, *, beta: float) -> Value:
    scaled = input if beta == 1 else input * beta
    return activation.softmax(scaled, axis=-1)
