"""TensorFlow's activations."""

from __future__ import annotations

from nnir import build
from nnir.model import Value
from nnir.ops import activation, compare, index, reduce, shape, unary
from nnir.recipes.shape import expand_to
from nnir.types import Precision

from ...table import Table

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
    return activation.elu(features, alpha=SELU[0]) * scale


@table.convert("Softplus")
def softplus(features: Value) -> Value:
    return activation.softplus(features)


@table.convert("Softsign")
def softsign(features: Value) -> Value:
    one = features.scalar(1)
    return features / (abs(features) + one)


@table.convert("Softmax")
def softmax(logits: Value) -> Value:
    return activation.softmax(logits, axis=-1)


@table.convert("LogSoftmax")
def log_softmax(logits: Value) -> Value:
    return activation.log_softmax(logits, axis=-1)


@table.convert("L2Loss")
def l2_loss(t: Value) -> Value:
    half = unary.square(t) * 0.5
    return reduce.reduce_sum(half, list(range(t.rank)), keepdim=False)


@table.convert("SoftmaxCrossEntropyWithLogits")
def softmax_cross_entropy(features: Value, labels: Value) -> tuple[Value, Value]:
    """The loss of every row, and its gradient; scores are repeated where there are more labels."""
    if features.shape[-1] == 1 != labels.shape[-1]:
        features = expand_to(features, shape.shape(labels, dtype=Precision.INT64))
    spread = activation.log_softmax(features, axis=-1) * labels
    loss = -reduce.reduce_sum(spread, [1], keepdim=False)
    return loss, activation.softmax(features, axis=-1) - labels


@table.convert("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy(features: Value, labels: Value) -> tuple[Value, Value]:
    column = shape.unsqueeze(labels.cast(Precision.INT64), [1])
    logs = activation.log_softmax(features, axis=-1)
    loss = -shape.squeeze(index.gather_elements(logs, column, axis=1), [1])
    is_label = compare.equal(build.arange_along(features, 1), column)
    return loss, activation.softmax(features, axis=-1) - is_label.cast(features.precision)
