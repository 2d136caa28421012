"""The standard's fuse codes on arithmetic: ONNX has no operator with an activation inside."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nnir.ops import binary
from nnir.types import Fuse

from ...case import ROUNDS, f, i
from .direct import DirectCase, DirectLimit

BOUNDS = {
    Fuse.NONE: (-math.inf, math.inf),
    Fuse.RELU: (0, math.inf),
    Fuse.RELU1: (0, 1),
    Fuse.RELU6: (0, 6),
}


def bounded(values: np.ndarray, code: Fuse) -> np.ndarray:
    """The activation of a fuse code; a comparison with NaN is false, so NaN stays."""
    low, high = BOUNDS[code]
    raised = np.where(values < low, low, values)
    return np.where(raised > high, high, raised).astype(values.dtype)


def _fused(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def expected(a: np.ndarray, b: np.ndarray, *, fuse_code: Fuse) -> np.ndarray:
        return bounded(function(a, b), fuse_code)

    return expected


FLOATS = f(-3, -0.5, 0, 0.25, 4, 9, 7), f(1, 0.125, 3, 0.5, 2, 4, -1)
INFINITE = f(np.nan, np.inf, -np.inf, 4), f(1, -1, 2, -2)
INTEGERS = i(-3, 0, 2, 4, 100, dtype=np.int32), i(1, 5, -1, 2, -100, dtype=np.int32)
TWO = {
    binary.add: np.add,
    binary.sub: np.subtract,
    binary.mul: np.multiply,
    binary.max_: np.maximum,
    binary.min_: np.minimum,
}
CASES = [
    DirectCase(operator, pair, {"fuse_code": code}, _fused(function), why=f"fused {code.name}")
    for operator, function in TWO.items()
    for pair in (FLOATS, INTEGERS)
    for code in Fuse
]
CASES += [
    DirectCase(binary.div, FLOATS, {"fuse_code": code}, _fused(np.divide), why=f"fused {code.name}")
    for code in Fuse
]
CASES += [
    DirectCase(
        operator, INFINITE, {"fuse_code": code}, _fused(function), why=f"fused {code.name} of nan"
    )
    for operator, function in {**TWO, binary.div: np.divide}.items()
    for code in Fuse
]


def floor_div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest whole number not above the quotient."""
    return np.floor(a.astype(np.float64) / b).astype(a.dtype)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Element by element, with Python's power."""
    return np.array([x**y for x, y in zip(a.tolist(), b.tolist(), strict=True)], a.dtype)


QUOTIENTS = f(-3, -0.5, 0, 0.25, 4, 9, np.nan, 2), f(2, 0.125, 3, 0.5, -3, 4, 1, 0)
POWERS = f(2, 0.5, 9, 0, 1.5, -2), f(3, 0.25, 0.5, 0, 1, 3)
CASES += [
    DirectCase(operator, pair, {"fuse_code": code}, _fused(function), ROUNDS, f"fused {code.name}")
    for operator, function, pair in (
        (binary.floor_div, floor_div, QUOTIENTS),
        (binary.floor_div, floor_div, INTEGERS),
        (binary.pow_, power, POWERS),
    )
    for code in Fuse
]
LIMITS = [
    DirectLimit(
        operator,
        "OpenVINO fuses the activation, whose NaN is 0",
        case=f"fused {code.name} of nan",
        device="openvino",
        raises=AssertionError,
    )
    for operator in (*TWO, binary.div)
    for code in (Fuse.RELU, Fuse.RELU1, Fuse.RELU6)
]
