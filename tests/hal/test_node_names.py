"""Nodes of engines and files are called as the operations that they are made for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest

import nnadapter as nna
from nnir.model import Model
from nnir.ops import activation, binary
from nnir.types import Precision, TensorType


@pytest.fixture
def model() -> Model:
    """Three operations, of which one is decomposed on most devices and one is called as the end."""
    made = Model("named")
    x = made.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    made.origin = "block/soft"
    soft = activation.softplus(x)
    made.origin = "block/celu"
    shrunk = activation.celu(soft, alpha=0.7)
    made.origin = "y"
    made.outputs = [binary.max_(shrunk, x)]
    made.output_names = ["y"]
    return made


@pytest.mark.parametrize("device", ["onnxruntime", "openvino", "litert", "torch", "builtin"])
def test_a_profile_names_operations(model: Model, device: str) -> None:
    program = nna.compile(model, device, profile=True)
    program(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
    stems = {re.match(r"block/\w+|y\b|", row.name)[0] for row in program.profile.rows}  # type: ignore[index]
    assert stems & {"block/soft", "block/celu"}
    assert len({row.name for row in program.profile.rows}) == len(program.profile.rows)


def test_a_file_names_operations_and_keeps_its_ends(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "named.onnx"
    nna.convert(model, path)
    graph = onnx.load(path).graph
    assert [v.name for v in graph.output] == ["y"]
    assert [v.name for v in graph.input] == ["x"]
    names = [n.name for n in graph.node]
    assert len(set(names)) == len(names)
    assert names[0] == "block/soft"
    assert all(n.startswith(("block/soft", "block/celu", "y")) for n in names)
