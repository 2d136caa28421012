"""Reductions along axes: pools over rows, and products with ones."""

from __future__ import annotations

import math

import numpy as np

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import reduce

from ...lowering import Lowerings
from ...orders import identity
from .binary import negate
from .emitter import Argument, Emitter, Ref, result_shape
from .linear import dense
from .sizes import join_axes

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
    return pool_axes(g, type, g.real(input), known_axes(input, axes), result_shape(g))


@table.lower(reduce.reduce_min, implied=["keepdim"])
def reduce_min(g: Emitter, input: Value, axes: Value) -> Ref:
    pooled = pool_axes(
        g, OperationType.MAX_POOL_2D, negate(g, input), known_axes(input, axes), result_shape(g)
    )
    return negate(g, pooled)


def pool_axes(
    g: Emitter, type: OperationType, ref: Ref, axes: tuple[int, ...], shape: tuple[int, ...]
) -> Ref:
    """One window over the axes, which lie together in front of or behind the others."""
    count = math.prod(ref.sizes[a] for a in axes)
    rest = math.prod(ref.shape) // count
    if ref.rank == 4 and axes == SPATIAL and ref.order == (0, 2, 3, 1):
        batch, height, width, depth = ref.shape
        dims, window, sizes = (batch, height, width, depth), (width, height), (batch, 1, 1, depth)
    else:
        ref = g.last(ref, axes)
        dims, window, sizes = (1, rest, count, 1), (count, 1), (1, rest, 1, 1)
    inputs: list[Argument] = [
        g.dims(ref, dims),
        0,
        0,
        0,
        0,
        1,
        1,
        *window,
        int(FusedActivation.NONE),
    ]
    made = g.step(type, inputs, sizes)
    order = tuple(a for a in ref.order if a not in axes)
    return restore(g, Ref(made, tuple(ref.sizes[a] for a in order), order, ref.precision), shape)


def restore(g: Emitter, ref: Ref, shape: tuple[int, ...]) -> Ref:
    """What is left of the axes, in the order of the model and of the result's sizes."""
    places = {a: k for k, a in enumerate(sorted(ref.order))}
    left = Ref(ref.tensor, ref.shape, tuple(places[a] for a in ref.order), ref.precision)
    whole = g.plain(left)
    return Ref(g.dims(whole, join_axes(shape)), shape, identity(len(shape)), ref.precision)


@table.lower(reduce.reduce_sum, implied=["keepdim"])
def reduce_sum(g: Emitter, input: Value, axes: Value) -> Ref:
    """Products with ones."""
    names = known_axes(input, axes)
    ref = g.last(g.real(input), names)
    count = math.prod(ref.sizes[a] for a in names)
    ones = g.constant(np.ones((1, count), np.float32))
    rows = Ref(ref.tensor, (math.prod(ref.shape) // count, count), identity(2), ref.precision)
    made = dense(g, rows, ones)
    order = tuple(a for a in ref.order if a not in names)
    sizes = tuple(ref.sizes[a] for a in order)
    return restore(g, Ref(made.tensor, sizes, order, ref.precision), result_shape(g))
