"""What is written otherwise before a model is quantised, so that integers fit."""

from __future__ import annotations

import numpy as np

from ..model import Model, Value
from ..ops import activation, binary
from ..passes import Pass, apply
from ..passes.matching import Variable, node, rule
from ..types import Precision
from .scheme import Target

X = Variable("x", where=lambda value: value.precision == Precision.FLOAT32)
DIVISOR = Variable("divisor", where=lambda value: _has_reciprocals(value))


def _has_reciprocals(value: Value) -> bool:
    """Whether a divisor is known, and its reciprocals are finite."""
    if value.constant is None or not value.constant.size:
        return False
    smallest = np.abs(value.constant).min()
    return bool(np.isfinite(value.constant).all() and smallest > np.finfo(np.float32).tiny)


@rule(node(binary.div, X, DIVISOR))
def multiply_by_reciprocals(x: Value, divisor: Value) -> Value:
    """Write a division by constants as a product, for which there are integer kernels."""
    reciprocals = np.asarray(1 / np.asarray(divisor.constant, np.float64), np.float32)
    return x * x.model.constant(reciprocals, name=divisor.name)


@rule(node(activation.swish, X))
def take_swish_apart(x: Value) -> Value:
    """Write SWISH as a product with a SIGMOID, for which there are integer kernels."""
    return x * activation.sigmoid(x)


WHOLE: tuple[Pass, ...] = (multiply_by_reciprocals, take_swish_apart)


def prepare(model: Model, target: Target) -> None:
    """Rewrite a model in place for what a target computes with integers; it rounds differently."""
    if target.is_whole:
        apply(model, WHOLE)
