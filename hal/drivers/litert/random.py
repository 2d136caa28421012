"""Random numbers. Those of a seed are constants: the kernels go on where the last run ended."""

from __future__ import annotations

import numpy as np

from nnir.ops import random
from nnir.recipes.random import draw_by_seed, draw_classes, draw_truths
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Real, Ref, result_shape
from .kernels import carrier
from .shape import Sizes

table = Lowerings[Ref]()
FLOAT = Precision.FLOAT32


def _draw(g: Emitter, name: str, shape: Ref, dtype: Precision) -> Ref:
    """Numbers of FLOAT32, for `dtype`."""
    rank = len(result_shape(g))
    g.need(carrier(dtype) == FLOAT and rank, f"draws no {dtype.name}, and no single number")
    return g.one(name, [g.reshape(shape, (rank,))], FLOAT)


@table.lower(random.random_normal)
def random_normal(g: Emitter, shape: Sizes, *, mean: float, scale: float, dtype: Precision) -> Ref:
    return _draw(g, "RANDOM_STANDARD_NORMAL", shape, dtype) * scale + mean


@table.lower(random.random_uniform)
def random_uniform(g: Emitter, shape: Sizes, *, low: float, high: float, dtype: Precision) -> Ref:
    drawn = _draw(g, "RANDOM_UNIFORM", shape, dtype)
    if (low, high) == (0, 1) and dtype == FLOAT:
        return drawn
    ends = map(dtype.dtype.type, (high, low))
    below = float(np.nextafter(*ends))  # what rounds up to the bound
    return g.elementwise("MINIMUM", drawn * (high - low) + low, below)


@table.lower(random.multinomial)
def multinomial(g: Emitter, input: Real, *, sample_size: int, dtype: Precision) -> Ref:
    return g.one("MULTINOMIAL", [g.plain(input), g.constant(np.int32(sample_size))], dtype)


for _operator in (random.random_normal, random.random_uniform):
    table.decompose(_operator, draw_by_seed(_operator))
table.decompose(random.multinomial, draw_classes)
table.decompose(random.bernoulli, draw_truths)


@table.lower(random.bernoulli)
def bernoulli(g: Emitter, input: Real, *, dtype: Precision) -> Ref:
    return g.cast(_draw(g, "RANDOM_UNIFORM", g.sizes(input.shape), FLOAT) < input, dtype)
