"""The order of axes at a model's ends, and transposes around dequantisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nnir.dim import symbol
from nnir.errors import BadInput
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, quant, shape
from nnir.passes import CLEAN, apply, lift_transposes, sink_transposes
from nnir.passes.ends import INPUTS, OUTPUTS, order_inputs, order_outputs, orders
from nnir.types import Precision, TensorType

FIRST, LAST = (0, 3, 1, 2), (0, 2, 3, 1)
IMAGE = np.random.default_rng(0).standard_normal((2, 4, 5, 3)).astype(np.float32)


def image_model() -> Model:
    """ReLU of an image with channels last, computed with channels first, and a vector."""
    model = Model()
    model.symbols["b"] = (1, None)
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("b"), 4, 5, 3)))
    y = model.input("y", TensorType(Precision.FLOAT32, (3,)))
    inner = activation.relu(shape.transpose(x, perm=FIRST))
    model.outputs = [shape.transpose(inner, perm=LAST), activation.relu(y)]
    model.output_names = ["image", "vector"]
    return model


def transposes(model: Model) -> int:
    return sum(o.operator is shape.transpose for o in model.operations)


@pytest.mark.parametrize("layout", ["NCHW", {"x": "NCHW"}])
def test_inputs_and_outputs_are_turned(layout: Any) -> None:
    model = image_model()
    order_inputs(model, layout, "NHWC")
    order_outputs(model, "NCHW", "NHWC")
    apply(model, (sink_transposes, *CLEAN), checked=True)
    assert transposes(model) == 0
    assert [str(v.type) for v in model.inputs] == ["float32[b, 3, 4, 5]", "float32[3]"]
    assert [v.name for v in model.inputs] == ["x", "y"]
    assert [n for n, _ in model.named_outputs()] == ["image", "vector"]
    vector = np.array([-1, 0, 1], np.float32)
    image, _ = evaluate(model, [IMAGE.transpose(FIRST), vector])
    np.testing.assert_array_equal(image, np.maximum(IMAGE, 0).transpose(FIRST))
    assert orders(model, INPUTS) == {"x": FIRST}
    assert orders(model, OUTPUTS) == {"image": FIRST}


def test_the_own_order_changes_nothing() -> None:
    model = image_model()
    before = str(model)
    order_inputs(model, "NHWC", "NHWC")
    assert str(model) == before
    assert orders(model, INPUTS) == {}


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("NCDHW", "no input has the rank of NCDHW: there are x: "),
        ("HWCN", "input layout 'HWCN': known are NCHW"),
        ({"z": "NCHW"}, "no input 'z': there are x"),
        ({"y": "NCHW"}, "input 'y' is float32\\[3\\], which cannot be NCHW"),
    ],
)
def test_what_does_not_fit_is_refused(layout: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        order_inputs(image_model(), layout, "NHWC")


def dequantized(model: Model, x: Value) -> Value:
    scale = np.array([0.5, 0.25, 2], np.float32)
    result: Value = quant.dequantize_linear(x, model.constant(scale), axis=3)
    return result


def test_integers_are_transposed_before_they_are_dequantised() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.INT8, (2, 4, 5, 3)))
    model.outputs = [shape.transpose(dequantized(model, x), perm=FIRST)]
    data = np.arange(120, dtype=np.int8).reshape(2, 4, 5, 3)
    (want,) = evaluate(model, [data])
    apply(model, (lift_transposes,), checked=True)
    first, second = model.sorted()
    assert (first.operator, second.operator) == (shape.transpose, quant.dequantize_linear)
    assert second.attributes["axis"] == 1
    np.testing.assert_array_equal(evaluate(model, [data])[0], want)


def test_a_dequantisation_that_others_read_stays() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.INT8, (2, 4, 5, 3)))
    real = dequantized(model, x)
    model.outputs = [shape.transpose(real, perm=FIRST), activation.relu(real)]
    assert apply(model, (lift_transposes,), checked=True) == []


def test_quantised_weights_are_stored_in_the_order_in_which_they_are_read() -> None:
    model = Model()
    stored = model.constant(np.arange(120, dtype=np.int8).reshape(2, 4, 5, 3), name="w")
    model.outputs = [shape.transpose(dequantized(model, stored), perm=FIRST)]
    (want,) = evaluate(model, [])
    apply(model, (*CLEAN, sink_transposes), checked=True)
    (operation,) = model.operations
    assert operation.operator is quant.dequantize_linear
    assert operation.inputs[0] is not None
    assert operation.inputs[0].shape == (2, 3, 4, 5)
    np.testing.assert_array_equal(evaluate(model, [])[0], want)
