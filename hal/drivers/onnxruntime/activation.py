"""Elementwise activations."""

from __future__ import annotations

from typing import Any

from nnir.model import Value
from nnir.ops import activation

from ...lowering import Lowerings
from .emitter import Emitter

table = Lowerings()


@table.lower(activation.relu)
def relu(g: Emitter, input: Value) -> Any:
    return g.node("Relu", input)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Any:
    return g.node("LeakyRelu", input, alpha=alpha)
