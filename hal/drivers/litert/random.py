"""Random numbers. Those of a seed are constants: the kernels go on where the last run ended."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import random
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape
from .shape import int32
from .unary import real

table = Lowerings[Ref]()
FLOATS = (Precision.FLOAT32, Precision.FLOAT16, Precision.BFLOAT16)


def _draw(g: Emitter, name: str, shape: Ref, target: tuple[Any, ...], dtype: Precision) -> Ref:
    if dtype not in FLOATS:
        raise NoLowering(f"litert draws no {dtype.name}")
    return g.one(name, [shape], Precision.FLOAT32, target)


def _sizes(g: Emitter, shape: Value) -> Ref:
    target = result_shape(g)
    if not target:
        raise NoLowering("litert draws no single number")
    return int32(g, g.reshape(shape, (len(target),)))


@table.lower(random.random_normal)
def random_normal(
    g: Emitter, shape: Value, *, mean: float, scale: float, dtype: Precision, seed: float | None
) -> Ref:
    if seed is not None:
        return _draw_constant(
            g, random.random_normal, shape, mean=mean, scale=scale, dtype=dtype, seed=seed
        )
    sizes = _sizes(g, shape)
    drawn = _draw(g, "RANDOM_STANDARD_NORMAL", sizes, result_shape(g), dtype)
    return drawn * scale + mean


def _draw_constant(g: Emitter, operator: Any, shape: Value, **attributes: Any) -> Ref:
    if shape.known is None:
        raise NoLowering("litert draws from a seed for known sizes only")
    return g.constant(operator.reference(shape.known, **attributes))


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Value, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Ref:
    if seed is not None:
        return _draw_constant(
            g, random.random_uniform, shape, low=low, high=high, dtype=dtype, seed=seed
        )
    sizes = _sizes(g, shape)
    drawn = _draw(g, "RANDOM_UNIFORM", sizes, result_shape(g), dtype)
    if (low, high) == (0, 1) and dtype == Precision.FLOAT32:
        return drawn
    moved = drawn * (high - low) + low
    kind = dtype.dtype.type
    below = np.nextafter(kind(high), kind(low))  # what rounds up to the bound
    return g.elementwise("MINIMUM", moved, float(below))


@table.lower(random.bernoulli)
def bernoulli(g: Emitter, input: Value, *, dtype: Precision, seed: float | None) -> Ref:
    if seed is not None or not input.rank:
        raise NoLowering("litert draws from no seed, and no single number")
    x = g.plain(real(g, input))
    drawn = _draw(g, "RANDOM_UNIFORM", g.sizes(x.shape), x.shape, Precision.FLOAT32)
    return g.cast(drawn < x, dtype)
