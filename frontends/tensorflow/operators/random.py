"""TensorFlow's random numbers: its own are not repeated, only their distributions.

Operators with a seed that is known give the same numbers every time, on one device.
"""

from __future__ import annotations

import math

import numpy as np

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import index, random, sort, special, unary
from nnir.recipes.random import Seed, seed_of_pair
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()


def from_tensor(translator: Translator, *seed: Value) -> Seed:
    """The seed that tensors hold; what is only known while running gives other numbers."""
    known = [k for s in seed if (k := translator.constant_of(s)) is not None]
    if len(known) < len(seed):
        return None
    digits = [int(k) % 2**40 for part in known for k in part.flat]
    return float(sum((n + 1) * k for n, k in enumerate(digits)))


def uniform(size: Value, dtype: Precision, seed: Seed) -> Value:
    """Numbers in [0, 1)."""
    return random.random_uniform(build.int64(size), dtype=dtype, seed=seed)


def normal(size: Value, dtype: Precision, seed: Seed) -> Value:
    return random.random_normal(build.int64(size), dtype=dtype, seed=seed)


LIMIT = math.erf(2 / math.sqrt(2))
"""How many normal numbers lie within two standard deviations."""


def draw_truncated(size: Value, dtype: Precision, seed: Seed) -> Value:
    """Normal numbers within two standard deviations: the inverse of their distribution."""
    drawn = random.random_uniform(
        build.int64(size), low=-LIMIT, high=LIMIT, dtype=Precision.FLOAT32, seed=seed
    )
    inner = special.erfinv(drawn)
    scaled = inner * math.sqrt(2)
    return scaled.cast(dtype)


def whole_numbers(size: Value, low: Value, high: Value, seed: Seed) -> Value:
    """Integers from `low` up to `high`, not included."""
    if low.rank or high.rank:
        raise BadType(f"random integers between {low.type} and {high.type}, not between numbers")
    drawn = uniform(size, Precision.FLOAT64, seed)
    first, last = (v.cast(Precision.FLOAT64) for v in (low, high))
    steps = unary.floor(drawn * (last - first))
    return steps.cast(low.precision) + low


@table.convert("RandomUniform")
def random_uniform(shape: Index, *, seed: int = 0, seed2: int = 0, dtype: Precision) -> Value:
    return uniform(shape, dtype, seed_of_pair(seed, seed2))


@table.convert("RandomStandardNormal")
def random_standard_normal(
    shape: Index, *, seed: int = 0, seed2: int = 0, dtype: Precision
) -> Value:
    return normal(shape, dtype, seed_of_pair(seed, seed2))


@table.convert("TruncatedNormal")
def truncated_normal(shape: Index, *, seed: int = 0, seed2: int = 0, dtype: Precision) -> Value:
    return draw_truncated(shape, dtype, seed_of_pair(seed, seed2))


@table.convert("RandomUniformInt")
def random_uniform_int(
    shape: Index, minval: Value, maxval: Value, *, seed: int = 0, seed2: int = 0
) -> Value:
    return whole_numbers(shape, minval, maxval, seed_of_pair(seed, seed2))


@table.convert("Multinomial")
def multinomial(
    logits: Value,
    num_samples: int,
    *,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: Precision = Precision.INT64,
) -> Value:
    return drawn_classes(logits, num_samples, output_dtype, seed_of_pair(seed, seed2))


def drawn_classes(logits: Value, count: int, dtype: Precision, seed: Seed) -> Value:
    return random.multinomial(logits, sample_size=count, dtype=dtype, seed=seed)


@table.convert("RandomShuffle")
def random_shuffle(value: Value, *, seed: int = 0, seed2: int = 0) -> Value:
    return shuffle(value, seed_of_pair(seed, seed2))


def shuffle(x: Value, seed: Seed) -> Value:
    """Rows in the order of random numbers."""
    if not x.rank:
        return x
    count = build.vector(x.model, [build.size_of(x, 0)])
    keys = uniform(count, Precision.FLOAT64, seed)
    _, order = sort.top_k(keys, count, axis=0)
    return index.gather(x, order, axis=0)


@table.convert("StatelessRandomUniform")
def stateless_random_uniform(
    shape: Index,
    seed: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return uniform(shape, dtype, from_tensor(translator, seed))


@table.convert("StatelessRandomNormal")
def stateless_random_normal(
    shape: Index,
    seed: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return normal(shape, dtype, from_tensor(translator, seed))


@table.convert("StatelessTruncatedNormal")
def stateless_truncated_normal(
    shape: Index,
    seed: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return draw_truncated(shape, dtype, from_tensor(translator, seed))


@table.convert("StatelessRandomUniformInt")
def stateless_random_uniform_int(
    shape: Index, seed: Value, minval: Value, maxval: Value, *, translator: Translator
) -> Value:
    return whole_numbers(shape, minval, maxval, from_tensor(translator, seed))


@table.convert("StatelessMultinomial")
def stateless_multinomial(
    logits: Value,
    num_samples: int,
    seed: Value,
    *,
    output_dtype: Precision = Precision.INT64,
    translator: Translator,
) -> Value:
    return drawn_classes(logits, num_samples, output_dtype, from_tensor(translator, seed))


@table.convert("StatelessRandomGetKeyCounter")
def stateless_random_get_key_counter(seed: Value) -> tuple[Value, Value]:
    """The seed as it is; TensorFlow stirs it, which gives other numbers."""
    both = unary.cast(seed, dtype=Precision.UINT64)
    return index.slice_(both, [0], [0], [1]), both


@table.convert("StatelessRandomGetKeyCounterAlg")
def stateless_random_get_key_counter_alg(
    seed: Value, *, translator: Translator
) -> tuple[Value, Value, Value]:
    alg = stateless_random_get_alg(translator=translator)
    return *stateless_random_get_key_counter(seed), alg


@table.convert("StatelessRandomGetAlg")
def stateless_random_get_alg(*, translator: Translator) -> Value:
    """Philox, the one of TensorFlow's generators that every device has."""
    return translator.model.constant(np.int32(1))


@table.convert("StatelessRandomUniformV2")
def stateless_random_uniform_v2(
    shape: Index,
    key: Value,
    counter: Value,
    alg: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return uniform(shape, dtype, from_tensor(translator, key, counter))


@table.convert("StatelessRandomNormalV2")
def stateless_random_normal_v2(
    shape: Index,
    key: Value,
    counter: Value,
    alg: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return normal(shape, dtype, from_tensor(translator, key, counter))


@table.convert("StatelessTruncatedNormalV2")
def stateless_truncated_normal_v2(
    shape: Index,
    key: Value,
    counter: Value,
    alg: Value,
    *,
    dtype: Precision = Precision.FLOAT32,
    translator: Translator,
) -> Value:
    return draw_truncated(shape, dtype, from_tensor(translator, key, counter))


@table.convert("StatelessRandomUniformIntV2")
def stateless_random_uniform_int_v2(
    shape: Index,
    key: Value,
    counter: Value,
    alg: Value,
    minval: Value,
    maxval: Value,
    *,
    translator: Translator,
) -> Value:
    return whole_numbers(shape, minval, maxval, from_tensor(translator, key, counter))


@table.convert("StatelessShuffle")
def stateless_shuffle(
    value: Value, key: Value, counter: Value, alg: Value, *, translator: Translator
) -> Value:
    return shuffle(value, from_tensor(translator, key, counter))
