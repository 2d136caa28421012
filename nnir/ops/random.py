"""Random numbers from a seed."""

from __future__ import annotations

import struct

import numpy as np

from ..broadcast import contents, length_of
from ..model import Index, Value
from ..operator import Pattern, operator, require
from ..types import Precision, TensorType
from .rules import fresh, require_integers


def _generator(seed: float | None) -> np.random.Generator:
    """The same numbers for the same seed, other ones every time without."""
    if seed is None:
        return np.random.default_rng()
    return np.random.default_rng(int.from_bytes(struct.pack("<d", seed), "little"))


def _sizes(shape: np.ndarray) -> tuple[int, ...]:
    return tuple(int(d) for d in shape.flat)


def _random_type(shape: Value, dtype: Precision) -> TensorType:
    require_integers(shape, "the shape of random numbers")
    require(dtype.is_float, f"random numbers as {dtype.name}, not a float")
    sizes = contents(shape)
    return TensorType(dtype, fresh(shape, length_of(shape)) if sizes is None else sizes)


def _random_normal(
    shape: np.ndarray, *, mean: float, scale: float, dtype: Precision, seed: float | None
) -> np.ndarray:
    return _generator(seed).normal(mean, scale, _sizes(shape)).astype(dtype.dtype)


@operator(code=1750, reference=_random_normal, is_random=True)
def random_normal(
    shape: Index,
    *,
    mean: float = 0.0,
    scale: float = 1.0,
    dtype: Precision = Precision.FLOAT32,
    seed: float | None = None,
) -> TensorType:
    """Numbers of a normal distribution with a mean and a standard deviation.

    Types: any float; `shape` holds integers.
    Edges: every device has numbers of its own; one device repeats them for the same `seed`.
    """
    return _random_type(shape, dtype)


def _random_uniform(
    shape: np.ndarray, *, low: float, high: float, dtype: Precision, seed: float | None
) -> np.ndarray:
    kind = dtype.dtype
    drawn = _generator(seed).uniform(low, high, _sizes(shape)).astype(kind)
    if not low < high:
        return drawn
    below = np.nextafter(kind.type(high), kind.type(low))  # what rounds up to the bound
    return np.where(drawn >= kind.type(high), below, drawn).astype(kind)


@operator(code=1751, reference=_random_uniform, is_random=True)
def random_uniform(
    shape: Index,
    *,
    low: float = 0.0,
    high: float = 1.0,
    dtype: Precision = Precision.FLOAT32,
    seed: float | None = None,
) -> TensorType:
    """Numbers spread evenly over [low, high).

    Types: any float; `shape` holds integers.
    Edges: see RANDOM_NORMAL.
    """
    return _random_type(shape, dtype)


def _bernoulli(input: np.ndarray, *, dtype: Precision, seed: float | None) -> np.ndarray:
    drawn = _generator(seed).random(input.shape)
    return np.asarray(drawn < input.astype(np.float64), dtype.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=1752, reference=_bernoulli, is_random=True)
def bernoulli(input: Value, *, dtype: Precision, seed: float | None = None) -> TensorType:
    """1 with the probability that the element of `input` says, else 0.

    Types: `input` any float; the result any number or BOOL8.
    Shapes: that of `input`.
    """
    require(input.is_float, f"bernoulli of {input.type}")
    return TensorType(dtype, input.shape)


def _multinomial(
    input: np.ndarray, *, sample_size: int, dtype: Precision, seed: float | None
) -> np.ndarray:
    generator = _generator(seed)
    scores = input.astype(np.float64)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    ends = np.cumsum(weights, axis=1)
    drawn = generator.random((input.shape[0], sample_size)) * ends[:, -1:]
    rows = [np.searchsorted(e, d, side="right") for e, d in zip(ends, drawn, strict=True)]
    chosen = np.array(rows).reshape(input.shape[0], sample_size)
    return np.asarray(np.minimum(chosen, input.shape[1] - 1), dtype.dtype)


@operator(code=1753, reference=_multinomial, is_random=True)
def multinomial(
    input: Value, *, sample_size: int = 1, dtype: Precision, seed: float | None = None
) -> TensorType:
    """Classes drawn by their unnormalised log-probabilities, with replacement.

    Types: `input` any float; the result INT32 or INT64.
    Shapes: [batch, classes] gives [batch, sample_size].
    """
    require(input.is_float and input.rank == 2, f"multinomial of {input.type}")
    integers = dtype in (Precision.INT32, Precision.INT64)
    require(integers and sample_size >= 0, f"{sample_size} samples as {dtype.name}")
    return TensorType(dtype, (input.shape[0], sample_size))
