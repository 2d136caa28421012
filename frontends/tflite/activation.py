"""TFLite's activations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation, binary, shape

from ..table import Table
from ..tensorflow import activation as tensorflow
from .fused import clipped

table = Table()
table.same(
    {
        "LOGISTIC": activation.sigmoid,
        "RELU": activation.relu,
        "RELU6": activation.relu6,
        "TANH": activation.tanh,
    }
)
table.convert("ELU")(tensorflow.elu)
table.convert("LOG_SOFTMAX")(tensorflow.log_softmax)


@table.convert("RELU_N1_TO_1")
def relu_n1_to_1(input: Value) -> Value:
    return clipped(input, -1, 1)


@table.convert("RELU_0_TO_1")
def relu_0_to_1(input: Value) -> Value:
    return clipped(input, 0, 1)


@table.convert("LEAKY_RELU")
def leaky_relu(input: Value, *, alpha: float = 0.0) -> Value:
    return activation.leaky_relu(input, alpha=alpha)


@table.convert("PRELU")
def prelu(input: Value, alpha: Value) -> Value:
    """Slopes broadcast over the last axes."""
    missing = input.rank - alpha.rank
    slope = shape.unsqueeze(alpha, list(range(missing))) if missing > 0 else alpha
    return activation.prelu(input, slope)


@table.convert("HARD_SWISH")
def hard_swish(input: Value) -> Value:
    return activation.hard_swish(input, alpha=1 / 6, beta=0.5)


@table.convert("GELU")
def gelu(input: Value, *, approximate: bool = False) -> Value:
    return activation.gelu(input, approximate=approximate)


@table.convert("SOFTMAX")
def softmax(input: Value, *, beta: float = 0.0) -> Value:
    scaled = input if beta == 1 else binary.mul(input, input.model.constant(beta, input.dtype))
    return activation.softmax(scaled, axis=-1)
