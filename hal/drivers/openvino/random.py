"""Random numbers, which are OpenVINO's own."""

from __future__ import annotations

import math
import struct

import numpy as np

from nnir.ops import random
from nnir.recipes.random import draw_classes
from nnir.types import Precision

from .emitter import Emitter, Ref
from .forms import Single, Sizes, Table

table = Table()
table.decompose(random.multinomial, draw_classes)


def _draw(g: Emitter, shape: Ref, seed: float | None, part: int = 1) -> Ref:
    """Numbers in [0, 1); seeds of 0 stand for other numbers in each run.

    OpenVINO draws once for all runs where a constant minus such numbers is made of constants alone,
    and moves a factor into the bounds, which it then finds in disorder. It cannot compute Unique
    before it runs.
    """
    number = -1 if seed is None else struct.unpack("<Q", struct.pack("<d", seed))[0] % 0x7FFFFFFF
    low = g.node("Unique", g.constant(np.zeros(1, np.float32)), outputs=4)[0]
    bounds = g.reshape(low, []), g.constant(np.float32(1))
    return g.node(
        "RandomUniform",
        *(shape, *bounds),
        output_type="f32",
        global_seed=number + 1,
        op_seed=0 if seed is None else part,
    )


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Sizes, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Ref:
    made = _draw(g, shape, seed) * (high - low) + low
    if low >= high:
        return made
    kind = dtype.dtype.type
    below = np.nextafter(kind(high), kind(low))  # what a narrow type does not round up
    return g.pair("Minimum", made, float(below))


@table.lower(random.random_normal, implied=["dtype"])
def random_normal(
    g: Emitter, shape: Sizes, *, mean: float, scale: float, seed: float | None
) -> Ref:
    """G. E. P. Box and M. E. Muller, 1958."""
    first, second = _draw(g, shape, seed), _draw(g, shape, seed, 2)
    radius = g.node("Sqrt", g.node("Log", 1 - first) * -2)  # never of 0
    return radius * g.node("Cos", second * (2 * math.pi)) * scale + mean


@table.lower(random.bernoulli, implied=["dtype"])
def bernoulli(g: Emitter, input: Single, *, seed: float | None) -> Ref:
    return _draw(g, g.dims(input), seed) < input
