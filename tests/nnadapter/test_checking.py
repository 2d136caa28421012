"""`compile(..., check=True)`: a device that is wrong or fails is left out, or an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal.drivers.onnxruntime import OnnxRuntime
from nnadapter.checking import FallbackWarning
from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError, Differs
from nnir.model import Model
from nnir.ops import binary
from nnir.types import Precision, TensorType

ONES = np.ones((2, 3), np.float32)


def doubled() -> Model:
    model = Model("doubled")
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"), 3)))
    model.outputs = [binary.add(x, x)]
    return model


def test_what_agrees_is_compiled_as_before() -> None:
    program = nna.compile(doubled(), ["onnxruntime", "builtin"], check=True)
    assert program.devices == ["onnxruntime"]
    np.testing.assert_array_equal(program(ONES)[0], ONES * 2)


def fail(*_: Any) -> list[Any]:
    raise DeviceError("ranks are not equal")


@pytest.mark.parametrize("spoil", [lambda *_: [ONES], fail], ids=["wrong", "fails"])
def test_what_differs_falls_back(spoil: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnnxRuntime, "execute_program", spoil)
    with pytest.warns(FallbackWarning, match="doubled: without onnxruntime"):
        program = nna.compile(doubled(), ["onnxruntime", "builtin"], check=True)
    assert program.devices == ["builtin"]
    np.testing.assert_array_equal(program(ONES)[0], ONES * 2)
    with pytest.raises(Differs, match="onnxruntime does not agree with the references"):
        nna.compile(doubled(), "onnxruntime", check=True)
    nna.compile(doubled(), "onnxruntime")  # as it is, for who does not ask


def test_a_cache_alone_cannot_be_checked() -> None:
    with pytest.raises(BadInput, match="needs the model"):
        nna.compile(None, "builtin", cache_buffer=b"x", check=True)
