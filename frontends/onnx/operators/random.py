"""ONNX random numbers from a seed."""

from __future__ import annotations

import numpy as np

from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.ops import random
from nnir.ops import shape as ops
from nnir.types import Precision

from ...table import Ints, Table
from ...translate import Translator

table = Table()


@table.convert("RandomNormal")
def random_normal(
    *,
    shape: Ints,
    dtype: int = 1,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
    translator: Translator,
) -> Value:
    sizes = translator.model.constant(shape, np.int64)
    return random.random_normal(
        sizes, mean=mean, scale=scale, dtype=precision_of_code(dtype), seed=seed
    )


@table.convert("RandomUniform")
def random_uniform(
    *,
    shape: Ints,
    dtype: int = 1,
    low: float = 0.0,
    high: float = 1.0,
    seed: float | None = None,
    translator: Translator,
) -> Value:
    sizes = translator.model.constant(shape, np.int64)
    return random.random_uniform(
        sizes, low=low, high=high, dtype=precision_of_code(dtype), seed=seed
    )


def like(input: Value, dtype: int | None) -> tuple[Value, Precision]:
    """The shape of a tensor, and its precision unless another one is asked for."""
    kind = input.precision if dtype is None else precision_of_code(dtype)
    return ops.shape(input, dtype=Precision.INT64), kind


@table.convert("RandomNormalLike")
def random_normal_like(
    input: Value,
    *,
    dtype: int | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Value:
    sizes, kind = like(input, dtype)
    return random.random_normal(sizes, mean=mean, scale=scale, dtype=kind, seed=seed)


@table.convert("RandomUniformLike")
def random_uniform_like(
    input: Value,
    *,
    dtype: int | None = None,
    low: float = 0.0,
    high: float = 1.0,
    seed: float | None = None,
) -> Value:
    sizes, kind = like(input, dtype)
    return random.random_uniform(sizes, low=low, high=high, dtype=kind, seed=seed)


@table.convert("Bernoulli")
def bernoulli(input: Value, *, dtype: int | None = None, seed: float | None = None) -> Value:
    return random.bernoulli(input, dtype=like(input, dtype)[1], seed=seed)


@table.convert("Multinomial")
def multinomial(
    input: Value, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Value:
    return random.multinomial(
        input, sample_size=sample_size, dtype=precision_of_code(dtype), seed=seed
    )
