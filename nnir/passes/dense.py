"""Matrix product plus bias as one FULLY_CONNECTED."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import binary, linear
from .matching import ANY, Variable, node, rule

PRODUCT = node(
    linear.mat_mul,
    Variable("x", where=lambda value: value.rank == 2),
    Variable("weight", where=lambda value: value.constant is not None and value.rank == 2),
    name="product",
    alone=True,
    attributes={"transpose_y": ANY},
)
BIAS = Variable("bias", where=lambda value: value.constant is not None and value.rank == 1)


def _matrix(weight: Value, product: Operation) -> np.ndarray:
    """The weight as [out, in]: a view, no copy."""
    data = np.asarray(weight.constant)
    return data if product.attributes["transpose_y"] else data.T


def _fits(weight: Value, bias: Value, product: Operation) -> bool:
    return bias.shape == _matrix(weight, product).shape[:1]


@rule(
    node(binary.add, PRODUCT, BIAS, name="total", attributes={"fuse_code": ANY}),
    where=_fits,
)
def fuse_dense(x: Value, weight: Value, bias: Value, product: Operation, total: Operation) -> Value:
    """Write a 2-D matrix product with constant weights plus a bias as FULLY_CONNECTED."""
    matrix = x.model.constant(_matrix(weight, product))
    return linear.fully_connected(x, matrix, bias, fuse_code=total.attributes["fuse_code"])
