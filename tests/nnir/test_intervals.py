"""Between which numbers values lie: what is certain, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from nnir.intervals import Interval, count_exact, interval_of
from nnir.model import Model, Value
from nnir.ops import activation, binary, shape, unary
from nnir.types import Precision, TensorType


def given(kind: Precision, *sizes: int) -> Value:
    return Model().input("x", TensorType(kind, sizes or (4,)))


def wide(x: Value) -> Value:
    return x.cast(Precision.INT32)


BYTE, WORD, REAL = Precision.UINT8, Precision.INT32, Precision.FLOAT32
ROWS: list[tuple[Value, Interval | None]] = [
    (given(BYTE), (0, 255)),
    (given(Precision.INT16), (-32768, 32767)),
    (given(WORD), None),
    (given(REAL), None),
    (wide(given(BYTE)), (0, 255)),
    (wide(given(BYTE)) - 3, (-3, 252)),
    (3 - wide(given(BYTE)), (-252, 3)),
    (wide(given(BYTE)) + wide(given(BYTE)), (0, 510)),
    (given(BYTE) - given(BYTE), (0, 255)),
    (shape.reshape(wide(given(BYTE)), [2, 2]), (0, 255)),
    (wide(given(REAL)), None),
    (wide(activation.clip(given(REAL), -1.5, 9.5)), (-2, 10)),
    (unary.round_(activation.clip(given(REAL), 0, 255)) - 7, (-7, 248)),
    (wide(activation.clip(given(REAL), -np.inf, 9)), None),
    (activation.clip(given(Precision.FLOAT16), 0, 9), None),
    (wide(given(BYTE)) * 2, None),
    (binary.max_(wide(given(BYTE)), 3), None),
]


@pytest.mark.parametrize(("value", "wanted"), ROWS, ids=range(len(ROWS)))
def test_what_is_known(value: Value, wanted: Interval | None) -> None:
    assert interval_of(value) == wanted


def test_constants_hold_what_they_hold() -> None:
    model = Model()
    assert interval_of(model.constant(np.array([3, -7], np.int32))) == (-7, 3)
    assert interval_of(model.constant(np.array([0.5, -7.5], np.float32))) == (-8, 1)
    assert interval_of(model.constant(np.array([np.nan, 1], np.float32))) is None
    assert interval_of(model.constant(np.zeros(0, np.int32))) is None


def test_sums_that_floats_have_exactly() -> None:
    x, y = wide(given(BYTE)), wide(given(BYTE))
    assert count_exact(x, y) == (1 << 24) // 255**2
    assert count_exact(x, given(WORD)) == 0


def test_long_sums_are_not_searched_to_their_ends() -> None:
    x = wide(given(BYTE))
    for _ in range(100):
        x = x + x
    assert interval_of(x) is None
