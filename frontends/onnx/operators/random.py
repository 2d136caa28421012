"""ONNX random numbers from a seed."""

from __future__ import annotations

from nnir import build
from nnir.model import Value
from nnir.ops import random
from nnir.types import Precision

from ...table import REQUIRED, Table

table = Table()
table.convert("RandomNormal", attributes={"shape": REQUIRED})(random.random_normal)
table.convert("RandomUniform", attributes={"shape": REQUIRED})(random.random_uniform)
table.same({"Multinomial": random.multinomial}, dtype=Precision.INT32)


@table.convert("RandomNormalLike")
def random_normal_like(
    input: Value,
    *,
    dtype: Precision | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
) -> Value:
    kind = dtype or input.precision
    return random.random_normal(
        build.shape_of(input), mean=mean, scale=scale, dtype=kind, seed=seed
    )


@table.convert("RandomUniformLike")
def random_uniform_like(
    input: Value,
    *,
    dtype: Precision | None = None,
    low: float = 0.0,
    high: float = 1.0,
    seed: float | None = None,
) -> Value:
    kind = dtype or input.precision
    return random.random_uniform(build.shape_of(input), low=low, high=high, dtype=kind, seed=seed)


@table.convert("Bernoulli")
def bernoulli(input: Value, *, dtype: Precision | None = None, seed: float | None = None) -> Value:
    return random.bernoulli(input, dtype=dtype or input.precision, seed=seed)
