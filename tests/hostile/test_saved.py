"""What loads is saved, and what is saved is read again as the same model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

import nnadapter
from nnir import archive
from nnir.model import Model

from .attacks_names import NAMES, SURROGATES
from .building import graph_changed, sample
from .harness import HARMLESS
from .test_hostile import ATTACKS

STRANGE = {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf")}
ATTRIBUTES = {
    "LeakyRelu": ("alpha",),
    "Elu": ("alpha",),
    "Selu": ("alpha", "gamma"),
    "HardSigmoid": ("alpha", "beta"),
    "Celu": ("alpha",),
    "ThresholdedRelu": ("alpha",),
    "Shrink": ("lambd", "bias"),
    "RandomNormalLike": ("mean", "scale"),
}
OWN = ("attacks_names", "attacks_budget")
"""Modules whose files are made without a framework."""

LOADED = [n for n, a in ATTACKS.items() if a.ends is HARMLESS and n.startswith(OWN)]
TEXTS = NAMES | SURROGATES | {"nothing": "", "a keyword": "class", "a path": "../x"}


def require_same(model: Model) -> None:
    """The model is saved and read again: the same bytes, the same text."""
    data = archive.dumps(model)
    again = archive.loads(data)
    assert archive.dumps(again) == data
    assert str(again) == str(model)
    data[8 : 8 + int.from_bytes(data[:8], "little")].decode()


@pytest.mark.parametrize("name", LOADED)
def test_attacks_that_load_are_saved(name: str, tmp_path: Path) -> None:
    require_same(nnadapter.load(ATTACKS[name].build(tmp_path, tmp_path / "marker")))


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("operator", ATTRIBUTES)
def test_attributes_that_are_no_number(operator: str, value: str) -> None:
    node = helper.make_node(
        operator, ["x"], ["y"], **dict.fromkeys(ATTRIBUTES[operator], STRANGE[value])
    )
    require_same(nnadapter.load(of_nodes(node)))


@pytest.mark.parametrize("value", STRANGE)
def test_constants_that_are_no_number(value: str) -> None:
    nodes = (
        helper.make_node("QuantizeLinear", ["x", "c", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "c", "z"], ["d"]),
        helper.make_node("Clip", ["d", "c", "c"], ["y"]),
    )
    made = of_nodes(*nodes, c=np.float32(STRANGE[value]), z=np.uint8(3))
    require_same(nnadapter.load(made))


def of_nodes(*nodes: Any, **constants: Any) -> bytes:
    x, y = (helper.make_tensor_value_info(n, 1, [2, 3]) for n in "xy")
    held = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], held)
    opsets = [helper.make_opsetid("", 21)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return made


def named(text: str) -> Model:
    """The sample whose model, input, node, output and notes have a name."""

    def change(data: bytes) -> bytes:
        document = json.loads(data)
        output = text and f"{text}2"
        document |= {"name": text, "output_names": [output], "metadata": {text: text}}
        document["values"][0][0] = document["operations"][0][4] = text
        return json.dumps(document).encode()

    return nnadapter.load(graph_changed(sample("net.nnir"), change))


@pytest.mark.parametrize("what", TEXTS)
def test_names_in_archives(what: str) -> None:
    require_same(named(TEXTS[what]))


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("suffix", [".onnx", ".tflite"])
def test_names_in_formats(what: str, suffix: str, tmp_path: Path) -> None:
    model, path = named(TEXTS[what]), tmp_path / f"m{suffix}"
    nnadapter.convert(model, path, verify=False)
    again = nnadapter.load(path)
    assert len(again.inputs) == len(model.inputs)
    if TEXTS[what]:
        assert again.inputs[0].name == model.inputs[0].name
        assert [n for n, _ in again.named_outputs()] == [n for n, _ in model.named_outputs()]


@pytest.mark.parametrize("what", ["an escape sequence", "half a character", "a keyword", "nothing"])
def test_names_in_programs(what: str, tmp_path: Path) -> None:
    """PyTorch names inputs as Python does; what is written is read again."""
    pytest.importorskip("torch")
    model = named(TEXTS[what])
    nnadapter.convert(model, tmp_path / "m.pt2", verify=False)
    assert len(nnadapter.load(tmp_path / "m.pt2").inputs) == len(model.inputs)


@pytest.mark.parametrize("what", TEXTS)
def test_names_in_openvino(what: str, tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino")
    model = named(TEXTS[what])
    nnadapter.convert(model, tmp_path / "m.xml", verify=False)
    again = openvino.Core().read_model(tmp_path / "m.xml")
    if TEXTS[what]:
        assert again.inputs[0].get_names() == {model.inputs[0].name}
    assert [o.get_names() for o in again.outputs] == [{n} for n, _ in model.named_outputs()]
