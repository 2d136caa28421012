"""Elementwise activations."""

from __future__ import annotations

import math

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import activation
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from ...operands import Axis
from ...quirks import report_met
from . import cuda, tiny, whole
from .emitter import Emitter, Ref, Taken, widen
from .quirks import SOFTMAX_WRAPS, is_cut_off

table = Lowerings[Ref]()


table.natives({activation.sigmoid: "Sigmoid", activation.tanh: "Tanh"})
table.native(activation.leaky_relu, "LeakyRelu", "alpha")
table.native(activation.hard_sigmoid, "HardSigmoid", "alpha", "beta")
table.native(activation.elu, "Elu", "alpha")
table.native(activation.celu, "Celu", "alpha")
table.native(activation.dropout, "Dropout")  # which draws other numbers from a seed than ONNX


@table.each({activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6})
def _bounded(g: Emitter, code: Fuse, input: Taken) -> Ref:
    return g.fused(input, code)


@table.lower(activation.swish)
def swish(g: Emitter, input: Taken) -> Ref:
    return input * g.node("Sigmoid", input)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    factors = g.cast(slope, input.precision)
    if slope.shape[0] != 1 and input.rank > 2:
        axes = g.constant(np.arange(1, input.rank - 1))
        factors = g.node("Unsqueeze", factors, axes)
    if input.rank == 0:
        factors = g.node("Squeeze", factors)
    return g.node("PRelu", input, factors)


@table.lower(activation.gelu)
def gelu(g: Emitter, input: Value, *, approximate: bool) -> Ref:
    if not g.has("Gelu"):
        return _written_gelu(g, input, approximate=approximate)
    return g.node("Gelu", input, approximate="tanh" if approximate else "none")


def _written_gelu(g: Emitter, input: Value, *, approximate: bool) -> Ref:
    """x / 2 (1 + erf(x / sqrt 2)), or with the hyperbolic tangent: Hendrycks, Gimpel (2016)."""
    x = widen(g, input)
    if approximate:
        curve = g.node("Tanh", (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi))
    else:
        curve = g.node("Erf", x * math.sqrt(0.5))
    return x * 0.5 * (curve + 1.0)


@table.lower(activation.hard_swish)
def hard_swish(g: Emitter, input: Taken, *, alpha: float, beta: float) -> Ref:
    return input * g.node("HardSigmoid", input, alpha=alpha, beta=beta)


@table.lower(activation.softplus)
def softplus(g: Emitter, input: Value, *, beta: float, threshold: float) -> Ref:
    """Beyond 20 a float32 has no room for the difference to x."""
    if beta != 1 or threshold < 20 or input.precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime's Softplus has beta=1 and no threshold, in FLOAT32")
    return g.node("Softplus", input)


@table.lower(activation.log_softmax)
def log_softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    return g.node(
        "LogSoftmax", cuda.shift_by_largest(g, input, axis) if g.host else input, axis=axis
    )


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    if whole.is_inside(g, g.operation.outputs[0]):
        return g.stand_in(g.operation.outputs[0])
    made = g.node("Softmax", tiny.raise_hidden(g, input), axis=axis)
    size = input.shape[axis]
    is_alone = isinstance(size, Expr) or size == 1
    if not is_cut_off(input, is_alone=is_alone):
        return made
    report_met(SOFTMAX_WRAPS)
    return g.node("Max", made, g.number(0, input))  # none is below; it keeps them apart


@table.lower(activation.hardmax)
def hardmax(g: Emitter, input: Value, *, axis: Axis) -> Ref:
    """ONNX Runtime's own Hardmax passes over NaN; its ArgMax does not."""
    first, values = g.node("ArgMax", input, axis=axis), g.constant([0, 1], np.float32)
    operands = first, g.size(input, axis), values
    hot = g.node("OneHot", *operands, axis=axis, precision=Precision.FLOAT32)
    return g.squeeze(hot, axis + 1)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    bounds = [b if b.rank == 0 else g.node("Squeeze", b) for b in (min, max)]
    return g.clipped(input, *bounds)
