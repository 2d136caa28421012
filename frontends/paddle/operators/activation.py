"""Paddle's activations."""

from __future__ import annotations

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, reduce, shape
from nnir.recipes import activation as activation_recipes
from nnir.recipes.activation import log_sigmoid, softmax_along
from nnir.recipes.promotion import promote_to_float, round_once

from ...table import Table
from .boxes import times

table = Table()
table.named(
    {
        "elu elu_": (activation_recipes.elu, "x alpha"),
        "gelu": (activation.gelu, "x approximate"),
        "hardsigmoid": (activation.hard_sigmoid, "x slope offset"),
        "leaky_relu leaky_relu_": (activation.leaky_relu, "x negative_slope"),
        "softplus": (activation.softplus, "x beta threshold"),
        "softshrink": (activation_recipes.softshrink, "x threshold"),
        "thresholded_relu thresholded_relu_": (activation_recipes.threshold, "x threshold value"),
    }
)
table.same({"relu": activation.relu, "relu_": activation.relu, "relu6": activation.relu6})
table.same({"silu": activation.swish, "silu_": activation.swish, "swish": activation.swish})


@table.convert("softmax", "softmax_")
def softmax(x: Value, axis: int) -> Value:
    return softmax_along(activation.softmax, x, axis, None)


@table.convert("log_softmax")
def log_softmax(x: Value, axis: int) -> Value:
    return softmax_along(activation.log_softmax, x, axis, None)


@table.convert("celu")
def celu(x: Value, alpha: float) -> Value:
    """A negative alpha changes what is below 0 only."""
    if alpha > 0:
        return activation.celu(x, alpha=alpha)
    return activation_recipes.elu(x, alpha, 1, 1 / alpha)


@table.convert("selu")
def selu(x: Value, scale: float, alpha: float) -> Value:
    return activation_recipes.elu(x, alpha, scale)


@table.convert("mish")
def mish(x: Value, lambda_: float) -> Value:
    """x * tanh(softplus(x)); above `lambda` the softplus is x itself."""
    return round_once(lambda v: v * activation.tanh(activation.softplus(v, threshold=lambda_)), x)


@table.convert("hardshrink")
def hardshrink(x: Value, threshold: float) -> Value:
    inside = abs(x) < threshold
    return compare.where(inside, 0, x)


@table.convert("hardswish")
def hardswish(x: Value) -> Value:
    return activation.hard_swish(x, alpha=1 / 6, beta=0.5)


@table.convert("hardtanh", "hardtanh_")
def hardtanh(x: Value, t_min: float, t_max: float) -> Value:
    return activation.clip(x, t_min, t_max)


@table.convert("soft_relu")
def soft_relu(x: Value, threshold: float) -> Value:
    """ln(1 + exp(x)) of numbers that are moved into [-threshold, threshold] first."""
    inside = activation.clip(x, -threshold, threshold)
    return activation.softplus(inside, threshold=max(threshold, 40.0))


@table.convert("softsign")
def softsign(x: Value) -> Value:
    return round_once(lambda v: v / (abs(v) + 1), x)


@table.convert("stanh")
def stanh(x: Value, scale_a: float, scale_b: float) -> Value:
    (value,) = promote_to_float(x)
    inner = activation.tanh(value * scale_a)
    return inner * scale_b


@table.convert("tanh_shrink")
def tanh_shrink(x: Value) -> Value:
    return round_once(lambda v: v - activation.tanh(v), x)


table.convert("logsigmoid")(log_sigmoid)


@table.convert("swiglu")
def swiglu(x: Value, y: Value | None) -> Value:
    """swish(x) * y; without a `y` it is the second half of the last axis."""
    if y is None:
        size = x.shape[-1]
        if isinstance(size, int) and size % 2:
            raise BadType(f"swiglu of {x.type}, whose last axis is odd")
        half = build.over(build.size_of(x, -1), 2)
        x, y = shape.split(x, build.vector(x.model, [half, half]), axis=x.rank - 1)
    return round_once(lambda a, b: activation.swish(a) * b, x, y)


@table.convert("maxout")
def maxout(x: Value, groups: int, axis: int) -> Value:
    """The largest of `groups` channels that follow one another."""
    place = axis_of(axis, x.rank)
    own = build.sizes_of(x)
    parts = [*own[:place], build.over(own[place], groups), groups, *own[place + 1 :]]
    return reduce.reduce_max(build.reshape(x, parts), [place + 1], keepdim=False)


@table.convert("prelu")
def prelu(x: Value, alpha: Value, data_format: str, mode: str) -> Value:
    if data_format not in ("NCHW", "NHWC"):
        raise Unsupported(f"prelu with data_format={data_format!r}")
    match mode:
        case "all":
            slope = shape.reshape(alpha, [1]) if alpha.shape != (1,) else alpha
            return activation.prelu(x, slope)
        case "channel" if data_format == "NCHW" or x.rank == 2:
            return activation.prelu(x, alpha if alpha.rank == 1 else shape.reshape(alpha, [-1]))
        case "channel":
            factors = shape.reshape(alpha, [-1])
        case "element":
            own = build.sizes_of(x)[1:]
            factors = build.reshape(alpha, [1, *own])
        case _:
            raise Unsupported(f"prelu with mode={mode!r}")
    below = x < 0
    return compare.where(below, x * factors, x)


@table.convert("rrelu")
def rrelu(x: Value, lower: float, upper: float, is_test: bool) -> Value:
    if not is_test:
        raise Unsupported("rrelu in training: export the model after .eval()")
    return activation.leaky_relu(x, alpha=(lower + upper) / 2)


@table.convert("dropout", "dropout_")
def dropout(
    x: Value,
    seed_tensor: Value | None,
    p: float,
    is_test: bool,
    mode: str,
    seed: int,
    fix_seed: bool,
) -> Value:
    if not 0 <= p <= 1:
        raise BadType(f"dropout with p={p!r}: a share between 0 and 1 is needed")
    return drop_nothing(x, p, is_test, mode)


def drop_nothing(x: Value, p: float, is_test: bool, mode: str) -> Value:
    """At test time nothing is dropped, or everything is made smaller as if it were."""
    if not is_test and p:
        raise Unsupported(f"dropout in training, with {p=}: export the model after .eval()")
    match mode:
        case "upscale_in_train":
            return x
        case "downgrade_in_infer" | "downscale_in_infer":
            return times(x, 1 - p) if is_test else x
    raise Unsupported(f"dropout with {mode=}")
