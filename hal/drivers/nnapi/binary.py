"""Sums, products, and what is made of them; the larger and the smaller of two."""

from __future__ import annotations

import math

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation
from nnir.ops import binary
from nnir.types import Fuse

from ...lowering import Lowerings
from .emitter import FUSING, Emitter, Real, Ref

table = Lowerings[Ref]()
table.natives({binary.add: "ADD", binary.mul: "MUL"})
RAMPS: dict[tuple[float, float], str] = {(0, 6): "RELU6", (-1, 1): "RELU1", (0, math.inf): "RELU"}
"""The activations that keep numbers between two."""


@table.fuse
def activate(g: Emitter, result: Ref, code: Fuse) -> Ref:
    """In the step that gave the result where that can, else behind it."""
    step = g.makers.get(result.tensor)
    if code == Fuse.RELU1:
        return clip_between(g, result, 0, 1)
    if step is not None and step is g.graph.steps[-1] and step.type in FUSING:
        step.inputs[-1] = g.argument(int(FusedActivation[code.name]))
        return result
    return g.map(code.name, result)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Real) -> Ref:
    first, *rest = input
    return sum(rest, first)


@table.lower(binary.sub)
def sub(g: Emitter, input0: Real, input1: Real) -> Ref:
    return input0 - input1


@table.lower(binary.div)
def div(g: Emitter, input0: Real, input1: Real) -> Ref:
    """By a constant: a product with its reciprocal, which rounds once more."""
    below = input1.constant
    if below is None:
        raise NoLowering("nnapi divides by constants alone")
    with np.errstate(divide="ignore"):
        return input0 * g.constant(np.float32(1) / below)


@table.lower(binary.min_)
def smaller(g: Emitter, input0: Real, input1: Real) -> Ref:
    return -larger(g, -input0, -input1)


@table.lower(binary.max_)
def larger(g: Emitter, input0: Real, input1: Real) -> Ref:
    """MAX_POOL_2D over both, one above the other: no other operation compares two tensors."""
    refs, shape, order = g.aligned(input0, input1)
    count = math.prod(shape)
    places = (np.broadcast_to(r.stored(r.shape).places, shape) for r in refs)
    rows = [g.dims(g.moved(r, p), (1, 1, count, 1)) for r, p in zip(refs, places, strict=True)]
    both = g.one("CONCATENATION", [*rows, 1], (1, 2, count, 1))
    made = g.one("MAX_POOL_2D", [both, 0, 0, 0, 0, 1, 1, 1, 2], (1, 1, count, 1))
    return made.stored(shape, order)


def clip_between(g: Emitter, x: Ref, low: float, high: float) -> Ref:
    """Between two numbers, by an activation where there is one."""
    if (low, high) in RAMPS:
        return g.map(RAMPS[low, high], x)
    if low > -math.inf:
        x = larger(g, x, g.real(low)) if low else g.rectify(x)
    return x if high == math.inf else smaller(g, x, g.real(high))
