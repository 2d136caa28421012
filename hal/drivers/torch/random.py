"""Random numbers. With a seed they are drawn once, when the program is made."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from nnir.model import Value
from nnir.ops import random
from nnir.types import Precision

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import CPU, Emitter, Result

table = Lowerings[Result]()
LARGEST = 1 << 26


def _draw_known(g: Emitter, shape: Value, seed: float | None) -> Result | None:
    """Numbers that are the same in every run: a constant, where their count is known."""
    known = shape.known
    if seed is None or known is None or np.prod(known) > LARGEST:
        return None
    return g.constant(g.operation.operator.reference(known, **g.operation.attributes))


def _draw(g: Emitter, sizes: Any, kind: str, seed: float | None) -> Result:
    """Other numbers in every run, unless there is a seed."""
    if seed is not None:
        return _draw_same(g, sizes, kind, seed)
    return g.call(torch.randn if kind == "normal" else torch.rand, sizes, dtype=torch.float64)


def _draw_same(g: Emitter, sizes: Any, kind: str, seed: float) -> Result:
    """The same numbers in every run, on every device."""
    numbers = g.call(draw_numbers, sizes, kind, seed)
    return numbers if g.target == CPU else numbers.to(g.target)


def draw_numbers(sizes: Sequence[int], kind: str, seed: float) -> torch.Tensor:
    """The same numbers for the same seed, in float64."""
    bits = int.from_bytes(struct.pack("<d", seed), "little", signed=True)
    generator = torch.Generator().manual_seed(bits)
    function = torch.randn if kind == "normal" else torch.rand
    return function(list(sizes), generator=generator, dtype=torch.float64, device="cpu")


@table.lower(random.random_normal)
def random_normal(
    g: Emitter, shape: Value, *, mean: float, scale: float, dtype: Precision, seed: float | None
) -> Result:
    known = _draw_known(g, shape, seed)
    if known is not None:
        return known
    return (_draw(g, g.sizes(shape), "normal", seed) * scale + mean).to(dtype_of(dtype))


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Value, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Result:
    """What would be rounded up to the upper bound is the float below it."""
    known = _draw_known(g, shape, seed)
    if known is not None:
        return known
    numbers = _draw(g, g.sizes(shape), "uniform", seed)
    made = (numbers * (high - low) + low).to(dtype_of(dtype))
    if not low < high:
        return made
    kind = dtype.dtype.type
    below = float(np.nextafter(kind(high), kind(low)))
    return torch.where(made >= float(kind(high)), below, made).to(dtype_of(dtype))


@table.lower(random.bernoulli)
def bernoulli(g: Emitter, input: Value, *, dtype: Precision, seed: float | None) -> Result:
    odds = g.raw(input).to(torch.float64)
    if seed is None:
        return (torch.rand_like(odds) < odds).to(dtype_of(dtype))
    return (_draw_same(g, g.shape(input), "uniform", seed) < odds).to(dtype_of(dtype))


@table.lower(random.multinomial)
def multinomial(
    g: Emitter, input: Value, *, sample_size: int, dtype: Precision, seed: float | None
) -> Result:
    scores = g.raw(input).to(torch.float64)
    sizes = [*g.shape(input)[:1], sample_size]
    numbers = _draw(g, sizes, "uniform", seed)
    ends = torch.cumsum(torch.exp(scores - scores.amax(1, keepdim=True)), 1)
    level = numbers * ends.narrow(1, -1, 1)
    found = g.call(torch.searchsorted, ends, level, right=True)
    return torch.clamp(found, max=g.shape(input)[1] - 1).to(dtype_of(dtype))
