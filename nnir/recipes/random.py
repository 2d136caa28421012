"""Random integers, choices and their seeds."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axis_of, ints
from ..errors import BadType, NotConstant
from ..model import Index, Value
from ..ops import random, shape, sort, unary
from ..types import Precision

Seed = float | None
"""None asks for other numbers every time."""


def seed_of_pair(seed: int, seed2: int) -> Seed:
    """The seed of two attributes, as TensorFlow and TFLite have them.

    0 and 0 ask for other numbers every time.
    """
    return float(seed * 1_000_003 + seed2) if seed or seed2 else None


def random_integers(size: Value, low: Value | int, high: Value, precision: Precision) -> Value:
    """Integers from `low` up to `high`, not included."""
    first = (low,) if isinstance(low, int) else ints(low)
    last = ints(high)
    if first is None or last is None:
        raise NotConstant("random integers between bounds that are only known while running")
    if first[0] >= last[0]:
        raise BadType(f"random integers from {first[0]} to {last[0]}")
    drawn = random.random_uniform(
        size, low=float(first[0]), high=float(last[0]), dtype=Precision.FLOAT64
    )
    return unary.floor(drawn).cast(precision)


def multinomial(
    x: Value,
    num_samples: Index,
    replacement: bool = False,
    *,
    generator: str | None = None,
) -> Value:
    """Without replacement the largest log-probabilities win, each with Gumbel noise added."""
    count = ints(num_samples)
    if count is None:
        raise NotConstant("multinomial of a number that is only known while running")
    rows = x if x.rank == 2 else shape.unsqueeze(x, [0])
    scores = unary.log(rows)
    if replacement:
        chosen = random.multinomial(scores, sample_size=count[0], dtype=Precision.INT64)
    else:
        noise = -unary.log(random.random_uniform(build.shape_of(rows), dtype=rows.precision))
        keys = scores - unary.log(noise)
        _, chosen = _top_scores(keys, count[0])
    return chosen if x.rank == 2 else shape.squeeze(chosen, [0])


def _top_scores(x: Value, count: int) -> tuple[Value, Value]:
    axis = axis_of(-1, x.rank)
    values, places = sort.top_k(x, x.model.constant(np.array([count])), axis=axis)
    return values, places
