"""Sums, products, and what is made of them; the larger and the smaller of two."""

from __future__ import annotations

import math
from functools import reduce
from operator import add

import numpy as np

from nnir.broadcast import broadcast
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import activation, binary
from nnir.types import Fuse

from ...lowering import Lowerings
from .emitter import FUSING, Emitter, Operand, Ref
from .sizes import numbers

table = Lowerings[Ref]()

CODES = {Fuse.RELU: FusedActivation.RELU, Fuse.RELU6: FusedActivation.RELU6}


@table.fuse
def activate(g: Emitter, result: Ref, code: Fuse) -> Ref:
    """In the step that gave the result where that can, else behind it."""
    step = g.makers.get(result.tensor)
    if code == Fuse.RELU1:
        return clip_between(g, result, 0, 1)
    if step is not None and step is g.graph.steps[-1] and step.type in FUSING:
        step.inputs[-1] = g.argument(int(CODES[code]))
        return result
    return g.map(OperationType.RELU if code == Fuse.RELU else OperationType.RELU6, result)


@table.each({binary.add: OperationType.ADD, binary.mul: OperationType.MUL})
def _native(g: Emitter, type: OperationType, input0: Value, input1: Value) -> Ref:
    return g.binary(type, input0, input1)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    return reduce(add, map(g.real, input))


@table.lower(binary.sub)
def sub(g: Emitter, input0: Value, input1: Value) -> Ref:
    return g.real(input0) - g.real(input1)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value) -> Ref:
    """By a constant: a product with its reciprocal, which rounds once more."""
    below = g.real(input1).constant
    if below is None:
        raise NoLowering("nnapi divides by constants alone")
    with np.errstate(divide="ignore"):
        return g.real(input0) * g.constant(np.float32(1) / below)


@table.each({binary.max_: 1, binary.min_: -1})
def _extreme(g: Emitter, sign: int, input0: Value, input1: Value) -> Ref:
    return larger(g, input0, input1) if sign > 0 else smaller(g, input0, input1)


def smaller(g: Emitter, a: Operand, b: Operand) -> Ref:
    return -larger(g, -g.real(a), -g.real(b))


def larger(g: Emitter, a: Operand, b: Operand) -> Ref:
    """MAX_POOL_2D over both, one above the other: no other operation compares two tensors."""
    refs, order = g.aligned(g.real(a), g.real(b))
    shape = numbers(broadcast(*(r.shape for r in refs)))
    count = math.prod(shape)
    rows = [g.dims(fill(g, r, shape), (1, 1, count, 1)) for r in refs]
    both = g.step(OperationType.CONCATENATION, [*rows, 1], (1, 2, count, 1))
    window = (0, 0, 0, 0, 1, 1, 1, 2)
    made = g.one(OperationType.MAX_POOL_2D, [both, *window], (1, 1, count, 1))
    return g.lay(made, shape, order)


def fill(g: Emitter, ref: Ref, shape: tuple[int, ...]) -> Ref:
    """An operand repeated to the sizes that it broadcasts to."""
    own = (1,) * (len(shape) - ref.rank) + ref.shape
    places = np.broadcast_to(np.arange(math.prod(own)).reshape(own), shape)
    return g.hold(g.pick(ref, places), shape, precision=ref.precision)


def clip_between(g: Emitter, operand: Operand, low: float, high: float) -> Ref:
    """Between two numbers, by an activation where there is one."""
    x = g.real(operand)
    match low, high:
        case (0, 6):
            return g.map(OperationType.RELU6, x)
        case (-1, 1):
            return g.map(OperationType.RELU1, x)
        case (0, math.inf):
            return g.map(OperationType.RELU, x)
    if low == 0:
        x = g.map(OperationType.RELU, x)
    elif low > -math.inf:
        x = larger(g, x, g.constant(np.float32(low)))
    return x if high == math.inf else smaller(g, x, g.constant(np.float32(high)))


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Ref:
    bounds = [b.constant.item() for b in (min, max) if b.constant is not None]
    if len(bounds) == 2 and bounds[0] <= bounds[1]:
        return clip_between(g, input, *bounds)
    return smaller(g, larger(g, input, g.reshape(min, ())), g.reshape(max, ()))
