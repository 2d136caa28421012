"""The NNAdapter view: operands in the order of the standard, scalars of shape [1]."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nnir.errors import Unsupported
from nnir.model import Model
from nnir.ops import activation, binary, conv, shape
from nnir.types import Lifetime, Precision, TensorType
from nnir.view import operands

STANDARD = json.loads((Path(__file__).parents[1] / "data" / "standard_operators.json").read_text())


def names_of(operator: str) -> list[str]:
    return [
        i["name"] for row in STANDARD["operators"] if row["name"] == operator for i in row["inputs"]
    ]


def image() -> Model:
    model = Model()
    model.input("x", TensorType(Precision.FLOAT32, (1, 2, 4, 4)))
    return model


def test_a_convolution() -> None:
    model = image()
    made = conv.conv_2d(
        model.inputs[0],
        np.ones((3, 2, 3, 3)),
        np.zeros(3),
        pads=(1, 1, 1, 1),
        strides=(1, 1),
        dilations=(1, 1),
    )
    found = operands(made.producer)
    assert [o.name for o in found] == names_of("CONV_2D")
    assert found[0].lifetime is Lifetime.MODEL_INPUT
    assert found[1].lifetime is Lifetime.CONSTANT_REFERENCE
    assert {o.name: o.data.tolist() for o in found[3:]} == {
        "auto_pad": [0],
        "pads": [1, 1, 1, 1],
        "strides": [1, 1],
        "group": [1],
        "dilations": [1, 1],
        "fuse_code": [0],
    }
    assert all(o.type.precision is Precision.INT32 for o in found[3:])


def test_a_constant_between_tensors_and_an_absent_operand() -> None:
    model = image()
    made = shape.pad(model.inputs[0], [0] * 8)
    assert [o and o.name for o in operands(made.producer)][:3] == ["input", "pads", "mode"]


def test_variadic_operands_come_before_the_axis() -> None:
    model = image()
    made = shape.concat(model.inputs[0], model.inputs[0], axis=1)
    assert [o.name for o in operands(made.producer)] == ["input", "input", "axis"]


def test_rank_0_is_shown_as_1() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, ()))
    found = operands(binary.add(x, 1.0).producer)
    assert [o.type.shape for o in found] == [(1,), (1,), (1,)]
    assert (
        operands(activation.leaky_relu(x, alpha=0.5).producer)[1].type.precision
        is Precision.FLOAT32
    )


def test_a_sub_model_is_no_operand(loop: object) -> None:
    import nnadapter as nna

    model = nna.load(loop)
    with pytest.raises(Unsupported, match="no operand"):
        operands(model.operations[-1])
