"""Elementwise activations, and those along an axis."""

from __future__ import annotations

import math

from nnir.model import Value
from nnir.ops import activation
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import channels_last
from .binary import clip_between, extreme, is_real, rectify
from .emitter import Emitter, Ref
from .unary import real

table = Lowerings[Ref]()
BOOL = Precision.BOOL8


table.natives({activation.sigmoid: "LOGISTIC", activation.tanh: "TANH"})


@table.lower(activation.relu)
def relu(g: Emitter, input: Value) -> Ref:
    return rectify(g, input)


@table.lower(activation.relu6)
def relu6(g: Emitter, input: Value) -> Ref:
    if g.take(input).tensor.precision == Precision.FLOAT32:
        return g.elementwise("RELU6", input)
    return clip_between(g, input, 0, 6)


@table.lower(activation.swish)
def swish(g: Emitter, input: Value) -> Ref:
    return g.take(input) * g.elementwise("LOGISTIC", input)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    return g.elementwise("LEAKY_RELU", real(g, input), alpha=alpha)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    x = real(g, input)
    factors = g.cast(slope, Precision.FLOAT32)
    if slope.constant is not None and slope.constant.size == 1:
        return g.elementwise("LEAKY_RELU", x, alpha=float(slope.constant.reshape(-1)[0]))
    if input.rank < 2:
        return g.where(x < 0, x * g.reshape(factors, ()), x)
    order = channels_last(input.rank)
    x = g.ordered(x, order)
    wide = g.reshape(factors, (*(1,) * (input.rank - 2), slope.shape[0]))
    return g.compute("PRELU", [x, wide], x.tensor.shape, order)


@table.lower(activation.gelu)
def gelu(g: Emitter, input: Value, *, approximate: bool) -> Ref:
    return g.elementwise("GELU", real(g, input), approximate=approximate)


def _clip_line(g: Emitter, input: Value, alpha: float, beta: float) -> Ref:
    return clip_between(g, real(g, input) * alpha + beta, 0, 1)


@table.lower(activation.hard_sigmoid)
def hard_sigmoid(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    return _clip_line(g, input, alpha, beta)


@table.lower(activation.hard_swish)
def hard_swish(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    if math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return g.elementwise("HARD_SWISH", real(g, input))
    return g.take(input) * _clip_line(g, input, alpha, beta)


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    ref = g.last(real(g, input), axis)
    return g.compute("SOFTMAX", [ref], ref.tensor.shape, ref.order, beta=1.0)


@table.lower(activation.log_softmax)
def log_softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    ref = g.last(real(g, input), axis)
    return g.compute("LOG_SOFTMAX", [ref], ref.tensor.shape, ref.order)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    if input.precision in (Precision.FLOAT32, Precision.FLOAT16, Precision.BFLOAT16):
        bounds = [
            None if b.constant is None else float(b.constant.reshape(-1)[0]) for b in (min, max)
        ]
        if bounds[0] == 0 and bounds[1] == 6:
            return g.elementwise("RELU6", input)
    low, high = (g.reshape(b, ()) for b in (min, max))
    if is_real(g, low) or is_real(g, high):
        return extreme(g, "MINIMUM", extreme(g, "MAXIMUM", input, low), high)
    return clip_between(g, input, low, high)


@table.lower(activation.elu)
def elu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    x = real(g, input)
    made = g.elementwise("ELU", x)
    return made if alpha == 1 else g.where(x > 0, x, made * alpha)
