"""NNAPI's activations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation

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


@table.convert("RELU1")
def relu1(input: Value) -> Value:
    return clip_between(input, -1, 1)


@table.convert("SOFTMAX")
def softmax(input: Value, *, beta: float) -> Value:
    return activation.softmax(input if beta == 1 else input * beta, axis=-1)
