"""Elementwise activations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..broadcast import axis_of
from ..decomposition import Level
from ..dim import Expr
from ..model import Value
from ..numeric import wide
from ..operator import Operator, Pattern, operator, require
from ..types import Precision, TensorType
from . import binary, compare, shape
from .unary import cast as unary_cast
from .unary import erf_of, unary


def require_float(name: str, input: Value) -> None:
    """BadType unless `input` is a float tensor."""
    require(input.is_float, f"{name} needs a float input, not {input.precision.name}")


def _relu(input: np.ndarray) -> np.ndarray:
    return np.maximum(input, input.dtype.type(0))


def _relu6(input: np.ndarray) -> np.ndarray:
    return np.clip(input, input.dtype.type(0), input.dtype.type(6))


def _sigmoid(input: np.ndarray) -> np.ndarray:
    one = input.dtype.type(1)
    if input.dtype.kind == "c":
        return one / (one + np.exp(-input))
    small = np.exp(-np.abs(input))  # never above 1
    return np.where(input >= 0, one / (one + small), small / (one + small))


def _swish(input: np.ndarray) -> np.ndarray:
    return input * _sigmoid(input)


relu = unary("relu", _relu, 65, "max(0, x).", integers=True)
relu6 = unary("relu6", _relu6, 66, "min(6, max(0, x)).", integers=True)
sigmoid = unary(
    "sigmoid", _sigmoid, 74, "1 / (1 + exp(-x)).", edges="-inf gives 0, inf 1.", complexes=True
)
swish = unary("swish", _swish, 85, "x / (1 + exp(-x)).", edges="-inf gives NaN.", complexes=True)
tanh = unary(
    "tanh", np.tanh, 86, "Hyperbolic tangent.", edges="Infinities give ±1.", complexes=True
)


@wide
def _leaky_relu(input: np.ndarray, *, alpha: float) -> np.ndarray:
    return np.where(input >= 0, input, input.dtype.type(alpha) * input)


@operator(pattern=Pattern.ELEMENTWISE, code=40, reference=_leaky_relu)
def leaky_relu(input: Value, *, alpha: float) -> TensorType:
    """Scale the negative elements of `input` by `alpha`.

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays NaN; a negative or zero `alpha` is allowed.
    """
    require_float("leaky_relu", input)
    return input.type


@wide
def _prelu(input: np.ndarray, slope: np.ndarray) -> np.ndarray:
    if slope.size == 1:
        factors = slope.reshape(())
    else:
        factors = slope.reshape(-1, *(1,) * (input.ndim - 2))
    return np.where(input >= 0, input, factors.astype(input.dtype) * input)


@operator(pattern=Pattern.ELEMENTWISE, code=59, reference=_prelu)
def prelu(input: Value, slope: Value) -> TensorType:
    """Scale the negative elements of `input` by a slope, one for all or one per channel.

    Types: any float; `slope` has the type of `input` or is FLOAT32.
    Shapes: `slope` is [1] or [C], where C is axis 1 of `input`.
    Edges: NaN stays NaN.
    """
    require_float("prelu", input)
    fits = slope.precision in (input.precision, Precision.FLOAT32)
    require(fits, f"prelu of {input.type} with a slope {slope.type}")
    require(slope.rank == 1, f"prelu needs a slope of shape [1] or [C], not {slope.type}")
    count = slope.shape[0]
    if count != 1 and not isinstance(count, Expr):
        channels = input.shape[1] if input.rank > 1 else 1
        same = count == channels or isinstance(channels, Expr)
        require(same, f"prelu of {input.type} with a slope {slope.type}")
    return input.type


@wide
def _gelu(input: np.ndarray, *, approximate: bool) -> np.ndarray:
    x = input.astype(np.float64)
    if approximate:
        inner = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x * x * x))
    else:
        inner = erf_of(x / np.sqrt(2.0))
    return (0.5 * x * (1 + inner)).astype(input.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=31, reference=_gelu)
def gelu(input: Value, *, approximate: bool = False) -> TensorType:
    """x times the normal distribution function of x; `approximate` takes the tanh formula.

    Types: any float; the result has the type and shape of `input`.
    Edges: -inf gives NaN.
    """
    require_float("gelu", input)
    return input.type


@wide
def _hard_sigmoid(input: np.ndarray, *, alpha: float, beta: float) -> np.ndarray:
    kind = input.dtype.type
    return np.clip(input * kind(alpha) + kind(beta), kind(0), kind(1))


@operator(pattern=Pattern.ELEMENTWISE, code=36, reference=_hard_sigmoid)
def hard_sigmoid(input: Value, *, alpha: float, beta: float) -> TensorType:
    """max(0, min(1, alpha * x + beta)).

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays NaN.
    """
    require_float("hard_sigmoid", input)
    return input.type


@wide
def _hard_swish(input: np.ndarray, *, alpha: float, beta: float) -> np.ndarray:
    return input * _hard_sigmoid(input, alpha=alpha, beta=beta)


@operator(pattern=Pattern.ELEMENTWISE, code=37, reference=_hard_swish)
def hard_swish(input: Value, *, alpha: float, beta: float) -> TensorType:
    """x * max(0, min(1, alpha * x + beta)).

    Types: any float; the result has the type and shape of `input`.
    Edges: -inf gives NaN where alpha is above 0.
    """
    require_float("hard_swish", input)
    return input.type


@wide
def _softplus(input: np.ndarray, *, beta: float, threshold: float) -> np.ndarray:
    kind = input.dtype.type
    scaled = input * kind(beta)
    soft = np.maximum(scaled, kind(0)) + np.log1p(np.exp(-np.abs(scaled)))
    return np.where(scaled > threshold, input, soft / kind(beta))


@operator(pattern=Pattern.ELEMENTWISE, code=78, reference=_softplus)
def softplus(input: Value, *, beta: float = 1.0, threshold: float = 20.0) -> TensorType:
    """ln(1 + exp(beta * x)) / beta, and x itself where beta * x is above `threshold`.

    Types: any float; the result has the type and shape of `input`.
    Edges: no overflow for large x; NaN stays NaN.
    """
    require_float("softplus", input)
    require(beta != 0, "softplus with beta=0")
    return input.type


@wide
def _softmax(input: np.ndarray, *, axis: int) -> np.ndarray:
    if not input.size:
        return input.copy()
    powers = np.exp(input - np.max(input, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@wide
def _log_softmax(input: np.ndarray, *, axis: int) -> np.ndarray:
    if not input.size:
        return input.copy()
    shifted = input - np.max(input, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@wide
def _hardmax(input: np.ndarray, *, axis: int) -> np.ndarray:
    result = np.zeros_like(input)
    if input.size:
        first = np.expand_dims(np.argmax(input, axis=axis), axis)
        np.put_along_axis(result, first, result.dtype.type(1), axis=axis)
    return result


def along_axis(
    name: str, reference: Callable[..., np.ndarray], code: int, summary: str, edges: str
) -> Operator:
    """An operator that normalises along an axis."""

    def rule(input: Value, *, axis: int) -> TensorType:
        require_float(name, input)
        axis_of(axis, input.rank)
        return input.type

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any float; the result has the type and shape of `input`.\n"
        f"    Edges: {edges}\n    "
    )
    return operator(code=code, reference=reference)(rule)


softmax = along_axis(
    "softmax",
    _softmax,
    77,
    "exp(x) over its sum along an axis.",
    "No overflow; NaN, inf or nothing but -inf along the axis gives NaN.",
)
log_softmax = along_axis(
    "log_softmax",
    _log_softmax,
    44,
    "The logarithm of SOFTMAX.",
    "No overflow; NaN, inf or nothing but -inf along the axis gives NaN.",
)
hardmax = along_axis(
    "hardmax",
    _hardmax,
    1053,
    "1 at the first largest element along an axis, 0 elsewhere.",
    "NaN counts as the largest.",
)


@wide
def _clip(input: np.ndarray, min: np.ndarray, max: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum(input, min.reshape(())), max.reshape(()))


@operator(pattern=Pattern.ELEMENTWISE, code=12, reference=_clip)
def clip(input: Value, min: Value, max: Value) -> TensorType:
    """min(max(x, min), max).

    Types: any float or integer; all three have one precision.
    Shapes: the bounds have one element; the result has the shape of `input`.
    Edges: NaN stays NaN; a lower bound above the upper one gives the upper one.
    """
    for bound in (min, max):
        one = bound.rank < 2 and all(d == 1 or isinstance(d, Expr) for d in bound.shape)
        require(one, f"clip needs bounds of one element, not {bound.type}")
        same = bound.precision == input.precision
        require(same, f"clip of {input.type} with a bound {bound.type}")
    binary.numbers_type("clip", input)
    return input.type


@wide
def _elu(input: np.ndarray, *, alpha: float) -> np.ndarray:
    return np.where(input > 0, input, input.dtype.type(alpha) * np.expm1(input))


@operator(pattern=Pattern.ELEMENTWISE, code=1050, reference=_elu)
def elu(input: Value, *, alpha: float = 1.0) -> TensorType:
    """x above 0, alpha * (exp(x) - 1) elsewhere.

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays NaN.
    """
    require_float("elu", input)
    return input.type


@wide
def _celu(input: np.ndarray, *, alpha: float) -> np.ndarray:
    kind = input.dtype.type
    below = kind(alpha) * np.expm1(input / kind(alpha))
    return np.maximum(input, kind(0)) + np.minimum(below, kind(0))


@operator(pattern=Pattern.ELEMENTWISE, code=1052, reference=_celu)
def celu(input: Value, *, alpha: float = 1.0) -> TensorType:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays NaN.
    """
    require_float("celu", input)
    require(alpha != 0, "celu with alpha=0")
    return input.type


def _dropout(
    input: np.ndarray, ratio: np.ndarray, training: np.ndarray, *, seed: int | None
) -> tuple[np.ndarray, np.ndarray]:
    rate = float(ratio.reshape(()))
    if rate == 0 or not bool(training.reshape(())):
        return input, np.ones(input.shape, np.bool_)
    # ONNX's reference evaluator draws from this generator; given a seed its numbers are the same.
    kept = np.random.RandomState(seed).uniform(0, 1.0, input.shape) >= rate
    scaled = input.astype(np.float64) * (1 / (1 - rate))
    return np.where(kept, scaled, kept * scaled).astype(input.dtype), kept


@operator(pattern=Pattern.ELEMENTWISE, code=1054, reference=_dropout, is_random=True)
def dropout(
    input: Value, ratio: Value, training: Value, *, seed: int | None = None
) -> tuple[TensorType, TensorType]:
    """In training, `ratio` of the elements become 0 and the others grow by 1 / (1 - ratio).

    The second result tells which elements stay. Without training all of them do, unchanged.

    Types: any float; `ratio` is a float and `training` BOOL8, each of one element.
    Edges: the same `seed` draws the same elements; without one each run differs.
    """
    require_float("dropout", input)
    require(ratio.is_float, f"dropout needs a float ratio, not {ratio.type}")
    is_bool = training.precision == Precision.BOOL8
    require(is_bool, f"dropout needs BOOL8 for training, not {training.type}")
    return input.type, input.type.with_precision(Precision.BOOL8)


@leaky_relu.decomposes()
def _leaky_relu_parts(input: Value, *, alpha: float) -> Value:
    return _scaled_below(input, input.model.constant(alpha, input.dtype))


@prelu.decomposes()
def _prelu_parts(input: Value, slope: Value) -> Value:
    factors = unary_cast(slope, dtype=input.precision)
    if input.rank > 2:
        factors = shape.unsqueeze(factors, list(range(1, input.rank - 1)))
    return _scaled_below(input, factors if input.rank else shape.reshape(factors, []))


def _scaled_below(input: Value, factors: Value) -> Value:
    """`input` with its negative elements multiplied by `factors`."""
    below = input < 0
    return compare.where(below, input * factors, input)


@hard_sigmoid.decomposes(level=Level.ROUNDING)
def _hard_sigmoid_parts(input: Value, *, alpha: float, beta: float) -> Value:
    slope, offset, low, high = (
        input.model.constant(number, input.dtype) for number in (alpha, beta, 0, 1)
    )
    return clip(input * slope + offset, low, high)


@hard_swish.decomposes(level=Level.ROUNDING)
def _hard_swish_parts(input: Value, *, alpha: float, beta: float) -> Value:
    return input * hard_sigmoid(input, alpha=alpha, beta=beta)
