"""Elementwise activations."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import activation
from nnir.types import Fuse

from ...operands import Axis
from ...quirks import Quirk, report_met
from .above import BODIES, nodes_above
from .binary import TOPS, apply_fuse_code, clip_between
from .emitter import Emitter, Ref
from .finite import is_computed, keep_nan
from .forms import Single, Table, single
from .quirks import SLOPES_OF_A_PRODUCT, SLOPES_OF_A_REDUCTION

table = Table()

APART = frozenset(
    {"Convolution", "GroupConvolution", "ConvolutionBackpropData", "MaxPool", "AvgPool", "ShapeOf"}
)
"""What computes between a product and an activation, so that they are not joined."""


table.natives({activation.sigmoid: "Sigmoid", activation.tanh: "Tanh"})


@table.each({activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6})
def _rectify(g: Emitter, code: Fuse, input: Value) -> Ref:
    if is_computed(input):
        return apply_fuse_code(g, g.take(input), code)
    return clip_between(g, input, 0, TOPS[code])


def keep_infinity(g: Emitter, input: Value, result: Ref) -> Ref:
    """`result`, but infinity where the input is; what is computed has none."""
    if is_computed(input):
        return result
    return g.where(g.take(input).equal(np.inf), input, result)


@table.lower(activation.swish)
def swish(g: Emitter, input: Value) -> Ref:
    return keep_infinity(g, input, g.node("Swish", input))


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    return g.node("PRelu", input, g.constant(np.array([alpha], input.dtype)))


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    is_one = slope.shape == (1,)
    g.need(input.rank > 1 or is_one, f"has no PRELU of {input.type} with a slope {slope.type}")
    x, factors = g.take(input), g.cast(slope, input.precision)
    met = [] if is_one else _joined_with(g, x)
    if not met:
        return g.node("PRelu", x, factors)
    for quirk in met:
        report_met(quirk)
    apart = g.node("PRelu", g.unsqueeze(x, -1), factors)
    return g.squeeze(apart, -1)


def _joined_with(g: Emitter, x: Ref) -> list[Quirk]:
    """What goes wrong where a PRelu of `x` becomes a part of what stands above it: a MatMul, whose
    channels are its last axis, or a reduction."""
    above = nodes_above(x.output, lambda node: node.get_type_name() in APART)
    names = {n.get_type_name() for n in above}
    is_open = g is not g.root or bool(names & BODIES)
    is_product = x.rank > 3 and (is_open or g.products.reach(x.output))
    found = [SLOPES_OF_A_PRODUCT] if is_product else []
    reduces = any(name.startswith("Reduce") for name in names)
    return [*found, SLOPES_OF_A_REDUCTION] if is_open or reduces else found


@table.lower(activation.gelu)
def gelu(g: Emitter, input: Value, *, approximate: bool) -> Ref:
    made = g.node("Gelu", input, approximation_mode="TANH" if approximate else "ERF")
    return keep_infinity(g, input, made)


@table.each({activation.hard_sigmoid: "HSigmoid", activation.hard_swish: "HSwish"})
def _hard(g: Emitter, name: str, input: Value, *, alpha: float, beta: float) -> Ref:
    if is_computed(input) and (np.float32(alpha), beta) == (np.float32(1 / 6), 0.5):
        return g.node(name, input)
    x = single(g, input)
    line = g.pair("Maximum", 0, x * alpha + beta)
    ramp = keep_nan(g, x, g.pair("Minimum", 1, line))
    return ramp if name == "HSigmoid" else x * ramp


def log_of_sum(g: Emitter, x: Ref) -> Ref:
    """log(1 + x) = 2 artanh(x / (2 + x)), which loses nothing near 0; for |x| up to 1."""
    return g.node("Atanh", x / (x + 2)) * 2


@table.each({activation.softmax: "Softmax", activation.log_softmax: "LogSoftmax"})
def share(g: Emitter, name: str, input: Value, *, axis: Axis) -> Ref:
    """NaN in all of a row that has one."""
    is_known = is_computed(input)
    x = g.take(input) if is_known and name == "Softmax" else single(g, input)
    made = g.node(name, x, axis=axis)
    if is_known:
        return made
    whole = g.node("ReduceSum", made, g.ints(axis), keep_dims=True)  # NaN where one is
    return g.where(g.node("IsNaN", whole), np.nan, made)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    known = [b.constant.item() for b in (min, max) if b.constant is not None]
    if input.is_float and is_computed(input) and len(known) == 2 and known[0] <= known[1]:
        return g.node("Clamp", input, min=known[0], max=known[1])
    return clip_between(g, input, g.one(min), g.one(max))


@table.lower(activation.elu)
def elu(g: Emitter, input: Single, *, alpha: float) -> Ref:
    below = expm1(g, g.pair("Minimum", 0, input)) * alpha
    return g.where(input > 0, input, keep_nan(g, input, below))


def expm1(g: Emitter, x: Ref) -> Ref:
    """exp(x) - 1 = tanh(x / 2) (exp(x) + 1), which loses nothing near 0."""
    return g.node("Tanh", x * 0.5) * (g.node("Exp", x) + 1)
