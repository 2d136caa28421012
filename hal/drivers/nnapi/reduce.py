"""Reductions along axes: pools over rows, and products with ones."""

from __future__ import annotations

import math

import numpy as np

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import reduce

from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Emitter, Ref, result_shape
from .linear import dense

table = Lowerings[Ref]()
SPATIAL = (2, 3)


def known_axes(input: Value, axes: Value) -> tuple[int, ...]:
    """The axes that are reduced; all where none is named."""
    known = () if 0 in axes.shape else ints(axes)
    if known is None:
        raise NoLowering("nnapi reduces along known axes alone")
    return tuple(sorted({axis_of(a, input.rank) for a in known})) or tuple(range(input.rank))


@table.each(
    {
        reduce.reduce_mean: OperationType.AVERAGE_POOL_2D,
        reduce.reduce_max: OperationType.MAX_POOL_2D,
    },
    implied=["keepdim"],
)
def _pool(g: Emitter, type: OperationType, input: Value, axes: Value) -> Ref:
    return pool_axes(g, type, g.real(input), known_axes(input, axes))


@table.lower(reduce.reduce_min, implied=["keepdim"])
def reduce_min(g: Emitter, input: Value, axes: Value) -> Ref:
    return -pool_axes(g, OperationType.MAX_POOL_2D, -g.real(input), known_axes(input, axes))


def pool_axes(g: Emitter, type: OperationType, ref: Ref, axes: tuple[int, ...]) -> Ref:
    """One window over the axes, which lie together in front of or behind the others."""
    count = math.prod(ref.sizes[a] for a in axes)
    if ref.rank == 4 and axes == SPATIAL and ref.order == channels_last(4):
        batch, height, width, depth = ref.shape
        window, sizes = (width, height), (batch, 1, 1, depth)
        image = g.dims(ref, ref.shape)
    else:
        ref = g.last(ref, axes)
        rest = math.prod(ref.shape) // count
        window, sizes = (count, 1), (1, rest, 1, 1)
        image = g.dims(ref, (1, rest, count, 1))
    made = g.one(type, [image, 0, 0, 0, 0, 1, 1, *window], sizes)
    return restore(g, made, ref, axes)


def restore(g: Emitter, made: Ref, ref: Ref, axes: tuple[int, ...]) -> Ref:
    """What is left of a result without axes, in the order of the model and of its sizes."""
    order = [a for a in ref.order if a not in axes]
    sizes = tuple(ref.sizes[a] for a in order)
    left = g.plain(made.stored(sizes, tuple(sorted(order).index(a) for a in order)))
    return g.lay(left, result_shape(g))


@table.lower(reduce.reduce_sum, implied=["keepdim"])
def reduce_sum(g: Emitter, input: Value, axes: Value) -> Ref:
    """Products with ones."""
    names = known_axes(input, axes)
    ref = g.last(g.real(input), names)
    count = math.prod(ref.sizes[a] for a in names)
    rows = ref.stored((math.prod(ref.shape) // count, count))
    made = dense(g, rows, g.constant(np.ones((1, count), np.float32)))
    return restore(g, made, ref, names)
