"""What the integers of a quantised type stand for, and how real numbers become such integers.

real = (q - zero_point) * scale, in FLOAT32. The other way x / scale is rounded to the nearest
integer, halves to the even one, the zero point is added, and what lies outside of the type's
integers becomes the nearest of them. Symmetric types leave their lowest integer out, so that -x is
there for every x.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .dim import Expr
from .errors import BadType
from .types import Precision, Quantization, TensorType

STORED = {
    Precision.QUANT_UINT8_ASYMM_PER_LAYER: Precision.INT8,
    Precision.QUANT_UINT16_ASYMM_PER_LAYER: Precision.INT16,
    Precision.QUANT_INT32_SYMM_PER_LAYER: Precision.INT64,
    Precision.QUANT_INT32_SYMM_PER_CHANNEL: Precision.INT64,
}
"""What integers of a type may be stored as in explicit models, where not as they are."""


def limits_of(precision: Precision) -> tuple[int, int]:
    """The lowest and the highest integer that results of a quantised precision have."""
    info = np.iinfo(precision.dtype)
    return (-info.max if is_symmetric(precision) else int(info.min)), int(info.max)


def is_symmetric(precision: Precision) -> bool:
    """Whether the zero points of a quantised precision are 0."""
    return "_SYMM_" in precision.name


def is_per_channel(precision: Precision) -> bool:
    """Whether a quantised precision has a scale for each entry of an axis."""
    return precision.name.endswith("_PER_CHANNEL")


def along(
    values: tuple[float, ...], axis: int | None, rank: int, dtype: np.typing.DTypeLike
) -> np.ndarray:
    """One value, or one for each entry of an axis, shaped to broadcast."""
    array = np.asarray(values, dtype)
    if array.size == 1:
        return array.reshape(())
    return array.reshape(-1, *(1,) * (rank - 1 - (axis or 0) % rank))


def to_real(integers: np.ndarray, quantization: Quantization) -> np.ndarray:
    """The numbers that integers stand for, in FLOAT32."""
    axis, rank = quantization.axis, integers.ndim
    zeros = along(quantization.zero_points, axis, rank, np.int64)
    scales = along(quantization.scales, axis, rank, np.float32)
    return np.asarray((integers.astype(np.int64) - zeros).astype(np.float32) * scales, np.float32)


def to_integers(real: np.ndarray, precision: Precision, quantization: Quantization) -> np.ndarray:
    """The integers of a quantised precision that are nearest to real numbers."""
    axis, rank = quantization.axis, real.ndim
    steps = np.rint(real.astype(np.float32) / along(quantization.scales, axis, rank, np.float32))
    whole = steps.astype(np.float64) + along(quantization.zero_points, axis, rank, np.float64)
    low, high = limits_of(precision)
    return np.asarray(np.clip(whole, low, high).astype(np.int64).astype(precision.dtype))


def problem_of(type: TensorType) -> str | None:
    """What is wrong with how a type is quantised; None where nothing is."""
    how, precision = type.quantization, type.precision
    if not precision.is_quantized:
        return None if how is None else f"{type} with scales, which only quantised types have"
    if how is None:
        return f"{type} without a scale"
    if how.stored is not None and how.stored != STORED.get(precision):
        return f"{type}, whose integers are never {how.stored.name}"
    if not all(s > 0 and math.isfinite(s) for s in how.scales):
        return f"{type} with a scale that is not above 0 and finite"
    if is_per_channel(precision):
        return _channel_problem(type, how)
    if len(how.scales) != 1 or len(how.zero_points) != 1:
        return f"{type} with {len(how.scales)} scales and {len(how.zero_points)} zero points, not 1"
    return _zero_problem(type, how)


def _channel_problem(type: TensorType, how: Quantization) -> str | None:
    if how.axis is None or not 0 <= how.axis < type.rank:
        return f"{type} with scales for the axis {how.axis}"
    size = type.shape[how.axis]
    if not isinstance(size, Expr) and size != len(how.scales):
        return f"{type} with {len(how.scales)} scales for the {size} entries of axis {how.axis}"
    if len(how.zero_points) not in (1, len(how.scales)):
        return f"{type} with {len(how.zero_points)} zero points for {len(how.scales)} scales"
    return _zero_problem(type, how)


def _zero_problem(type: TensorType, how: Quantization) -> str | None:
    low, high = limits_of(type.precision)
    if is_symmetric(type.precision):
        low = high = 0
    outside = [z for z in how.zero_points if not low <= z <= high]
    if outside:
        return f"{type} with the zero point {outside[0]}, not from {low} to {high}"
    return None


def keep_as(type: TensorType, stated: TensorType | None, name: str) -> TensorType:
    """The type of a result that is kept as integers of the stated type, where that is quantised."""
    if stated is None or not stated.precision.is_quantized:
        return type
    kept = replace(type, precision=stated.precision, quantization=stated.quantization)
    if (found := type.quantization) is not None:  # it is rounded by the operands already
        how = stated.quantization
        if how is None or how.numbers != found.numbers:
            raise BadType(f"{name.lower()} makes {type}, not {stated}")
        return kept
    return kept if type.precision == Precision.FLOAT32 else type
