"""Paddle's random numbers. Its own numbers are not repeated, only their distributions."""

from __future__ import annotations

import math

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import activation, index, random, shape, special, unary
from nnir.recipes import random as random_recipes
from nnir.recipes.random import random_integers
from nnir.recipes.sort import sort_along
from nnir.types import Precision

from ...table import Ints, Table
from ...translate import Translator

table = Table()
table.named(
    {
        "multinomial": (random_recipes.multinomial, "x num_samples replacement"),
    }
)


@table.convert("gaussian")
def gaussian(
    shape: Index, mean: float, std: float, seed: int, dtype: Precision, *, translator: Translator
) -> Value:
    return random.random_normal(shape, mean=mean, scale=std, dtype=dtype)


@table.convert("gaussian_inplace", "gaussian_inplace_")
def gaussian_inplace(x: Value, mean: float, std: float, seed: int) -> Value:
    return random.random_normal(build.shape_of(x), mean=mean, scale=std, dtype=x.precision)


def between(size: Value, low: float, high: float, dtype: Precision) -> Value:
    """Numbers spread evenly."""
    if not low <= high:
        raise BadType(f"uniform numbers from {low} to {high}")
    return random.random_uniform(size, low=low, high=high, dtype=dtype)


@table.convert("uniform")
def uniform(
    shape: Index, dtype: Precision, min: float, max: float, seed: int, *, translator: Translator
) -> Value:
    return between(shape, min, max, dtype)


def _require_no_diagonal(diag_num: int) -> None:
    if diag_num:
        raise Unsupported(f"uniform numbers with diag_num={diag_num}")


@table.convert("uniform_inplace", "uniform_inplace_")
def uniform_inplace(
    x: Value,
    min: float,
    max: float,
    seed: int,
    diag_num: int,
    diag_step: int,
    diag_val: float,
) -> Value:
    _require_no_diagonal(diag_num)
    return between(build.shape_of(x), min, max, x.precision)


@table.convert("uniform_random_batch_size_like")
def uniform_random_batch_size_like(
    input: Value,
    shape: Ints,
    input_dim_idx: int,
    output_dim_idx: int,
    min: float,
    max: float,
    seed: int,
    diag_num: int,
    diag_step: int,
    diag_val: float,
    dtype: Precision,
) -> Value:
    _require_no_diagonal(diag_num)
    parts: list[build.Size] = list(shape)
    if not 0 <= output_dim_idx < len(parts):
        raise BadType(f"axis {output_dim_idx} of a tensor of {len(parts)} axes")
    parts[output_dim_idx] = build.size_of(input, input_dim_idx)
    return between(build.vector(input.model, parts), min, max, dtype)


@table.convert("randint")
def randint(
    low: int,
    high: int,
    shape: Index,
    dtype: Precision,
    *,
    translator: Translator,
) -> Value:
    return whole_numbers(shape, low, high, dtype)


def whole_numbers(size: Value, low: int, high: int, dtype: Precision) -> Value:
    """Integers from `low` up to `high`, not included."""
    end = size.model.constant(np.int64(high))
    return random_integers(size, low, end, dtype)


@table.convert("random", "random_")
def random_(x: Value, from_: int, to: int) -> Value:
    return whole_numbers(build.shape_of(x), from_, to, x.precision)


@table.convert("randperm")
def randperm(n: int, dtype: Precision, *, translator: Translator) -> Value:
    """The order of random numbers."""
    size = translator.model.constant(np.array([n]))
    drawn = random.random_uniform(size, dtype=Precision.FLOAT64)
    return sort_along(drawn, 0, descending=False)[1].cast(dtype)


@table.convert("bernoulli")
def bernoulli(x: Value) -> Value:
    return random.bernoulli(x, dtype=x.precision)


def uniform_above_0(x: Value) -> Value:
    """Numbers in (0, 1] in the sizes of `x`, whose logarithm is finite."""
    drawn = random.random_uniform(build.shape_of(x), dtype=x.precision)
    return 1 - drawn


@table.convert("exponential_")
def exponential(x: Value, lam: float) -> Value:
    return unary.log(uniform_above_0(x)) / -lam


@table.convert("gumbel_softmax")
def gumbel_softmax(x: Value, temperature: float, hard: bool, axis: int) -> Value:
    """A softmax of what Gumbel noise was added to; `hard` gives 1 to the largest."""
    noise = -unary.log(-unary.log(uniform_above_0(x)))
    scores = (x + noise) / temperature
    place = axis_of(axis, x.rank)
    return (activation.hardmax if hard else activation.softmax)(scores, axis=place)


@table.convert("truncated_gaussian_random")
def truncated_gaussian_random(
    shape: Ints,
    mean: float,
    std: float,
    seed: int,
    a: float,
    b: float,
    dtype: Precision,
    *,
    translator: Translator,
) -> Value:
    """The inverse of the normal distribution at numbers between its values at both bounds."""
    low, high = (0.5 * (1 + math.erf((n - mean) / std / math.sqrt(2))) for n in (a, b))
    size = translator.model.constant(np.array(shape, np.int64))
    drawn = special.ndtri(between(size, low, high, Precision.FLOAT64))
    wide = drawn * std + mean
    return activation.clip(wide, a, b).cast(dtype)


@table.convert("shuffle_batch")
def shuffle_batch(x: Value, seed: Value, startup_seed: int) -> tuple[Value, Value]:
    """The rows of all axes but the last in another order, and which it is."""
    if any(not isinstance(d, int) for d in x.shape):
        raise NotConstant(f"shuffle_batch of {x.type}, whose sizes must be known")
    rows = shape.reshape(x, [-1, x.shape[-1]])
    drawn = random.random_uniform(build.vector(x.model, [build.size_of(rows, 0)]))
    _, order = sort_along(drawn, 0, descending=False)
    return build.reshape(index.gather(rows, order, axis=0), build.sizes_of(x)), order
