"""TFLite's random numbers: its own are not repeated, only their distributions."""

from __future__ import annotations

from nnir import build
from nnir.model import Index, Value
from nnir.ops import random
from nnir.recipes.random import seed_of_pair
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("RANDOM_UNIFORM")
def random_uniform(shape: Index, *, seed: int, seed2: int) -> Value:
    chosen = seed_of_pair(seed, seed2)
    return random.random_uniform(build.int64(shape), dtype=Precision.FLOAT32, seed=chosen)


@table.convert("RANDOM_STANDARD_NORMAL")
def random_standard_normal(shape: Index, *, seed: int, seed2: int) -> Value:
    chosen = seed_of_pair(seed, seed2)
    return random.random_normal(build.int64(shape), dtype=Precision.FLOAT32, seed=chosen)


@table.convert("MULTINOMIAL")
def multinomial(
    logits: Value,
    num_samples: int,
    *,
    seed: int,
    seed2: int,
    out_data_type: Precision,
) -> Value:
    chosen = seed_of_pair(seed, seed2)
    return random.multinomial(logits, sample_size=num_samples, dtype=out_data_type, seed=chosen)
