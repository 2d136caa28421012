"""Activations with the options of PyTorch and Paddle."""

from __future__ import annotations

from .. import build
from ..broadcast import axis_of
from ..errors import BadType, Unsupported
from ..model import Value
from ..operator import Operator
from ..ops import activation, compare, shape, unary
from ..types import Precision
from .promotion import Number, round_once


def real_number(value: Number, what: str) -> float:
    """A number that must not be complex."""
    if isinstance(value, complex):
        raise Unsupported(f"{what}={value!r}")
    return float(value)


def _scaled_elu(x: Value, alpha: Number, scale: Number, input_scale: Number) -> Value:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) elsewhere."""
    factors = [real_number(n, "a factor of elu") for n in (alpha, scale, input_scale)]
    if factors[2] == 1 and factors[0] >= 0:
        result: Value = activation.elu(x, alpha=factors[0])
        return result if factors[1] == 1 else result * factors[1]
    below = unary.expm1(x * factors[2])
    below = below * (factors[0] * factors[1])
    above = x * factors[1]
    return compare.where(x < 0, below, above)


def elu(input: Value, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Value:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) elsewhere."""
    return round_once(lambda x: _scaled_elu(x, alpha, scale, input_scale), input)


def softshrink(input: Value, lambd: Number = 0.5) -> Value:
    """`input` moved toward 0 by `lambd`; 0 where it lies within."""
    limit = real_number(lambd, "softshrink with lambd")
    if limit < 0:
        raise BadType(f"softshrink with lambd={lambd!r}")

    def body(x: Value) -> Value:
        inside = activation.clip(x, -limit, limit)
        return x - inside

    return round_once(body, input)


def threshold(x: Value, threshold: Number, value: Number) -> Value:
    """`x` where it is above the threshold, `value` elsewhere."""
    limit, below = (x.scalar(real_number(n, "threshold")) for n in (threshold, value))
    return compare.where(x <= limit, below, x)


def log_sigmoid(x: Value) -> Value:
    """The logarithm of the sigmoid."""
    # beyond 40 the logarithm is x to the last bit of a float64
    return -activation.softplus(-x, threshold=40.0)


def softmax_along(operator: Operator, x: Value, axis: int, dtype: Precision | None) -> Value:
    """A softmax along an axis; a tensor without axes is a vector of one element."""
    x = x if dtype is None else x.cast(dtype)
    if not x.rank:
        axis_of(axis, 1)
        return build.reshape_to(operator(shape.reshape(x, [1]), axis=0), build.vector(x.model, []))
    return operator(x, axis=axis)
