"""Random numbers. Those of a seed are constants: the kernels go on where the last run ended."""

from __future__ import annotations

import numpy as np

from nnir.ops import random
from nnir.recipes.random import draw_by_seed
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Real, Ref, result_shape
from .shape import Sizes

table = Lowerings[Ref]()
FLOATS = (Precision.FLOAT32, Precision.FLOAT16, Precision.BFLOAT16)


def _draw(g: Emitter, name: str, shape: Ref) -> Ref:
    """Numbers of FLOAT32."""
    dtype, target = g.operation.outputs[0].precision, result_shape(g)
    g.need(dtype in FLOATS and target, f"draws no {dtype.name}, and no single number")
    return g.one(name, [g.reshape(shape, (len(target),))], Precision.FLOAT32)


@table.lower(random.random_normal, implied=["dtype"])
def random_normal(g: Emitter, shape: Sizes, *, mean: float, scale: float) -> Ref:
    return _draw(g, "RANDOM_STANDARD_NORMAL", shape) * scale + mean


@table.lower(random.random_uniform)
def random_uniform(g: Emitter, shape: Sizes, *, low: float, high: float, dtype: Precision) -> Ref:
    drawn = _draw(g, "RANDOM_UNIFORM", shape)
    if (low, high) == (0, 1) and dtype == Precision.FLOAT32:
        return drawn
    ends = map(dtype.dtype.type, (high, low))
    below = float(np.nextafter(*ends))  # what rounds up to the bound
    return g.elementwise("MINIMUM", drawn * (high - low) + low, below)


for _operator in (random.random_normal, random.random_uniform):
    table.decompose(_operator, draw_by_seed(_operator))


@table.lower(random.bernoulli)
def bernoulli(g: Emitter, input: Real, *, dtype: Precision) -> Ref:
    g.need(input.rank, "draws no single number")
    drawn = g.one("RANDOM_UNIFORM", [g.sizes(input.shape)], Precision.FLOAT32)
    return g.cast(drawn < input, dtype)
