"""The operator: its type rule, what it means, and how it is written in others."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.operator import operator, require
from nnir.ops import unary
from nnir.types import TensorType


def _snake(input: np.ndarray, *, alpha: float) -> np.ndarray:
    return (input + np.sin(alpha * input) ** 2 / alpha).astype(input.dtype)


@operator(code=10_500, reference=_snake)
def acme_snake(input: Value, *, alpha: float = 1.0) -> TensorType:
    """x + sin(alpha x)^2 / alpha, the activation of networks that make sound.

    Types: any float; the result has the type and shape of `input`.
    Edges: infinities give NaN. `alpha` is not 0.
    """
    require(input.is_float, f"acme_snake needs a float input, not {input.precision.name}")
    require(alpha != 0, "acme_snake divides by alpha, which is 0")
    return input.type


@acme_snake.decomposes()
def _as_formula(input: Value, *, alpha: float) -> Value:
    wave = unary.sin(input * alpha)
    return input + wave * wave * (1 / alpha)
