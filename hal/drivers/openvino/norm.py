"""Normalisation, in float32."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import norm
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .reduce import reduce_node

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _column(g: Emitter, vector: Value, rank: int) -> Ref:
    """[C] as [C, 1, ...] for a tensor of `rank`."""
    if vector.constant is not None:
        return g.cast(g.constant(vector.constant.reshape(-1, *(1,) * (rank - 2))), FLOAT32)
    return g.reshape(g.cast(vector, FLOAT32), [-1, *(1,) * (rank - 2)])


def _standardise(g: Emitter, x: Ref, axes: Sequence[int], epsilon: float) -> Ref:
    return g.node(
        "MVN",
        x,
        g.ints(*axes),
        eps=float(epsilon),
        normalize_variance=True,
        eps_mode="inside_sqrt",
    )


def _scale(g: Emitter, even: Ref, scale: Ref, bias: Ref) -> Ref:
    return g.pair("Add", g.pair("Multiply", even, scale), bias)


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
    x, s, b, m, v = (g.cast(t, FLOAT32) for t in (input, scale, bias, mean, variance))
    made = g.node("BatchNormInference", x, s, b, m, v, epsilon=float(epsilon))
    return g.cast(made, input.precision)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    x = g.cast(input, FLOAT32)
    axes = range(2, input.rank)
    even = _standardise(g, x, axes, epsilon) if axes else g.pair("Subtract", x, x)
    made = _scale(g, even, _column(g, scale, input.rank), _column(g, bias, input.rank))
    return g.cast(made, input.precision)


@table.lower(norm.group_normalization)
def group_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float, groups: int
) -> Ref:
    x = g.cast(input, FLOAT32)
    split = g.reshape(x, [0, groups, -1], copy=True)
    even = g.reshape(_standardise(g, split, [2], epsilon), g.dims(x))
    made = _scale(g, even, _column(g, scale, input.rank), _column(g, bias, input.rank))
    return g.cast(made, input.precision)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    first = axis_of(begin_norm_axis, input.rank)
    x = g.cast(input, FLOAT32)
    even = _standardise(g, x, range(first, input.rank), epsilon)
    made = _scale(g, even, g.cast(scale, FLOAT32), g.cast(bias, FLOAT32))
    return g.cast(made, input.precision)


@table.lower(norm.lp_normalization)
def lp_normalization(g: Emitter, input: Value, *, axis: int, p: int, epsilon: float) -> Ref:
    x = g.cast(input, FLOAT32)
    op, along = "ReduceL1" if p == 1 else "ReduceL2", axis_of(axis, input.rank)
    size = reduce_node(g, op, x, [along], keepdim=True)
    if 0 < epsilon <= np.finfo(np.float32).tiny:
        # so small a number is flushed to 0; it only matters where the norm is 0
        none = g.pair("Equal", size, g.number(0, x))
        whole = g.where(none, g.number(1, x), size)
    else:
        whole = g.pair("Add", size, g.number(epsilon, x))
    made = g.node("Divide", x, whole, auto_broadcast="numpy", m_pythondiv=False)
    return g.cast(made, input.precision)


@table.lower(norm.lrn)
def lrn(g: Emitter, input: Value, *, size: int, bias: float, alpha: float, beta: float) -> Ref:
    """By its formula: a sum over shifted channels."""
    if size > 64:
        raise NoLowering(f"openvino: lrn with size={size}")
    x = g.cast(input, FLOAT32)
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    tail = [0] * (input.rank - 2)
    squares = g.pair("Multiply", x, x)
    zero = g.number(0, x)
    wide = g.node(
        "Pad", squares, g.ints(0, before, *tail), g.ints(0, after, *tail), zero, pad_mode="constant"
    )
    total = None
    for k in range(size):
        stop = (1 << 31) - 1 if k == size - 1 else k - size + 1
        part = g.node("Slice", wide, g.ints(k), g.ints(stop), g.ints(1), g.ints(1))
        total = part if total is None else g.pair("Add", total, part)
    scaled = g.pair("Multiply", total, g.number(alpha / size, x))
    base = g.pair("Add", scaled, g.number(bias, x))
    made = g.pair("Divide", x, g.pair("Power", base, g.number(beta, x)))
    return g.cast(made, input.precision)
