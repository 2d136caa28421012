"""Paddle's quantisers as QUANTIZE_LINEAR and DEQUANTIZE_LINEAR, and what stays arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from frontends.paddle import qdq
from frontends.paddle.operators import quant as exact
from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.types import Precision, TensorType

HOW = {"quant_axis": -1, "bit_length": 8, "qmin": -128, "qmax": 127}


def model_of(build: Any, *sizes: int) -> Model:
    """What converters make of a float32 input."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, sizes))
    model.outputs = [build(model, x)]
    return model


def names(model: Model) -> list[str]:
    return [o.operator.name for o in model.operations]


def run(model: Model, x: np.ndarray) -> np.ndarray:
    (y,) = nna.compile(model)(x)
    return y


def there_and_back(table: Any, axis: int, scales: list[float], **more: Any) -> Any:
    """quantize_linear and dequantize_linear, as a program has them."""

    def build(model: Model, x: Value) -> Value:
        scale = model.constant(np.array(scales, np.float32))
        zero = model.constant(np.zeros(len(scales), np.float32))
        how = {**HOW, "quant_axis": axis, "is_test": True, "only_observer": False, **more}
        for back in (False, True):
            x = table.quantize_linear(
                x, scale, zero, None, None, round_type=0, back=back, **how
            )[0]  # fmt: skip
        return x

    return build


@pytest.mark.parametrize(("axis", "scales"), [(-1, [2.5]), (1, [2.5, 0.7, 9.0])])
def test_integers_that_a_program_passes_on(axis: int, scales: list[float]) -> None:
    border = model_of(there_and_back(qdq, axis, scales), 4, 3)
    assert names(border)[:1] == ["QUANTIZE_LINEAR"]
    assert "DEQUANTIZE_LINEAR" in names(border)
    plain = model_of(there_and_back(exact, axis, scales), 4, 3)
    x = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32) * 4
    step = np.array(scales, np.float32) / 127
    assert (np.abs(run(border, x) - run(plain, x)) <= 1.001 * step).all()


def test_other_bits_and_observers_stay() -> None:
    for more in ({"bit_length": 4, "qmin": -8, "qmax": 7}, {"only_observer": True}):
        border = model_of(there_and_back(qdq, -1, [2.5], **more), 4, 3)
        plain = model_of(there_and_back(exact, -1, [2.5], **more), 4, 3)
        assert names(border) == names(plain)
    with pytest.raises(Unsupported, match="that trains"):
        model_of(there_and_back(qdq, -1, [2.5], is_test=False), 4, 3)


def test_weights_are_integers_with_scales_of_their_own() -> None:
    weights = np.random.default_rng(1).standard_normal((6, 5)).astype(np.float32)

    def build(model: Model, x: Value) -> Value:
        made, _ = qdq.fake_channel_wise_quantize_dequantize_abs_max(
            model.constant(weights, name="w"), 8, 1, 0
        )
        return x + made

    model = model_of(build, 6, 5)
    assert names(model) == ["DEQUANTIZE_LINEAR", "ADD"]
    whole = model.operations[0].inputs[0]
    assert whole is not None
    assert whole.precision == Precision.INT8
    most = np.abs(weights).max(1, keepdims=True)
    np.testing.assert_allclose(
        run(model, np.zeros((6, 5), np.float32)), np.round(weights / most * 127) / 127 * most,
        rtol=1e-5, atol=1e-7,
    )  # fmt: skip


def test_a_scale_that_the_data_sets_stays_arithmetic() -> None:
    border = model_of(lambda _, x: qdq.fake_quantize_dequantize_abs_max(x, 8, 1)[0], 4, 3)
    plain = model_of(lambda _, x: exact.fake_quantize_abs_max(x, 8, 1, back=True)[0], 4, 3)
    assert names(border) == names(plain)
