"""ONNX Runtime's operators on integers (com.microsoft): real numbers go in and out as steps of a
scale, between DEQUANTIZE_LINEAR and QUANTIZE_LINEAR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, binary, compare, reduce, shape
from nnir.recipes.activation import normalize_from
from nnir.recipes.layout import with_channels_first
from nnir.recipes.pool import pool_means

from ...table import Maybe, Table
from . import conv
from .quant import PlainScale, PlainSteps, Scale, Steps, dequantize_linear, quantize_linear
from .windows import Gapless, Sliding

table = Table(prefix="com.microsoft::")
LAYOUT = {False: "NCHW", True: "NHWC"}
table.convert("DequantizeLinear", block_size=0, output_dtype=None)(dequantize_linear)
table.convert("QuantizeLinear", block_size=0, output_dtype=None, saturate=True, precision=None)(
    quantize_linear
)


@table.each({"QLinearAdd": binary.add, "QLinearMul": binary.mul})
def q_linear_binary(
    combine: Callable[..., Value], a: PlainSteps, b: PlainSteps, c: PlainScale
) -> Value:
    return c.count(combine(a.real, b.real), a.own.precision)


@table.convert("QLinearLeakyRelu")
def q_linear_leaky_relu(x: PlainSteps, y: PlainScale, *, alpha: float = 0.01) -> Value:
    return y.count(activation.leaky_relu(x.real, alpha=alpha), x.own.precision)


@table.convert("QLinearSigmoid")
def q_linear_sigmoid(x: PlainSteps, y: PlainScale) -> Value:
    return y.count(activation.sigmoid(x.real), x.own.precision)


@table.convert("QLinearSoftmax")
def q_linear_softmax(x: PlainSteps, y: Scale, *, axis: int = -1, opset: int) -> Value:
    """`opset` says whether Softmax works along one axis, or before 13 on all axes from it on."""
    softmax = partial(normalize_from, activation.softmax) if opset < 13 else activation.softmax
    return y.count(softmax(x.real, axis=axis), x.own.precision)


@table.convert("QLinearConcat")
def q_linear_concat(y_scale: Value, y_zero_point: Value, *inputs: Maybe, axis: int) -> Value:
    """The inputs come in threes: a tensor, its scale and its zero point."""
    threes = [inputs[k : k + 3] for k in range(0, len(inputs), 3)]
    if not threes or any(len(t) < 2 or None in t[:2] for t in threes):
        raise BadType(f"QLinearConcat of {len(inputs)} inputs, not of tensors with their scales")
    joined = shape.concat(*(PlainSteps(*t).real for t in threes), axis=axis)  # type: ignore[arg-type]
    return Scale(y_scale, y_zero_point).count(joined, y_zero_point.precision)


@table.convert("QLinearWhere")
def q_linear_where(condition: Value, x: Steps, y: Steps, z: Scale) -> Value:
    return z.count(compare.where(condition, x.real, y.real), x.own.precision)


@table.convert("QLinearAveragePool")
def q_linear_average_pool(
    x: PlainSteps,
    y: PlainScale,
    *,
    channels_last: bool = False,
    count_include_pad: bool = False,
    how: Gapless,
) -> Value:
    def compute(image: Value) -> Value:
        real = replace(x, own=image).real
        window = how.over("QLinearAveragePool", real)
        return y.count(pool_means(real, window, include=count_include_pad), image.precision)

    return with_channels_first(x.own, LAYOUT[channels_last], compute)


@table.convert("QLinearGlobalAveragePool")
def q_linear_global_average_pool(x: Steps, y: Scale, *, channels_last: bool = False) -> Value:
    first = 1 if channels_last else 2
    axes = list(range(first, first + x.own.rank - 2))
    return y.count(reduce.reduce_mean(x.real, axes, keepdim=True), x.own.precision)


@table.convert("QLinearConv")
def q_linear_conv(
    x: Steps,
    w: Steps,
    y: Scale,
    b: Maybe = None,
    *,
    channels_last: bool = False,
    group: int = 1,
    how: Sliding,
) -> Value:
    """ONNX's, of which the image may have its channels last; the filter never does."""
    return with_channels_first(
        x.own,
        LAYOUT[channels_last],
        lambda image: conv.q_linear_conv(replace(x, own=image), w, y, b, group=group, how=how),
    )
