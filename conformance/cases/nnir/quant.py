"""Quantised operands of the standard, whose scale and zero point are part of the type."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant
from nnir.ops import quant
from nnir.types import Precision, Quantization

from ...case import Const, Tolerance, f, i, rand, scalar
from .direct import DirectCase, Quantized

INT8 = Precision.QUANT_INT8_SYMM_PER_LAYER
CHANNELS = Precision.QUANT_INT8_SYMM_PER_CHANNEL
UINT8 = Precision.QUANT_UINT8_ASYMM_PER_LAYER
ONCE = Tolerance(relative=1.2e-7)
"""One product, rounded to float32."""

TWICE = Tolerance(relative=1.2e-7, absolute=4e-6)
"""A device may multiply before it subtracts: then the zero point's product rounds."""


def quantize(
    input: np.ndarray, scale: np.ndarray, zero_point: np.ndarray | None = None, *, axis: int = 1
) -> np.ndarray:
    """clamp(round(x / scale) + zero_point), element by element; Python rounds halves to even."""
    zero = 0 if zero_point is None else int(zero_point.flat[0])
    low, high = (0, 255) if zero else (-127, 127)
    result = np.zeros(input.shape, np.uint8 if zero else np.int8)
    for at, x in np.ndenumerate(input):
        step = scale.flat[at[axis] if scale.size > 1 else 0]
        ratio = float(np.float32(x) / step)
        whole = ratio if np.isinf(ratio) else round(ratio)
        result[at] = min(max(whole + zero, low), high)
    return result


def _dequantized(quantization: Quantization) -> Any:
    def expected(input: np.ndarray) -> np.ndarray:
        """(q - zero_point) * scale of the element's layer or channel."""
        result = np.zeros(input.shape, np.float32)
        for at, q in np.ndenumerate(input):
            k = 0 if quantization.axis is None else at[quantization.axis]
            zero = quantization.zero_points[k if len(quantization.zero_points) > 1 else 0]
            result[at] = (int(q) - zero) * float(np.float32(quantization.scales[k]))
        return result

    return expected


def _real(input: np.ndarray, *rest: Any, why: str, **attrs: int) -> DirectCase:
    return DirectCase(quant.quantize, (input, *rest), attrs, quantize, why=why)


def _whole(
    array: np.ndarray, precision: Precision, *how: Any, why: str, tol: Tolerance = ONCE
) -> DirectCase:
    described = Quantization(*how)
    given = Quantized(array, precision, described)
    return DirectCase(quant.dequantize, (given,), {}, _dequantized(described), tol, why=why)


def _bytes(*shape: int, kind: Any = np.int8) -> np.ndarray:
    return rand(*shape, dtype=kind, low=np.iinfo(kind).min, high=np.iinfo(kind).max)


X = rand(2, 3, 5, low=-9, high=9)
SCALES = Const(f(0.02, 0.1, 0.5))
CASES = [
    _real(X, Const(f(0.05)), why="symmetric per layer"),
    _real(X, Const(f(0.05)), Const(i(0, dtype=np.int32)), why="a zero point of 0"),
    _real(X, Const(f(0.05)), Const(i(128, dtype=np.int32)), why="asymmetric"),
    _real(X, Const(f(0.05)), Const(i(3, dtype=np.int32)), why="asymmetric, clamped below"),
    _real(X, SCALES, why="per channel, axis 1"),
    _real(X, SCALES, Const(i(0, 0, 0, dtype=np.int32)), why="per channel, zero points of 0"),
    _real(X.swapaxes(1, 2).copy(), SCALES, axis=2, why="per channel, the last axis"),
    _real(X.swapaxes(0, 1).copy(), SCALES, axis=-3, why="per channel, a negative axis"),
    _real(f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5), Const(f(1)), why="halves go to even"),
    _real(f(-1e9, -128, 127, 128, 1e9), Const(f(1)), why="-128 is out of range"),
    _real(f(np.inf, -np.inf), Const(f(0.5)), why="infinities clamp"),
    _real(i(-300, -3, 0, 7, 300, dtype=np.int32), Const(f(0.5)), why="integers"),
    _real(
        i(-300, -3, 0, 7, 300, dtype=np.int32),
        Const(f(2)),
        Const(i(10)),
        why="integers, asymmetric",
    ),
    _real(scalar(3), Const(f(0.5)), why="rank 0"),
    _real(np.zeros((0, 3), np.float32), Const(f(0.5)), why="no elements"),
    DirectCase(quant.quantize, (X, f(0.5)), why="a scale at run time", raises=NotConstant),
    DirectCase(quant.quantize, (X, Const(f(1, 2))), why="2 scales for 3", raises=BadType),
    DirectCase(quant.quantize, (X.astype(np.float16), Const(f(1))), why="a half", raises=BadType),
    DirectCase(
        quant.quantize, (X, SCALES, Const(i(1, 2, 3))), why="asymmetric per channel", raises=BadType
    ),
    _whole(_bytes(2, 3, 5), INT8, (0.05,), why="symmetric per layer"),
    _whole(i(-128, -127, 127, dtype=np.int8), INT8, (0.1,), why="-128 is not clamped"),
    _whole(_bytes(2, 3, 5), CHANNELS, (0.02, 0.1, 0.5), (0,), 1, why="per channel"),
    _whole(_bytes(2, 5, 3), CHANNELS, (0.02, 0.1, 0.5), (0,), 2, why="per channel, last axis"),
    _whole(_bytes(2, 3), CHANNELS, (0.02, 0.1), (0, 0), 0, why="per channel, axis 0"),
    _whole(_bytes(2, 3, kind=np.uint8), UINT8, (0.05,), (128,), why="asymmetric", tol=TWICE),
    _whole(
        _bytes(2, 3, kind=np.int16),
        Precision.QUANT_INT16_SYMM_PER_LAYER,
        (1e-3,),
        why="16 bits",
    ),
    _whole(
        _bytes(2, 3, kind=np.uint16),
        Precision.QUANT_UINT16_ASYMM_PER_LAYER,
        (1e-3,),
        (32768,),
        why="16 bits, asymmetric",
        tol=TWICE,
    ),
    _whole(
        _bytes(2, 3, kind=np.int32),
        Precision.QUANT_INT32_SYMM_PER_LAYER,
        (1e-3,),
        why="32 bits",
    ),
    _whole(
        _bytes(2, 3, kind=np.int32),
        Precision.QUANT_INT32_SYMM_PER_CHANNEL,
        (1e-3, 1e-4, 1e-5),
        (0,),
        1,
        why="32 bits per channel",
    ),
    _whole(
        _bytes(2, 3, kind=np.uint32),
        Precision.QUANT_UINT32_ASYMM_PER_LAYER,
        (1e-3,),
        (2**31,),
        why="32 bits, asymmetric",
    ),
    _whole(np.zeros((0, 3), np.int8), INT8, (0.05,), why="no elements"),
    DirectCase(quant.dequantize, (_bytes(2, 3),), why="plain integers", raises=BadType),
]
