"""ONNX Runtime's operators on integers (com.microsoft): real numbers go in and out as steps of a
scale, between DEQUANTIZE_LINEAR and QUANTIZE_LINEAR."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, quant, reduce, shape
from nnir.types import Precision

from ...table import Ints, Table
from . import conv, pool
from .activation import normalize_rest
from .quant import dequantize_linear, quantize_linear
from .windows import Padding, Sliding

table = Table(prefix="com.microsoft::")


def to_real(x: Value, scale: Value, zero_point: Value | None) -> Value:
    """The real numbers that integers stand for."""
    return quant.dequantize_linear(x, scale, zero_point)


def to_steps(x: Value, scale: Value, zero_point: Value | None, kind: Precision) -> Value:
    """Real numbers as integers of the type of the zero point, or of `kind` without one."""
    own = kind if zero_point is None else zero_point.precision
    return quant.quantize_linear(x, scale, zero_point, dtype=own)


@table.each({"QLinearAdd": binary.add, "QLinearMul": binary.mul})
def q_linear_binary(
    combine: Operator[Value],
    a: Value,
    a_scale: Value,
    a_zero_point: Value | None,
    b: Value,
    b_scale: Value,
    b_zero_point: Value | None,
    c_scale: Value,
    c_zero_point: Value | None = None,
) -> Value:
    real = combine(to_real(a, a_scale, a_zero_point), to_real(b, b_scale, b_zero_point))
    return to_steps(real, c_scale, c_zero_point, a.precision)


@table.convert("QLinearLeakyRelu")
def q_linear_leaky_relu(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None,
    y_scale: Value,
    y_zero_point: Value | None = None,
    *,
    alpha: float = 0.01,
) -> Value:
    real = activation.leaky_relu(to_real(x, x_scale, x_zero_point), alpha=alpha)
    return to_steps(real, y_scale, y_zero_point, x.precision)


@table.convert("QLinearSigmoid")
def q_linear_sigmoid(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None,
    y_scale: Value,
    y_zero_point: Value | None = None,
) -> Value:
    real = activation.sigmoid(to_real(x, x_scale, x_zero_point))
    return to_steps(real, y_scale, y_zero_point, x.precision)


@table.convert("QLinearSoftmax")
def q_linear_softmax(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None,
    y_scale: Value,
    y_zero_point: Value,
    *,
    axis: int = -1,
    opset: int,
) -> Value:
    """`opset` says whether Softmax works along one axis, or before 13 on all axes from it on."""
    real = to_real(x, x_scale, x_zero_point)
    if opset < 13:
        result = normalize_rest(activation.softmax, real, axis=axis)
    else:
        result = activation.softmax(real, axis=axis)
    return to_steps(result, y_scale, y_zero_point, x.precision)


@table.convert("QLinearConcat")
def q_linear_concat(y_scale: Value, y_zero_point: Value, *inputs: Value | None, axis: int) -> Value:
    """The inputs come in threes: a tensor, its scale and its zero point."""
    parts = [_operand(inputs[k : k + 3]) for k in range(0, len(inputs), 3)]
    if not parts:
        raise BadType("QLinearConcat of nothing")
    joined = shape.concat(*parts, axis=axis)
    return to_steps(joined, y_scale, y_zero_point, y_zero_point.precision)


def _operand(three: Sequence[Value | None]) -> Value:
    """A tensor of QLinearConcat as real numbers."""
    if len(three) < 2 or three[0] is None or three[1] is None:
        raise BadType("QLinearConcat with a tensor without a scale")
    return to_real(three[0], three[1], three[2] if len(three) > 2 else None)


@table.convert("QLinearWhere")
def q_linear_where(
    condition: Value,
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    y: Value,
    y_scale: Value,
    y_zero_point: Value,
    z_scale: Value,
    z_zero_point: Value,
) -> Value:
    either = to_real(x, x_scale, x_zero_point), to_real(y, y_scale, y_zero_point)
    return to_steps(compare.where(condition, *either), z_scale, z_zero_point, x.precision)


def _channels_first(x: Value) -> Value:
    return shape.transpose(x, perm=(0, x.rank - 1, *range(1, x.rank - 1)))


def _channels_last(x: Value) -> Value:
    return shape.transpose(x, perm=(0, *range(2, x.rank), 1))


@table.convert("QLinearAveragePool")
def q_linear_average_pool(
    x: Value,
    x_scale: Value,
    x_zero_point: Value | None,
    y_scale: Value,
    y_zero_point: Value | None = None,
    *,
    auto_pad: Padding = "NOTSET",
    ceil_mode: bool = False,
    channels_last: bool = False,
    count_include_pad: bool = False,
    kernel_shape: Ints,
    pads: Ints = (),
    strides: Ints = (),
) -> Value:
    how = Sliding(kernel_shape=kernel_shape, pads=pads, strides=strides, auto_pad=auto_pad)
    real = to_real(_channels_first(x) if channels_last else x, x_scale, x_zero_point)
    means = pool.average_pool(
        real, ceil_mode=ceil_mode, count_include_pad=count_include_pad, how=how
    )
    result = to_steps(means, y_scale, y_zero_point, x.precision)
    return _channels_last(result) if channels_last else result


@table.convert("QLinearGlobalAveragePool")
def q_linear_global_average_pool(
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    *,
    channels_last: bool = False,
) -> Value:
    first = 1 if channels_last else 2
    axes = list(range(first, first + x.rank - 2))
    means = reduce.reduce_mean(to_real(x, x_scale, x_zero_point), axes, keepdim=True)
    return to_steps(means, y_scale, y_zero_point, x.precision)


@table.convert("QLinearConv")
def q_linear_conv(
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    w: Value,
    w_scale: Value,
    w_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    b: Value | None = None,
    *,
    channels_last: bool = False,
    group: int = 1,
    how: Sliding,
) -> Value:
    """ONNX's, of which the image may have its channels last; the filter never does."""
    image = _channels_first(x) if channels_last else x
    weights, result = (w, w_scale, w_zero_point), (y_scale, y_zero_point)
    made = conv.q_linear_conv(
        image, x_scale, x_zero_point, *weights, *result, b, group=group, how=how
    )
    return _channels_last(made) if channels_last else made


@table.convert("QuantizeLinear")
def quantize_wide(
    x: Value, y_scale: Value, y_zero_point: Value | None = None, *, axis: int | None = None
) -> Value:
    """ONNX's, which came to more types of integers and floats in this domain first."""
    return quantize_linear(x, y_scale, y_zero_point, axis=1 if axis is None else axis)


@table.convert("DequantizeLinear")
def dequantize_wide(
    x: Value, x_scale: Value, x_zero_point: Value | None = None, *, axis: int | None = None
) -> Value:
    return dequantize_linear(x, x_scale, x_zero_point, axis=1 if axis is None else axis)
