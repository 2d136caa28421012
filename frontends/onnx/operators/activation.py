"""ONNX activations."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, generate, shape, unary
from nnir.types import Precision

from ...table import Table, Wanted
from .unary import in_place

table = Table()
for _name, _operator in {
    "Relu": activation.relu,
    "Sigmoid": activation.sigmoid,
    "Tanh": activation.tanh,
}.items():
    in_place(table, _name, _operator)
    table.same({_name: _operator}, since=6)


@table.convert("LeakyRelu")
def leaky_relu(x: Value, *, alpha: float = 0.01, consumed_inputs: tuple[int, ...] = ()) -> Value:
    return activation.leaky_relu(x, alpha=alpha)


@table.convert("Elu")
def elu(x: Value, *, alpha: float = 1.0, consumed_inputs: tuple[int, ...] = ()) -> Value:
    return activation.elu(x, alpha=alpha)


@table.convert("Selu")
def selu_1(
    x: Value,
    *,
    alpha: float = 1.6732,
    gamma: float = 1.0507,
    consumed_inputs: tuple[int, ...] = (),
) -> Value:
    return selu(x, alpha=alpha, gamma=gamma)


@table.convert("Selu", since=6)
def selu(
    x: Value, *, alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323
) -> Value:
    return activation.elu(x, alpha=alpha) * gamma


@table.convert("Celu", since=12)
def celu(x: Value, *, alpha: float = 1.0) -> Value:
    return activation.celu(x, alpha=alpha)


@table.convert("HardSigmoid")
def hard_sigmoid(
    x: Value, *, alpha: float = 0.2, beta: float = 0.5, consumed_inputs: tuple[int, ...] = ()
) -> Value:
    return activation.hard_sigmoid(x, alpha=alpha, beta=beta)


@table.convert("HardSwish", since=14)
def hard_swish(x: Value) -> Value:
    return activation.hard_swish(x, alpha=1 / 6, beta=0.5)


@table.convert("Softplus")
def softplus(x: Value) -> Value:
    # ONNX has no threshold: above it the logarithm must equal x to the last bit.
    return activation.softplus(x, threshold=40.0 if x.precision == Precision.FLOAT64 else 20.0)


@table.convert("Softsign")
def softsign(input: Value) -> Value:
    return input / (abs(input) + 1)


@table.convert("Mish", since=18)
def mish(x: Value) -> Value:
    return x * activation.tanh(softplus(x))


@table.convert("Gelu", since=20)
def gelu(x: Value, *, approximate: str = "none") -> Value:
    match approximate:
        case "none" | "tanh":
            return activation.gelu(x, approximate=approximate == "tanh")
    raise Unsupported(f"Gelu with approximate={approximate!r}")


@table.convert("PRelu")
def prelu_1(x: Value, slope: Value, *, consumed_inputs: tuple[int, ...] = ()) -> Value:
    """Before opset 7 a vector of slopes belonged to the channels, axis 1."""
    if slope.rank != 1 or not x.is_float or x.rank < 2:
        return prelu(x, slope)
    return activation.prelu(x, slope)


@table.convert("PRelu", since=7)
def prelu(x: Value, slope: Value) -> Value:
    channel = _channel_slope(x, slope)
    if channel is not None:
        return activation.prelu(x, channel)
    if len(slope.shape) > x.rank:
        raise BadType(f"PRelu of {x.type} with a slope {slope.type}")
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


@table.convert("ThresholdedRelu", since=10)
def thresholded_relu(x: Value, *, alpha: float = 1.0) -> Value:
    return compare.where(x > alpha, x, 0)


@table.convert("Shrink", since=9)
def shrink(input: Value, *, bias: float = 0.0, lambd: float = 0.5) -> Value:
    x = input.cast(Precision.FLOAT64) if input.is_integer else input
    above = x > lambd
    below = x < -lambd
    result = compare.where(above, x - bias, 0)
    result = compare.where(below, x + bias, result)
    return result.cast(input.precision)


@table.convert("Swish", since=24)
def swish(x: Value, *, alpha: float = 1.0) -> Value:
    if alpha == 1.0:
        return activation.swish(x)
    return x * activation.sigmoid(x * alpha)


@table.convert("SwiGLU", since=28)
def swiglu(a: Value, b: Value, *, alpha: float = 1.0) -> Value:
    if a.rank != b.rank or (a.is_static and b.is_static and a.shape != b.shape):
        raise BadType(f"SwiGLU of {a.type} and {b.type}, which differ")
    return swish(a, alpha=alpha) * b


@table.convert("Clip")
def clip_1(
    input: Value,
    *,
    min: float | None = None,
    max: float | None = None,
    consumed_inputs: tuple[int, ...] = (),
) -> Value:
    bounds = [None if b is None else input.scalar(b) for b in (min, max)]
    return clip(input, *bounds)


@table.convert("Clip", since=6)
def clip_6(
    input: Value, *, min: float = -3.4028234663852886e38, max: float = 3.4028234663852886e38
) -> Value:
    limit = float(np.finfo(np.float32).max)
    return clip_1(input, min=None if min <= -limit else min, max=None if max >= limit else max)


@table.convert("Clip", since=11)
def clip(input: Value, min: Value | None = None, max: Value | None = None) -> Value:
    if min is not None and max is not None:
        return activation.clip(input, min, max)
    if min is not None:
        return binary.max_(input, _scalar(min))
    if max is not None:
        return binary.min_(input, _scalar(max))
    return unary.assign(input)


def _scalar(bound: Value) -> Value:
    """A bound with rank 0, so that it does not change the shape of what it is compared with."""
    return bound if bound.rank == 0 else shape.reshape(bound, [])


def _normalising(name: str, operator: Operator) -> None:
    @table.convert(name)
    def old(input: Value, *, axis: int = 1) -> Value:
        """Before opset 13 all axes from `axis` on are one."""
        start = axis_of(axis, input.rank)
        if start == input.rank - 1:
            return convert(input, axis=start)
        joined = shape.flatten(input, start_axis=start, end_axis=-1)
        return shape.reshape_exact(convert(joined, axis=-1), _sizes(input))

    @table.convert(name, since=13)
    def convert(input: Value, *, axis: int = -1) -> Value:
        return operator(input, axis=axis)


def _sizes(x: Value) -> Value:
    if x.is_static:
        return x.model.constant(np.array(x.shape, np.int64))
    return shape.shape(x, dtype=Precision.INT64)


_normalising("Softmax", activation.softmax)
_normalising("LogSoftmax", activation.log_softmax)
_normalising("Hardmax", activation.hardmax)


def _keep_all(data: Value, mask: Precision, wanted: int) -> Value | tuple[Value, Value]:
    """Dropout outside training: nothing changes, and everything stays."""
    if wanted == 1:
        return unary.assign(data)
    kept = generate.fill_like(data, data.model.constant(1, mask.dtype))
    return unary.assign(data), kept


@table.convert("Dropout")
def dropout_1(
    data: Value,
    *,
    ratio: float = 0.5,
    is_test: bool = False,
    consumed_inputs: tuple[int, ...] = (),
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    if is_test:
        return _keep_all(data, data.precision, wanted)
    result, mask = activation.dropout(data, *_training(data, ratio))
    return result, mask.cast(data.precision)


@table.convert("Dropout", since=7)
def dropout_7(data: Value, *, ratio: float = 0.5, wanted: Wanted) -> Value | tuple[Value, Value]:
    return _keep_all(data, data.precision, wanted)


@table.convert("Dropout", since=10)
def dropout_10(data: Value, *, ratio: float = 0.5, wanted: Wanted) -> Value | tuple[Value, Value]:
    return _keep_all(data, Precision.BOOL8, wanted)


@table.convert("Dropout", since=12)
def dropout(
    data: Value,
    ratio: Value | None = None,
    training_mode: Value | None = None,
    *,
    seed: int | None = None,
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    drops_none = ratio is not None and _is_false(ratio)
    if training_mode is None or _is_false(training_mode) or drops_none:
        return _keep_all(data, Precision.BOOL8, wanted)
    default = _training(data, 0.5)[0]
    return activation.dropout(data, default if ratio is None else ratio, training_mode, seed=seed)


def _training(data: Value, ratio: float) -> tuple[Value, Value]:
    return data.model.constant(ratio, np.float32), data.model.constant(True)


def _is_false(value: Value) -> bool:
    return value.constant is not None and not value.constant.any()
