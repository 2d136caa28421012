"""What is written otherwise before a model is quantised, so that integers fit."""

from __future__ import annotations

import numpy as np

from .. import build
from ..model import Model, Operation, Value
from ..ops import activation, binary, linear
from ..passes import Pass, apply
from ..passes.matching import ANY, Variable, node, rule
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


PRODUCT = node(
    linear.mat_mul,
    Variable("x", where=lambda value: value.rank > 2),
    Variable("weight", where=lambda value: value.constant is not None and value.rank == 2),
    name="product",
    alone=True,
    attributes={"transpose_y": ANY},
)
BIAS = Variable("bias", where=lambda value: value.constant is not None and value.rank == 1)


def _is_bias(weight: Value, bias: Value, product: Operation) -> bool:
    return bias.shape == weight.shape[-2 if product.attributes["transpose_y"] else -1 :][:1]


@rule(node(binary.add, PRODUCT, BIAS, name="total", attributes={"fuse_code": ANY}), where=_is_bias)
def join_bias(x: Value, weight: Value, bias: Value, product: Operation, total: Operation) -> Value:
    """Write a product of a stack of rows with a matrix, and a bias, as one FULLY_CONNECTED, whose
    sums are rounded once."""
    model = x.model
    array = np.asarray(weight.constant)
    flips = product.attributes["transpose_y"]
    matrix = weight if flips else model.constant(array.T, name=weight.name)
    rows = build.reshape(x, [-1, array.shape[1 if flips else 0]])
    dense = linear.fully_connected(rows, matrix, bias, fuse_code=total.attributes["fuse_code"])
    return build.reshape(dense, [*build.sizes_of(x)[:-1], int(bias.sizes[0])])


WHOLE: tuple[Pass, ...] = (multiply_by_reciprocals, take_swish_apart, join_bias)


def prepare(model: Model, target: Target) -> None:
    """Rewrite a model in place for what a target computes with integers; it rounds differently."""
    if target.is_whole:
        apply(model, WHOLE)
