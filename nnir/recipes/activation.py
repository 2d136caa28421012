"""Activations with the options of PyTorch and Paddle."""

from __future__ import annotations

from .. import build
from ..broadcast import axis_of
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..operator import Operator
from ..ops import activation, binary, compare, shape, unary
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


def elu(input: Value, alpha: Number, scale: Number = 1, input_scale: Number = 1) -> Value:
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


def prelu(x: Value, slope: Value) -> Value:
    """Negative elements times a slope that fits into `x`."""
    sizes = zip(reversed(x.shape), reversed(slope.shape), strict=False)
    if slope.rank > x.rank or any(n not in (1, d) for d, n in sizes if isinstance(d, int)):
        raise BadType(f"slopes of {x.type} by {slope.type}, which are to fit into it")
    channel = _channel_slope(x, slope)
    if channel is not None:
        return activation.prelu(x, channel)
    return compare.where(x < 0, x * slope, x)


def _channel_slope(x: Value, slope: Value) -> Value | None:
    """The slope as [1] or [C], where it is one for all or one per channel of axis 1."""
    dims = slope.shape
    if not x.is_float or any(isinstance(d, Expr) for d in dims):
        return None
    wide = [k for k, d in enumerate(dims, x.rank - len(dims)) if d != 1]
    if wide not in ([], [1]):
        return None
    return slope if slope.rank == 1 else shape.reshape(slope, [-1])


def normalize_from(operator: Operator, input: Value, *, axis: int = 1) -> Value:
    """A softmax along all axes from `axis` on as one."""
    start = axis_of(axis, input.rank)
    if start == input.rank - 1:
        return operator(input, axis=start)
    joined = shape.flatten(input, start_axis=start, end_axis=-1)
    return shape.reshape_exact(operator(joined, axis=-1), build.shape_of(input))


def clip(input: Value, min: Value | None = None, max: Value | None = None) -> Value:
    """Elements between bounds, of which either may be left out."""
    if min is not None and max is not None:
        return activation.clip(input, min, max)
    bound, operator = (min, binary.max_) if max is None else (max, binary.min_)
    if bound is None:
        return unary.assign(input)
    # of rank 0, so that it does not change the shape of what it is compared with
    return operator(input, shape.reshape(bound, []) if bound.rank else bound)
