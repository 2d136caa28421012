"""TensorFlow's activations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation, binary, unary

from ..table import Table

table = Table()
table.same(
    {
        "Relu": activation.relu,
        "Relu6": activation.relu6,
        "Sigmoid": activation.sigmoid,
        "Tanh": activation.tanh,
    }
)
SELU = 1.67326324235437728481704299167, 1.05070098735548049341933498529


@table.convert("LeakyRelu")
def leaky_relu(features: Value, *, alpha: float = 0.20000000298023224) -> Value:
    return activation.leaky_relu(features, alpha=alpha)


@table.convert("Elu")
def elu(features: Value) -> Value:
    return activation.elu(features, alpha=1.0)


@table.convert("Selu")
def selu(features: Value) -> Value:
    scale = features.model.constant(SELU[1], features.dtype)
    return binary.mul(activation.elu(features, alpha=SELU[0]), scale)


@table.convert("Softplus")
def softplus(features: Value) -> Value:
    return activation.softplus(features)


@table.convert("Softsign")
def softsign(features: Value) -> Value:
    one = features.model.constant(1, features.dtype)
    return binary.div(features, binary.add(unary.abs_(features), one))


@table.convert("Softmax")
def softmax(logits: Value) -> Value:
    return activation.softmax(logits, axis=-1)


@table.convert("LogSoftmax")
def log_softmax(logits: Value) -> Value:
    return activation.log_softmax(logits, axis=-1)
