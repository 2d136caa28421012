"""Normalisation."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import norm
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
NARROW = (Precision.FLOAT16, Precision.BFLOAT16)


def _wide(g: Emitter, *values: Value) -> list[Ref]:
    """All operands in float32, or in float64 when the first is."""
    kind = Precision.FLOAT64 if values[0].precision == Precision.FLOAT64 else Precision.FLOAT32
    return [g.cast(v, kind) for v in values]


def _column(g: Emitter, vector: Ref, rank: int) -> Ref:
    """[C] as [C, 1, ...] for a tensor of `rank`."""
    shape = g.ints(-1, *(1,) * (rank - 2))
    return g.node("Reshape", vector, shape)


def _standardise(g: Emitter, x: Ref, axes: list[int], epsilon: float) -> Ref:
    where = g.constant(np.array(axes, np.int64))
    centred = g.node("Sub", x, g.node("ReduceMean", x, where))
    variance = g.node("ReduceMean", g.node("Mul", centred, centred), where)
    shifted = g.node("Add", variance, g.number(epsilon, x))
    return g.node("Div", centred, g.node("Sqrt", shifted))


@table.lower(norm.batch_normalization)
def batch_normalization(
    g: Emitter,
    input: Value,
    scale: Value,
    bias: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float,
) -> Ref:
    operands = _wide(g, input, scale, bias, mean, variance)
    if operands[0].precision == Precision.FLOAT32:
        return g.cast(g.node("BatchNormalization", *operands, epsilon=epsilon), input.precision)
    x, *rest = operands
    s, b, m, v = (_column(g, r, input.rank) for r in rest)
    shifted = g.node("Add", v, g.constant(np.array(epsilon, np.float64)))
    factor = g.node("Div", s, g.node("Sqrt", shifted))
    return g.node("Add", g.node("Mul", g.node("Sub", x, m), factor), b)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    if 0 in input.shape:  # its kernel writes where nothing is
        return g.node("Identity", input)
    x, s, b = _wide(g, input, scale, bias)
    if x.precision == Precision.FLOAT32 and input.rank > 2:
        return g.cast(g.node("InstanceNormalization", x, s, b, epsilon=epsilon), input.precision)
    axes = list(range(2, input.rank))
    even = _standardise(g, x, axes, epsilon) if axes else g.node("Sub", x, x)
    scaled = g.node("Mul", even, _column(g, s, input.rank))
    return g.cast(g.node("Add", scaled, _column(g, b, input.rank)), input.precision)


@table.lower(norm.group_normalization)
def group_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float, groups: int
) -> Ref:
    x, s, b = _wide(g, input, scale, bias)
    split = g.node("Reshape", x, g.ints(0, groups, -1))
    even = _standardise(g, split, [2], epsilon)
    even = g.node("Reshape", even, g.node("Shape", x))
    scaled = g.node("Mul", even, _column(g, s, input.rank))
    return g.cast(g.node("Add", scaled, _column(g, b, input.rank)), input.precision)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    x, s, b = _wide(g, input, scale, bias)
    if g.has("LayerNormalization"):
        result = g.node("LayerNormalization", x, s, b, axis=begin_norm_axis, epsilon=epsilon)
    else:
        axes = list(range(begin_norm_axis % input.rank, input.rank))
        result = g.node("Mul", _standardise(g, x, axes, epsilon), s)
        result = result if b is None else g.node("Add", result, b)
    return g.cast(result, input.precision)


@table.lower(norm.lp_normalization)
def lp_normalization(g: Emitter, input: Value, *, axis: int, p: int, epsilon: float) -> Ref:
    (x,) = _wide(g, input)
    where = g.ints(axis)
    size = g.node("ReduceL1" if p == 1 else "ReduceL2", x, where)
    kind = x.precision.dtype
    if 0 < epsilon <= np.finfo(kind).tiny:
        # ONNX Runtime may flush so small a number to 0; it only matters where the norm is 0.
        zero, one = g.constant(np.array(0, kind)), g.constant(np.array(1, kind))
        none = g.node("Equal", size, zero)
        safe = g.where(none, one, size)
        return g.cast(g.node("Div", x, safe), input.precision)
    result = g.node("Div", x, g.node("Add", size, g.constant(np.array(epsilon, kind))))
    return g.cast(result, input.precision)


@table.lower(norm.lrn)
def lrn(g: Emitter, input: Value, *, size: int, bias: float, alpha: float, beta: float) -> Ref:
    """By its formula: the native kernel takes rank 4 and odd sizes only, and as it slides it takes
    back what it added, which leaves nothing of small squares beside a large one."""
    (x,) = _wide(g, input)
    if x.precision != Precision.FLOAT32:
        raise NoLowering("onnxruntime has no LRN kernel for FLOAT64")
    squares = g.node("Mul", x, x)
    planes = g.node("Unsqueeze", squares, g.ints(1))
    flat = g.node("Reshape", planes, g.ints(0, 0, 0, -1))
    before = (size - 1) // 2
    means = g.node(
        "AveragePool",
        flat,
        kernel_shape=[size, 1],
        pads=[before, 0, size - 1 - before, 0],
        count_include_pad=1,
    )
    even = g.node("Reshape", means, g.node("Shape", x))
    scaled = g.node("Mul", even, g.constant(np.float32(alpha)))
    base = g.node("Add", scaled, g.constant(np.float32(bias)))
    power = g.node("Pow", base, g.constant(np.float32(beta)))
    return g.cast(g.node("Div", x, power), input.precision)
