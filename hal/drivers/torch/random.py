"""Random numbers. With a seed they are drawn once, when the program is made."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import random
from nnir.types import Precision

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import Emitter, Result

table = Lowerings[Result]()
LARGEST = 1 << 26


def _draw_values(g: Emitter, operator: Operator, shape: Value, **attributes: Any) -> Result | None:
    """Numbers that are the same in every run: a constant, where their count is known."""
    known = shape.known
    if known is None or np.prod(known) > LARGEST:
        return None
    return g.constant(operator.reference(known, **attributes))


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
    if seed is not None:
        given = {"mean": mean, "scale": scale, "dtype": dtype, "seed": seed}
        made = _draw_values(g, random.random_normal, shape, **given)
        if made is not None:
            return made
        numbers = g.call(draw_numbers, g.sizes(shape), "normal", seed)
    else:
        numbers = g.call(torch.randn, g.sizes(shape), dtype=torch.float64)
    return (numbers * scale + mean).to(dtype_of(dtype))


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Value, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Result:
    """What would be rounded up to the upper bound is the float below it."""
    if seed is not None:
        given = {"low": low, "high": high, "dtype": dtype, "seed": seed}
        constant = _draw_values(g, random.random_uniform, shape, **given)
        if constant is not None:
            return constant
        numbers = g.call(draw_numbers, g.sizes(shape), "uniform", seed)
    else:
        numbers = g.call(torch.rand, g.sizes(shape), dtype=torch.float64)
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
    return (g.call(draw_numbers, g.shape(input), "uniform", seed) < odds).to(dtype_of(dtype))


@table.lower(random.multinomial)
def multinomial(
    g: Emitter, input: Value, *, sample_size: int, dtype: Precision, seed: float | None
) -> Result:
    scores = g.raw(input).to(torch.float64)
    sizes = [*g.shape(input)[:1], sample_size]
    if seed is None:
        numbers = g.call(torch.rand, sizes, dtype=torch.float64)
    else:
        numbers = g.call(draw_numbers, sizes, "uniform", seed)
    ends = torch.cumsum(torch.exp(scores - scores.amax(1, keepdim=True)), 1)
    level = numbers * ends.narrow(1, -1, 1)
    found = g.call(torch.searchsorted, ends, level, right=True)
    return torch.clamp(found, max=g.shape(input)[1] - 1).to(dtype_of(dtype))
