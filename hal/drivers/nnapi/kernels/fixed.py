"""Integers that stand for real numbers: how they are summed, rounded and saturated, once.

Sums of products are those of 32 bits, which wrap around. A sum becomes an integer of the result's
scale by one multiplication in float64, rounding half to even, adding the zero point, and
saturation to 0..255 or to what the activation leaves of it. Source: `TENSOR_QUANT8_ASYMM` in
`types.hal`, real = (integer - zeroPoint) * scale; the text leaves rounding open.
"""

from __future__ import annotations

import numpy as np

from nnir.formats.nnapi.structures import FusedActivation, Operand, OperandType

LEAST, MOST = 0, 255
REALS = {
    FusedActivation.NONE: (-np.inf, np.inf),
    FusedActivation.RELU: (0.0, np.inf),
    FusedActivation.RELU1: (-1.0, 1.0),
    FusedActivation.RELU6: (0.0, 6.0),
}
"""The real numbers between which an activation leaves its operand."""
EXACT = 1 << 24
"""Up to here float32 holds every integer."""


def is_quantized(operand: Operand) -> bool:
    return operand.type == OperandType.TENSOR_QUANT8_ASYMM


def centre(integers: np.ndarray, operand: Operand) -> np.ndarray:
    """Integers less their zero point, as INT32."""
    return integers.astype(np.int32) - np.int32(operand.zero_point)


def dequantize(integers: np.ndarray, operand: Operand) -> np.ndarray:
    """The real numbers in float64, where they are exact."""
    return centre(integers, operand) * np.float64(operand.scale)


def limits(operand: Operand, activation: int = FusedActivation.NONE) -> tuple[int, int]:
    """The integers between which a result with an activation lies."""
    low, high = (round_half_even(b / operand.scale) for b in REALS[FusedActivation(activation)])
    shifted = np.clip([low + operand.zero_point, high + operand.zero_point], LEAST, MOST)
    return int(shifted[0]), int(shifted[1])


def round_half_even(reals: np.ndarray | float) -> np.ndarray:
    return np.rint(np.asarray(reals, np.float64))


def quantize(
    reals: np.ndarray, operand: Operand, activation: int = FusedActivation.NONE
) -> np.ndarray:
    """Real numbers as integers of the result's scale."""
    return rescale(reals, 1 / np.float64(operand.scale), operand, activation)


def rescale(
    sums: np.ndarray,
    multiplier: float,
    operand: Operand,
    activation: int = FusedActivation.NONE,
) -> np.ndarray:
    """Sums times a real multiplier as integers of the result's scale."""
    steps = round_half_even(sums * np.float64(multiplier)) + operand.zero_point
    low, high = limits(operand, activation)
    return np.clip(steps, low, high).astype(np.uint8)


def multiply(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The matrix product of centred bytes as INT32, which wraps around.

    Products of matrices are fast in floats; the narrowest that holds every sum exactly is used.
    """
    terms = left.shape[-1]
    kind = np.float32 if terms * MOST * MOST < EXACT else np.float64
    return wrap(multiply_rows(left.astype(kind), right.astype(kind)))


def multiply_rows(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The rows of a tensor times a matrix, as one product."""
    rows = left.reshape(-1, left.shape[-1]) @ right
    return np.asarray(rows.reshape(*left.shape[:-1], right.shape[-1]))


def wrap(sums: np.ndarray) -> np.ndarray:
    """Sums that are integers as INT32, which wraps around."""
    return sums.astype(np.int64).astype(np.int32)


def activate(reals: np.ndarray, activation: int) -> np.ndarray:
    """Real numbers with an activation; NaN stays NaN."""
    if activation == FusedActivation.NONE:
        return reals
    low, high = (reals.dtype.type(b) for b in REALS[FusedActivation(activation)])
    return np.minimum(np.maximum(reals, low), high)
