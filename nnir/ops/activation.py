"""Elementwise activations."""

from __future__ import annotations

import numpy as np

from ..model import Value
from ..numeric import wide
from ..operator import operator, require
from ..types import TensorType
from .unary import unary


def _relu(input: np.ndarray) -> np.ndarray:
    return np.maximum(input, input.dtype.type(0))


def _relu6(input: np.ndarray) -> np.ndarray:
    return np.clip(input, input.dtype.type(0), input.dtype.type(6))


relu = unary("relu", _relu, 65, "max(0, x).", integers=True)
relu6 = unary("relu6", _relu6, 66, "min(6, max(0, x)).", integers=True)


@wide
def _leaky_relu(input: np.ndarray, *, alpha: float) -> np.ndarray:
    return np.where(input >= 0, input, input.dtype.type(alpha) * input)


@operator(code=40, reference=_leaky_relu)
def leaky_relu(input: Value, *, alpha: float) -> TensorType:
    """Scale the negative elements of `input` by `alpha`.

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays NaN; a negative or zero `alpha` is allowed.
    """
    require(input.is_float, f"leaky_relu needs a float input, not {input.precision.name}")
    return input.type
