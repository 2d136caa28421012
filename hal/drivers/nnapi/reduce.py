"""Reductions along axes: pools over rows, and products with ones."""

from __future__ import annotations

import math

import numpy as np

from nnir.ops import reduce

from ...attributes import Ints
from ...lowering import Lowerings
from ...operands import Axes
from .conv import LAST
from .emitter import Emitter, Real, Ref, result_shape
from .linear import dense

table = Lowerings[Ref]()


@table.each(
    {reduce.reduce_mean: "AVERAGE_POOL_2D", reduce.reduce_max: "MAX_POOL_2D"},
    implied=["keepdim"],
)
def pool_axes(g: Emitter, kernel: str, input: Real, axes: Axes) -> Ref:
    """One window over the axes, which lie together in front of or behind the others."""
    image = input
    if axes != (2, 3) or input.order != LAST:
        input, (rest, count) = rows_of(g, input, axes)
        image = input.stored((1, rest, count, 1))
    batch, height, width, depth = image.shape
    tall = height if image is input else 1
    window = (0, 0, 0, 0, 1, 1, width, tall)
    made = g.one(kernel, [image, *window], (batch, height // tall, 1, depth))
    return restore(g, made, input, axes)


@table.lower(reduce.reduce_min, implied=["keepdim"])
def reduce_min(g: Emitter, input: Real, axes: Axes) -> Ref:
    return -pool_axes(g, "MAX_POOL_2D", -input, axes)


@table.lower(reduce.reduce_sum, implied=["keepdim"])
def reduce_sum(g: Emitter, input: Real, axes: Axes) -> Ref:
    """Products with ones."""
    ref, sizes = rows_of(g, input, axes)
    ones = g.constant(np.ones((1, sizes[1]), np.float32))
    return restore(g, dense(g, ref.stored(sizes), ones), ref, axes)


def rows_of(g: Emitter, ref: Ref, axes: Ints) -> tuple[Ref, tuple[int, int]]:
    """The axes stored last; how many rows of them there are, and how many elements each has."""
    count = math.prod(ref.sizes[a] for a in axes)
    return g.last(ref, axes), (math.prod(ref.shape) // count, count)


def restore(g: Emitter, made: Ref, ref: Ref, axes: Ints) -> Ref:
    """What is left of a result without axes, in the order of the model and of its sizes."""
    order = [a for a in ref.order if a not in axes]
    sizes = tuple(ref.sizes[a] for a in order)
    left = made.stored(sizes, tuple(sorted(order).index(a) for a in order))
    return g.reshape(left, result_shape(g))
