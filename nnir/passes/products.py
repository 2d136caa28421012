"""Matrix products of what is transposed or scaled before."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import binary, linear, quant, shape
from .matching import ANY, Variable, node, rule
from .orders import is_swap, perm_of
from .rewrite import number

KINDS = ("float32", "float64")
"""Narrower numbers may overflow in another order."""

MOVES = frozenset(
    {shape.reshape, shape.reshape_exact, shape.transpose, shape.squeeze, shape.unsqueeze}
)
"""What moves elements alone."""

x, y = Variable("x"), Variable("y")


def _factor(name: str) -> Variable:
    """A constant of one element."""
    return Variable(name, where=lambda value: value.is_float and number(value) is not None)


def _is_dequantised(value: Value) -> bool:
    """Whether a value is nothing but dequantised integers, in another shape or order."""
    maker = value.producer
    while maker is not None and maker.operator in MOVES and maker.inputs[0] is not None:
        maker = maker.inputs[0].producer
    return maker is not None and maker.operator is quant.dequantize_linear


def _both(left: Value, right: Value) -> float:
    return (number(left) or 0.0) * (number(right) or 0.0)


def _is_joinable(x: Value, y: Value, left: Value, right: Value, product: Operation) -> bool:
    ends = [None if v is None else v.type for v in product.inputs]
    limits = np.finfo(np.float32)
    is_plain = float(limits.tiny) <= abs(_both(left, right)) <= float(limits.max)
    return is_plain and x.dtype.name in KINDS and ends == [x.type, y.type]


@rule(
    node(
        linear.mat_mul,
        node(binary.mul, x, _factor("left"), alone=True),
        node(binary.mul, y, _factor("right"), alone=True),
        name="product",
        attributes=ANY,
    ),
    where=_is_joinable,
)
def join_scales(x: Value, y: Value, left: Value, right: Value, product: Operation) -> Value:
    """Scale one operand of a product by both factors: PyTorch's exporter to ONNX scales queries
    and keys by the root each, and with these all that a cache holds."""
    factor = x.model.constant(np.asarray(_both(left, right), x.dtype))
    return linear.mat_mul(binary.mul(x, factor), y, **product.attributes)


@rule(
    node(
        linear.mat_mul,
        *(x, node(shape.transpose, y, name="turned", attributes={"perm": ANY})),
        name="product",
        attributes=ANY,
    ),
    where=lambda y, turned: is_swap(perm_of(turned)) and not _is_dequantised(y),
)
def absorb_transposes(x: Value, y: Value, product: Operation) -> Value:
    """Let a product read the right operand as it lies: it has a flag for a transpose.

    What is dequantised stays: engines multiply its integers where they find it as files have it.
    """
    flags = product.attributes
    return linear.mat_mul(x, y, **{**flags, "transpose_y": not flags["transpose_y"]})
