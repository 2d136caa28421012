"""Random numbers from a seed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Value
from nnir.ops import random
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Sizes

table = Lowerings[Ref]()


def _draw(g: Emitter, op: str, shape: Ref, dtype: Precision, **attributes: Any) -> Ref:
    """ONNX Runtime draws into the shape of a tensor; 16-bit floats are rounded from float32."""
    kind = Precision.FLOAT64 if dtype == Precision.FLOAT64 else Precision.FLOAT32
    frame = g.node("Expand", g.constant(0, np.float32), shape)
    return g.node(op, frame, precision=kind, dtype=code_of(kind), **attributes).cast(dtype)


@table.lower(random.random_normal)
def random_normal(
    g: Emitter, shape: Sizes, *, mean: float, scale: float, dtype: Precision, seed: float | None
) -> Ref:
    return _draw(g, "RandomNormalLike", shape, dtype, mean=mean, scale=scale, seed=seed)


@table.lower(random.random_uniform)
def random_uniform(
    g: Emitter, shape: Sizes, *, low: float, high: float, dtype: Precision, seed: float | None
) -> Ref:
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise NoLowering(f"onnxruntime ends the process for numbers between {low} and {high}")
    drawn = _draw(g, "RandomUniformLike", shape, dtype, low=low, high=high, seed=seed)
    return _below(g, drawn, low, high)


def _below(g: Emitter, drawn: Ref, low: float, high: float) -> Ref:
    """What was rounded up to the upper bound is the float below it."""
    kind = drawn.precision.dtype.type
    return g.node("Min", drawn, g.number(np.nextafter(kind(high), kind(low)), drawn))


@table.lower(random.bernoulli, implied=["dtype"])
def bernoulli(g: Emitter, input: Value, *, seed: float | None) -> Ref:
    chance = g.cast(input, Precision.FLOAT32)
    code = code_of(Precision.FLOAT32)
    drawn = g.node("RandomUniformLike", chance, dtype=code, low=0.0, high=1.0, seed=seed)
    return _below(g, drawn, 0, 1) < chance


@table.lower(random.multinomial)
def multinomial(
    g: Emitter, input: Value, *, sample_size: int, dtype: Precision, seed: float | None
) -> Ref:
    scores = g.cast(input, Precision.FLOAT32)
    code = code_of(dtype)
    return g.node(
        "Multinomial", scores, precision=dtype, sample_size=sample_size, dtype=code, seed=seed
    )
