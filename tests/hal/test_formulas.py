"""Symbols on results of a device mean what they mean on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino
import pytest

from hal.drivers.openvino.emitter import Emitter, Ref
from hal.drivers.openvino.families import LOWERINGS

A = np.array([-7, -2, 0, 3, 7, np.nan], np.float32)
B = np.array([2, -2, 3, -3, np.nan, np.nan], np.float32)
FLOATS: list[Callable[[Any, Any], Any]] = [
    *(lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b),
    *(lambda a, b: 1 + a, lambda a, b: 1 - a, lambda a, b: 2 * a, lambda a, b: 1 / b),
    *(lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b),
    *(lambda a, b: a > 0, lambda a, b: -a, lambda a, b: abs(a)),
    *(lambda a, b: (a < b) & (a > 0), lambda a, b: (a < b) | (a > 0), lambda a, b: ~(a < b)),
    lambda a, b: (a < b) ^ (a > 0),
]
INTEGERS: list[Callable[[Any, Any], Any]] = [
    *(lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b, lambda a, b: ~a),
    *(lambda a, b: a & 3, lambda a, b: 1 - a, lambda a, b: a < b),
]


def computed(formula: Callable[..., Ref], *arrays: np.ndarray) -> np.ndarray:
    """What OpenVINO computes of a formula on parameters."""
    g = Emitter(LOWERINGS, openvino)
    ends = [openvino.opset13.parameter([-1], a.dtype) for a in arrays]
    result = formula(*(Ref(e.output(0), g) for e in ends))
    model = openvino.Model([result.output], ends)
    compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.array(compiled(list(arrays))[0])


@pytest.mark.parametrize("number", range(len(FLOATS)))
def test_symbols_on_floats(number: int) -> None:
    formula = FLOATS[number]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(computed(formula, A, B), formula(A, B))


@pytest.mark.parametrize("number", range(len(INTEGERS)))
def test_symbols_on_integers(number: int) -> None:
    formula = INTEGERS[number]
    a, b = np.array([-7, -1, 0, 6], np.int32), np.array([3, 2, -5, 10], np.int32)
    np.testing.assert_array_equal(computed(formula, a, b), formula(a, b))


def test_integers_are_divided_toward_zero() -> None:
    a, b = np.array([-7, 7, 6], np.int32), np.array([2, -2, 3], np.int32)
    wanted = np.trunc(a / b).astype(np.int32)
    np.testing.assert_array_equal(computed(lambda x, y: x / y, a, b), wanted)


def test_equal_and_unequal_are_methods() -> None:
    for formula, wanted in ((Ref.equal, A == B), (Ref.unequal, A != B)):
        np.testing.assert_array_equal(computed(formula, A, B), wanted)
