"""Random integers, choices and seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import build
from ..broadcast import axis_of, ints
from ..errors import BadType, NotConstant, Unsupported
from ..model import Index, Value
from ..operator import Operator
from ..ops import index, random, reduce, shape, sort, unary
from ..types import Precision


def draw_by_seed(operator: Operator[Value]) -> Callable[..., Value]:
    """A decomposition of random numbers of a seed: a constant of what the operator means."""

    def draw(shape: Value, **attributes: Any) -> Value:
        if shape.known is None or attributes["seed"] is None:
            raise Unsupported(f"numbers of the seed {attributes['seed']} in a shape {shape.type}")
        return shape.model.constant(operator.reference(shape.known, **attributes))

    return draw


def draw_classes(input: Value, *, sample_size: int, dtype: Precision, seed: float | None) -> Value:
    """MULTINOMIAL of uniform numbers: how many sums of weights each of them passes, in FLOAT32.

    What passes the sum of all by its rounding is of the last class that has a weight.
    """
    scores = input.cast(Precision.FLOAT32)
    weights = unary.exp(scores - reduce.reduce_max(scores, [1], keepdim=True))
    ends = reduce.cum_sum(weights, [1])
    total = index.slice_(ends, [1], [-1], [build.END])
    sizes = build.vector(input.model, [build.size_of(input, 0), sample_size])
    drawn = random.random_uniform(sizes, dtype=Precision.FLOAT32, seed=seed) * total
    passed = shape.unsqueeze(ends, [1]) <= shape.unsqueeze(drawn, [2])
    counts = passed & shape.unsqueeze(ends < total, [1])
    return reduce.reduce_sum(counts.cast(Precision.INT32), [2], keepdim=False).cast(dtype)


def draw_truths(input: Value, *, dtype: Precision, seed: float | None) -> Value:
    """BERNOULLI of uniform numbers of FLOAT32."""
    sizes = build.shape_of(input)
    drawn = random.random_uniform(sizes, dtype=Precision.FLOAT32, seed=seed)
    return (drawn < input.cast(Precision.FLOAT32)).cast(dtype)


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


Seed = float | None
"""None asks for other numbers every time."""


def seed_of_pair(seed: int, seed2: int) -> Seed:
    """The seed of two attributes, as TensorFlow and TFLite have them.

    0 and 0 ask for other numbers every time.
    """
    return float(seed * 1_000_003 + seed2) if seed or seed2 else None
