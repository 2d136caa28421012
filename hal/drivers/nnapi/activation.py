"""Activations."""

from __future__ import annotations

import math

from nnir.model import Value
from nnir.ops import activation

from ...lowering import Lowerings
from .binary import clip_between, larger, smaller
from .emitter import Emitter, Real, Ref

table = Lowerings[Ref]()
table.natives(
    {
        activation.sigmoid: "LOGISTIC",
        activation.tanh: "TANH",
        activation.relu: "RELU",
        activation.relu6: "RELU6",
    }
)


@table.lower(activation.clip)
def clip(g: Emitter, input: Real, min: Value, max: Value) -> Ref:
    bounds = [b.constant.item() for b in (min, max) if b.constant is not None]
    if len(bounds) == 2 and bounds[0] <= bounds[1]:
        return clip_between(g, input, *bounds)
    return smaller(g, larger(g, input, g.reshape(min, ())), g.reshape(max, ()))


@table.lower(activation.swish)
def swish(g: Emitter, input: Real) -> Ref:
    return input * g.map("LOGISTIC", input)


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Real, *, axis: int) -> Ref:
    """Rows of a matrix, whose axis is stored last."""
    ref = g.last(input, [axis % input.rank])
    rows = g.dims(ref, (math.prod(ref.shape[:-1]), ref.shape[-1]))
    return g.one("SOFTMAX", [rows, 1.0], rows.dims).stored(ref.shape, ref.order)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Real, *, alpha: float) -> Ref:
    return g.rectify(input) + g.rectify(-input) * -alpha


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Real, slope: Real) -> Ref:
    """One slope, or one for each channel."""
    if input.rank > 2 or slope.sizes == (1,):
        slope = g.reshape(slope, (*slope.sizes, *(1,) * max(input.rank - 2, 0)))
    return g.rectify(input) + g.rectify(-input) * -slope


@table.each({activation.hard_sigmoid: False, activation.hard_swish: True})
def _hard(g: Emitter, is_factor: bool, input: Real, *, alpha: float, beta: float) -> Ref:
    """A ramp, or the product with it: with the usual numbers a RELU6."""
    if is_factor and math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return input * g.map("RELU6", input + 3) * (1 / 6)
    ramp = clip_between(g, input * alpha + beta, 0, 1)
    return input * ramp if is_factor else ramp
