"""Elementwise activations, and those along an axis."""

from __future__ import annotations

import math
from typing import Any

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import activation
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from ...orders import channels_last
from .binary import apply_fuse_code, clip_between, extreme
from .emitter import Emitter, Ref
from .unary import real

table = Lowerings[Ref]()


table.natives({activation.sigmoid: "LOGISTIC", activation.tanh: "TANH"})
table.native(activation.gelu, "GELU", "approximate")
table.native(activation.leaky_relu, "LEAKY_RELU", "alpha")


@table.each({activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6})
def _rectify(g: Emitter, code: Fuse, input: Value) -> Ref:
    return apply_fuse_code(g, g.take(input), code)


@table.lower(activation.swish)
def swish(g: Emitter, input: Value) -> Ref:
    return g.take(input) * g.elementwise("LOGISTIC", input)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    known = slope.constant
    if known is not None and known.size == 1:
        return g.elementwise("LEAKY_RELU", input, alpha=float(known.item()))
    if input.rank < 2:
        raise NoLowering(f"litert has slopes of channels, not of {input.type}")
    x = g.ordered(real(g, input), channels_last(input.rank))
    wide = g.reshape(g.cast(slope, Precision.FLOAT32), (*(1,) * (input.rank - 2), *slope.shape))
    return g.compute("PRELU", [x, wide])


@table.each({activation.hard_sigmoid: False, activation.hard_swish: True})
def _hard(g: Emitter, is_factor: bool, input: Value, *, alpha: float, beta: float) -> Ref:
    x = real(g, input)
    if is_factor and math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return g.elementwise("HARD_SWISH", x)
    ramp = clip_between(g, x * alpha + beta, 0, 1)
    return x * ramp if is_factor else ramp


@table.each({activation.softmax: "SOFTMAX", activation.log_softmax: "LOG_SOFTMAX"})
def _share(g: Emitter, name: str, input: Value, *, axis: int) -> Ref:
    ref = g.last(real(g, input), axis)
    fields: dict[str, Any] = {"beta": 1.0} if name == "SOFTMAX" else {}
    return g.compute(name, [ref], **fields)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    low, high = (g.reshape(b, ()) for b in (min, max))
    return extreme(g, "MINIMUM", extreme(g, "MAXIMUM", input, low), high)


@table.lower(activation.elu)
def elu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    x = real(g, input)
    made = g.elementwise("ELU", x)
    return made if alpha == 1 else g.where(x > 0, x, made * alpha)
