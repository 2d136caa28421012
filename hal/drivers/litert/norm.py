"""Normalisation."""

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
from .reduce import reduce_axes
from .unary import Arithmetic, real

table = Lowerings[Ref]()


def _column(g: Emitter, vector: Value, rank: int) -> Ref:
    """[C] as [C, 1, ...] for a tensor of `rank`, in FLOAT32."""
    return g.reshape(g.cast(vector, Precision.FLOAT32), (vector.shape[0], *(1,) * (rank - 2)))


def _standardise(g: Emitter, x: Ref, axes: Sequence[int], epsilon: float) -> Ref:
    f = Arithmetic(g)
    centred = f("SUB", x, reduce_axes(g, "MEAN", x, axes, keepdim=True))
    variance = reduce_axes(g, "MEAN", f("MUL", centred, centred), axes, keepdim=True)
    return f("DIV", centred, f("SQRT", f("ADD", variance, epsilon)))


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
    f, x = Arithmetic(g), real(g, input)
    s, b, m, v = (_column(g, w, input.rank) for w in (scale, bias, mean, variance))
    if all(w.constant is not None for w in (scale, variance)):
        spread = np.sqrt(np.asarray(v.tensor.data) + np.float32(epsilon))
        factor = g.constant(np.asarray(s.tensor.data) / spread, np.float32)
    else:
        factor = f("DIV", s, f("SQRT", f("ADD", v, epsilon)))
    return f("ADD", f("MUL", f("SUB", x, m), factor), b)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    f, x = Arithmetic(g), real(g, input)
    axes = tuple(range(2, input.rank))
    even = _standardise(g, x, axes, epsilon) if axes else f("SUB", x, x)
    scaled = f("MUL", even, _column(g, scale, input.rank))
    return f("ADD", scaled, _column(g, bias, input.rank))


@table.lower(norm.group_normalization)
def group_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float, groups: int
) -> Ref:
    f, x = Arithmetic(g), real(g, input)
    channels, rest = input.shape[1], input.shape[2:]
    if not isinstance(channels, int) or not all(isinstance(d, int) for d in rest):
        raise NoLowering(f"group_normalization of {input.type} needs known sizes on litert")
    split = g.reshape(x, (input.shape[0], groups, channels // groups, *rest))
    even = _standardise(g, split, tuple(range(2, split.rank)), epsilon)
    even = g.reshape(even, input.shape)
    scaled = f("MUL", even, _column(g, scale, input.rank))
    return f("ADD", scaled, _column(g, bias, input.rank))


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    f, x = Arithmetic(g), real(g, input)
    axes = tuple(range(axis_of(begin_norm_axis, input.rank), input.rank))
    even = _standardise(g, x, axes, epsilon)
    factor, shift = (g.cast(v, Precision.FLOAT32) for v in (scale, bias))
    return f("ADD", f("MUL", even, factor), shift)


@table.lower(norm.lp_normalization)
def lp_normalization(g: Emitter, input: Value, *, axis: int, p: int, epsilon: float) -> Ref:
    f, x = Arithmetic(g), real(g, input)
    along = (axis_of(axis, input.rank),)
    if p == 1:
        size = reduce_axes(g, "SUM", f("ABS", x), along, keepdim=True)
    else:
        size = f("SQRT", reduce_axes(g, "SUM", f("MUL", x, x), along, keepdim=True))
    if 0 < epsilon < np.finfo(np.float32).tiny:
        # XNNPACK flushes so small a number to 0; it only matters where the norm is 0
        return f("DIV", x, f.where(f("EQUAL", size, 0), 1, size))
    return f("DIV", x, f("ADD", size, epsilon))


@table.lower(norm.lrn)
def lrn(g: Emitter, input: Value, *, size: int, bias: float, alpha: float, beta: float) -> Ref:
    """By its formula: the squares of the neighbours, shifted and added up."""
    from .shape import part

    f, x = Arithmetic(g), real(g, input)
    channels = input.shape[1]
    if not isinstance(channels, int) or size > 64:
        raise NoLowering(f"lrn of {input.type} over {size} channels on litert")
    before = (size - 1) // 2
    squares = f("MUL", x, x)
    place = squares.place(1)
    amounts = np.zeros((input.rank, 2), np.int32)
    amounts[place] = before, size - 1 - before
    shape = list(squares.tensor.shape)
    shape[place] = channels + size - 1
    grown = g.move("PAD", [squares], tuple(shape), squares.order, g.constant(amounts))
    total = part(g, grown, 1, 0, channels)
    for k in range(1, size):
        total = f("ADD", total, part(g, grown, 1, k, channels))
    base = f("ADD", f("MUL", total, np.float32(alpha / size)), np.float32(bias))
    return f("DIV", x, f("POW", base, np.float32(beta)))
