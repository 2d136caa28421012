"""Sizes that have a least and a largest one: every device refuses others, with the same words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal.runtime import nnc
from hal.runtime.cache import Saved
from hal.runtime.fitting import ranges_of
from nnir.dim import symbol
from nnir.errors import BadFile, BadInput
from nnir.model import Model
from nnir.ops import binary, unary
from nnir.types import Precision, TensorType

DEVICES = "builtin", "onnxruntime", "openvino", "litert", "torch"


def model_of(low: int, high: int | None) -> Model:
    """Two inputs, a size of the first of which has limits."""
    model = Model()
    sizes = symbol("n"), symbol("m")
    x, y = (model.input(name, TensorType(Precision.FLOAT32, sizes)) for name in "xy")
    model.symbols |= {"n": (low, high), "m": (0, None)}
    model.outputs = [unary.exp(binary.add(x, y))]
    return model


def arrays_of(rows: int) -> list[np.ndarray]:
    return [np.zeros((rows, 3), np.float32)] * 2


@pytest.mark.parametrize("device", DEVICES)
def test_sizes_beyond_the_range_are_refused(device: str) -> None:
    program = nna.compile(model_of(2, 4), device)
    for rows in (2, 4):
        assert (program(*arrays_of(rows))[0] == 1).all()
    for rows in (0, 1, 5):
        with pytest.raises(BadInput, match=rf"^n is {rows}: the model is for from 2 to 4$"):
            program(*arrays_of(rows))


def test_a_range_may_have_no_end() -> None:
    program = nna.compile(model_of(2, None))
    assert program(*arrays_of(100))[0].shape == (100, 3)
    with pytest.raises(BadInput, match=r"^n is 1: the model is for at least 2$"):
        program(*arrays_of(1))


@pytest.mark.parametrize("device", DEVICES)
def test_a_cache_keeps_them(device: str, tmp_path: Path) -> None:
    for model in (model_of(2, 4), model_of(2, 4), None):  # at last the file alone says them
        program = nna.compile(model, device, cache_dir=tmp_path, cache_token="kept")
        assert (program(*arrays_of(4))[0] == 1).all()
        with pytest.raises(BadInput, match=r"^n is 5: the model is for from 2 to 4$"):
            program(*arrays_of(5))
    assert program.is_restored


@pytest.mark.parametrize(
    "text", [b"[]", b"7", b'{"n": 3}', b'{"n": [true, 4]}', b'{"n": [1, "4"]}']
)
def test_a_cache_with_other_ranges_is_damaged(text: bytes, tmp_path: Path) -> None:
    nna.compile(model_of(2, 4), "onnxruntime", cache_dir=tmp_path, cache_token="kept")
    found = nnc.unpack((tmp_path / "kept.nnc").read_bytes())
    assert bytes(found["ranges"]) == b'{"n":[2,4]}'
    with pytest.raises(BadFile, match=r"^a damaged \.nnc file: "):
        Saved.unpack(b"".join(nnc.pack(found | {"ranges": memoryview(text)})))


def test_names_that_no_input_has_have_none() -> None:
    model = model_of(0, None)
    model.symbols["u0"] = (1, 7)
    assert ranges_of(model) == {}
    model.symbols["m"] = (0, 9)
    assert ranges_of(model) == {"m": (0, 9)}
