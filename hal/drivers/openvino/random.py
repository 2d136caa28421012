"""Random numbers, which are OpenVINO's own."""

from __future__ import annotations

import math
import struct

import numpy as np

from nnir.model import Value
from nnir.ops import random
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _draw(g: Emitter, shape: Ref, seed: float | None, part: int = 1) -> Ref:
    """Numbers in [0, 1); seeds of 0 stand for other numbers in each run.

    OpenVINO draws once for all runs where a constant minus such numbers is made of constants alone,
    and moves a factor into the bounds, which it then finds in disorder. It cannot compute Unique
    before it runs.
    """
    number = 0 if seed is None else struct.unpack("<Q", struct.pack("<d", seed))[0] % 0x7FFFFFFF
    low = g.node("Unique", g.constant(np.zeros(1, np.float32)), outputs=4)[0]
    return g.node(
        "RandomUniform",
        shape,
        g.reshape(low, []),
        g.constant(np.float32(1)),
        output_type="f32",
        global_seed=0 if seed is None else number + 1,
        op_seed=0 if seed is None else part,
    )


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Value, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Ref:
    drawn = _draw(g, g.int64(shape), seed)
    made = drawn * (high - low) + low
    if low < high:
        kind = dtype.dtype.type
        below = np.nextafter(kind(high), kind(low))  # what a narrow type does not round up
        made = g.pair("Minimum", made, float(below))
    return made


@table.lower(random.random_normal)
def random_normal(
    g: Emitter, shape: Value, *, mean: float, scale: float, dtype: Precision, seed: float | None
) -> Ref:
    """G. E. P. Box and M. E. Muller, 1958."""
    sizes = g.int64(shape)
    first = _draw(g, sizes, seed)
    second = _draw(g, sizes, seed, 2)
    open_ = 1 - first  # never 0
    radius = g.node("Sqrt", g.node("Log", open_) * -2)
    turn = g.node("Cos", second * (2 * math.pi))
    return radius * turn * scale + mean


@table.lower(random.bernoulli, implied=["dtype"])
def bernoulli(g: Emitter, input: Value, *, seed: float | None) -> Ref:
    chance = g.cast(input, FLOAT32)
    drawn = _draw(g, g.dims(chance), seed)
    return drawn < chance
