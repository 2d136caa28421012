"""ATen random numbers. PyTorch's own numbers are not repeated, only their distributions."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import random, shape, unary
from nnir.recipes import random as random_recipes
from nnir.recipes.generate import full_like
from nnir.recipes.promotion import DEFAULT_FLOAT, Operand, common_precision, to_value
from nnir.recipes.random import random_integers
from nnir.recipes.shape import common_sizes, expand_to
from nnir.recipes.sort import sort_along
from nnir.types import Precision

from ...table import Table
from ...translate import Translator
from .generate import INT64, whole_kind

table = Table()


def _both(name: str, drawn: Any) -> None:
    """rand and randn, of sizes or like another tensor, with and without a generator."""

    @table.convert(f"aten.{name}.default")
    def plain(size: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
        return drawn(size, dtype=dtype or DEFAULT_FLOAT)

    @table.convert(f"aten.{name}.generator")
    def generated(
        size: Index,
        *,
        generator: str | None,
        dtype: Precision | None = None,
        translator: Translator,
    ) -> Value:
        return plain(size, dtype=dtype, translator=translator)

    @table.convert(f"aten.{name}_like.default")
    def of_another(self: Value, *, dtype: Precision | None = None) -> Value:
        return drawn(build.shape_of(self), dtype=dtype or self.precision)

    @table.convert(f"aten.{name}_like.generator")
    def generated_like(
        self: Value, *, generator: str | None, dtype: Precision | None = None
    ) -> Value:
        return of_another(self, dtype=dtype)


_both("rand", random.random_uniform)
_both("randn", random.random_normal)


@table.convert("aten.randint.default")
def randint(
    high: Index,
    size: Index,
    *,
    dtype: Precision | int | None = INT64,
    translator: Translator,
) -> Value:
    return random_integers(size, 0, high, whole_kind(dtype))


@table.convert("aten.randint.low")
def randint_low(
    low: Index,
    high: Index,
    size: Index,
    *,
    dtype: Precision | int | None = INT64,
    translator: Translator,
) -> Value:
    return random_integers(size, low, high, whole_kind(dtype))


@table.convert("aten.randint_like.default")
def randint_like(self: Value, high: Index, *, dtype: Precision | None = None) -> Value:
    return random_integers(build.shape_of(self), 0, high, dtype or self.precision)


@table.convert("aten.randint_like.low_dtype")
def randint_like_low(
    self: Value, low: Index, high: Index, *, dtype: Precision | None = None
) -> Value:
    return random_integers(build.shape_of(self), low, high, dtype or self.precision)


@table.convert("aten.random.from")
def random_from(
    self: Value, from_: Index, to: Index | None, *, generator: str | None = None
) -> Value:
    end = self.model.constant(np.int64(_end(self.precision))) if to is None else to
    return random_integers(build.shape_of(self), from_, end, self.precision)


@table.convert("aten.random.to")
def random_to(self: Value, to: Index, *, generator: str | None = None) -> Value:
    return random_integers(build.shape_of(self), 0, to, self.precision)


@table.convert("aten.random.default")
def random_any(self: Value, *, generator: str | None = None) -> Value:
    end = self.model.constant(np.int64(_end(self.precision)))
    return random_integers(build.shape_of(self), 0, end, self.precision)


def _end(precision: Precision) -> int:
    """The first integer behind those that the type has all of, as far as int64 can say."""
    if precision == Precision.BOOL8:
        return 2
    if precision.is_float:
        limits = ml_dtypes.finfo(precision.dtype)  # type: ignore[no-untyped-call]
        return int(2 ** (limits.nmant + 1)) + 1
    return min(int(np.iinfo(precision.dtype).max) + 1, np.iinfo(np.int64).max)


@table.convert("aten.randperm.default")
def randperm(n: Index, *, dtype: Precision | int | None = INT64, translator: Translator) -> Value:
    """The order of random numbers."""
    size = shape.reshape(n, [1]) if n.known is None else n.model.constant(n.known.reshape(1))
    drawn = random.random_uniform(size, dtype=Precision.FLOAT64)
    return sort_along(drawn, 0, descending=False)[1].cast(whole_kind(dtype))


@table.convert("aten.bernoulli.default")
def bernoulli(self: Value, *, generator: str | None = None) -> Value:
    return random.bernoulli(self, dtype=self.precision)


@table.convert("aten.bernoulli.p")
def bernoulli_p(self: Value, p: float, *, generator: str | None = None) -> Value:
    chance = full_like(self, p, Precision.FLOAT32)
    return random.bernoulli(chance, dtype=self.precision)


@table.convert("aten.bernoulli.Tensor")
def bernoulli_tensor(self: Value, p: Value, *, generator: str | None = None) -> Value:
    return random.bernoulli(expand_to(p, build.shape_of(self)), dtype=self.precision)


def spread(size: Value, mean: Operand, std: Operand, precision: Precision) -> Value:
    """Normal numbers with a mean and a deviation, each for all or for each element."""
    if isinstance(mean, (int, float)) and isinstance(std, (int, float)):
        return random.random_normal(size, mean=float(mean), scale=float(std), dtype=precision)
    drawn = random.random_normal(size, dtype=precision)
    deviation, middle = (to_value(v, precision, drawn.model) for v in (std, mean))
    return drawn * deviation + middle


@table.convert("aten.normal.Tensor_Tensor")
def normal(mean: Value, std: Value, *, generator: str | None = None) -> Value:
    return spread(common_sizes(mean, std), mean, std, common_precision(mean, std))


@table.convert("aten.normal.Tensor_float")
def normal_mean(mean: Value, std: float = 1.0, *, generator: str | None = None) -> Value:
    return spread(build.shape_of(mean), mean, std, mean.precision)


@table.convert("aten.normal.float_Tensor")
def normal_std(mean: float, std: Value, *, generator: str | None = None) -> Value:
    return spread(build.shape_of(std), mean, std, std.precision)


@table.convert("aten.normal.float_float")
def normal_sizes(
    mean: float,
    std: float,
    size: Index,
    *,
    generator: str | None = None,
    dtype: Precision | None = None,
) -> Value:
    return spread(size, mean, std, dtype or DEFAULT_FLOAT)


@table.convert("aten.normal_functional.default")
def normal_functional(
    self: Value, mean: float = 0.0, std: float = 1.0, *, generator: str | None = None
) -> Value:
    return spread(build.shape_of(self), mean, std, self.precision)


@table.convert("aten.log_normal.default")
def log_normal(
    self: Value, mean: float = 1.0, std: float = 2.0, *, generator: str | None = None
) -> Value:
    return unary.exp(spread(build.shape_of(self), mean, std, self.precision))


@table.convert("aten.exponential.default")
def exponential(self: Value, lambd: float = 1.0, *, generator: str | None = None) -> Value:
    """-log(u) / lambd, where u is above 0."""
    drawn = random.random_uniform(build.shape_of(self), dtype=self.precision)
    one, by = (self.model.constant(n, self.dtype) for n in (1, -lambd))
    return unary.log(one - drawn) / by


@table.convert("aten.uniform.default")
def uniform(
    self: Value, from_: float = 0.0, to: float = 1.0, *, generator: str | None = None
) -> Value:
    if not from_ <= to:
        raise BadType(f"uniform numbers from {from_} to {to}")
    return random.random_uniform(build.shape_of(self), low=from_, high=to, dtype=self.precision)


@table.convert("aten.cauchy.default")
def cauchy(
    self: Value, median: float = 0.0, sigma: float = 1.0, *, generator: str | None = None
) -> Value:
    """The quotient of two normal numbers."""
    above, below = (
        random.random_normal(build.shape_of(self), dtype=self.precision) for _ in range(2)
    )
    width, middle = (self.model.constant(n, self.dtype) for n in (sigma, median))
    return above / below * width + middle


@table.convert("aten.geometric.default")
def geometric(self: Value, p: float, *, generator: str | None = None) -> Value:
    """The number of the first success: 1 and the whole of log(u) / log(1 - p), u above 0."""
    if not 0 < p < 1:
        raise BadType(f"geometric numbers with p={p}")
    drawn = random.random_uniform(build.shape_of(self), dtype=Precision.FLOAT64)
    tries = unary.log(1.0 - drawn) / float(np.log1p(-p))
    return (unary.floor(tries) + 1.0).cast(self.precision)


@table.convert("aten.multinomial.default")
def multinomial(
    self: Value,
    num_samples: Index,
    replacement: bool = False,
    *,
    generator: str | None = None,
) -> Value:
    return random_recipes.multinomial(self, num_samples, replacement, generator=generator)
