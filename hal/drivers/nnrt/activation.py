"""Activations."""

from __future__ import annotations

from math import prod

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import activation

from ...lowering import Lowerings
from ...orders import channels_last, identity
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
SIXTH = np.float32(1 / 6)
table.natives(
    {
        activation.relu: "RELU",
        activation.relu6: "RELU6",
        activation.sigmoid: "SIGMOID",
        activation.swish: "SWISH",
        activation.tanh: "TANH",
    }
)
table.native(activation.gelu, "GELU", "approximate")
table.native(activation.leaky_relu, "LEAKY_RELU", alpha="negativeSlope")


@table.each({activation.hard_swish: "HSWISH", activation.hard_sigmoid: "HARD_SIGMOID"})
def _by_sixths(g: Emitter, name: str, input: Value, *, alpha: float, beta: float) -> Ref:
    if np.float32(alpha) != SIXTH or beta != 0.5:
        raise NoLowering(f"nnrt has {name} of a slope of 1/6 and 0.5, not {alpha} and {beta}")
    return g.elementwise(name, input)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    if slope.precision != input.precision:
        raise NoLowering(f"nnrt has PRELU of one precision, not {slope.type} for {input.type}")
    x = g.ordered(input, channels_last(input.rank))
    return g.one("PRELU", [x, g.plain(slope)], x.tensor.shape, x.order)


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    x = g.take(input)
    place = x.place(axis_of(axis, input.rank))
    return g.one("SOFTMAX", [x], x.tensor.shape, x.order, axis=place)


@table.lower(activation.log_softmax)
def log_softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    """Of a matrix; other tensors are one meanwhile."""
    x = g.last(input, axis_of(axis, input.rank))
    flat = x.stored(identity(x.rank))
    *lead, count = x.tensor.shape
    rows = g.reshape(flat, (prod(g.known(lead)), count))
    made = g.one("LOG_SOFTMAX", [rows], rows.tensor.shape, axis=1)
    return Ref(g.reshape(made, x.tensor.shape).tensor, x.order, x.precision, g)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    known = [v.constant for v in (min, max)]
    if input.is_float and all(k is not None and k.size == 1 for k in known):
        low, high = (float(k.reshape(-1)[0]) for k in known if k is not None)
        return g.elementwise("CLIP", input, min=low, max=high)
    bounds = [g.reshape(v, ()) for v in (min, max)]
    return g.elementwise("MINIMUM", g.elementwise("MAXIMUM", input, bounds[0]), bounds[1])
