"""ONNX activations."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation

from ..table import Table

table = Table()
table.same({"Relu": activation.relu})


@table.convert("LeakyRelu")
def leaky_relu(x: Value, *, alpha: float = 0.01) -> Value:
    return activation.leaky_relu(x, alpha=alpha)
