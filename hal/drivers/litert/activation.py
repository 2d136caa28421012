"""Elementwise activations, and those along an axis."""

from __future__ import annotations

import math
from typing import Any

from nnir.ops import activation
from nnir.types import Fuse

from ...lowering import Lowerings
from .binary import extreme, rectify
from .emitter import Emitter, Real, Ref, Single, Taken

table = Lowerings[Ref]()


table.natives({activation.sigmoid: "LOGISTIC", activation.tanh: "TANH"})
table.native(activation.gelu, "GELU", "approximate")
table.native(activation.leaky_relu, "LEAKY_RELU", "alpha")


table.each({activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6})(rectify)


@table.lower(activation.swish)
def swish(g: Emitter, input: Taken) -> Ref:
    return input * g.elementwise("LOGISTIC", input)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Real, slope: Real) -> Ref:
    known = slope.constant
    if known is not None and known.size == 1:
        return g.elementwise("LEAKY_RELU", input, alpha=float(known.item()))
    g.need(input.rank > 1, f"has slopes of channels, not of elements of rank {input.rank}")
    return g.compute("PRELU", [g.image(input), g.widen(slope, input.rank - 1)])


@table.each({activation.hard_sigmoid: False, activation.hard_swish: True})
def _hard(g: Emitter, is_factor: bool, input: Real, *, alpha: float, beta: float) -> Ref:
    if is_factor and math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return g.elementwise("HARD_SWISH", input)
    ramp = rectify(g, Fuse.RELU1, input * alpha + beta)
    return input * ramp if is_factor else ramp


@table.each({activation.softmax: "SOFTMAX", activation.log_softmax: "LOG_SOFTMAX"})
def _share(g: Emitter, name: str, input: Real, *, axis: int) -> Ref:
    fields: dict[str, Any] = {"beta": 1.0} if name == "SOFTMAX" else {}
    return g.compute(name, [g.last(input, axis)], **fields)


@table.lower(activation.clip)
def clip(g: Emitter, input: Taken, min: Single, max: Single) -> Ref:
    return extreme(g, "MINIMUM", extreme(g, "MAXIMUM", input, min), max)


@table.lower(activation.elu)
def elu(g: Emitter, input: Real, *, alpha: float) -> Ref:
    made = g.elementwise("ELU", input)
    return made if alpha == 1 else g.where(input > 0, input, made * alpha)
