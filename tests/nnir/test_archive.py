"""The `.nnir` file: everything comes back, the same bytes, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import safetensors.numpy

import nnadapter as nna
from nnir import archive
from nnir.errors import BadFile
from nnir.model import Model
from nnir.ops import activation, binary, unary
from nnir.types import DTYPES, Layout, Precision, Quantization, TensorType


def roundtrip(model: Model, folder: Path) -> Model:
    archive.save(model, folder / "m.nnir")
    return archive.load(folder / "m.nnir")


@pytest.mark.parametrize("name", ["mlp", "cnn", "loop"])
def test_a_model_comes_back(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    model = nna.load(request.getfixturevalue(name))
    again = roundtrip(model, tmp_path)
    assert str(again) == str(model)
    assert again.named_outputs()[0][0] == model.named_outputs()[0][0]


@pytest.mark.parametrize("precision", [p for p in Precision if not p.is_quantized])
def test_every_precision_comes_back(precision: Precision, tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(precision, (3,)))
    data = np.array([0, 1, 1], DTYPES[precision])
    model.outputs = [unary.assign(x), unary.assign(model.constant(data))]
    (again,) = [v for v in roundtrip(model, tmp_path).values() if v.constant is not None]
    assert again.constant.dtype == data.dtype
    assert again.constant.tobytes() == data.tobytes()


def test_layout_and_quantisation_come_back(tmp_path: Path) -> None:
    model = Model()
    quantization = Quantization((0.5, 0.25), (0, 0), 1)
    kind = TensorType(
        Precision.QUANT_INT8_SYMM_PER_CHANNEL, (2, 2), layout=Layout.NHWC, quantization=quantization
    )
    model.outputs = [unary.assign(model.input("x", kind))]
    assert roundtrip(model, tmp_path).inputs[0].type == kind


def test_non_finite_attributes_come_back(tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [activation.leaky_relu(x, alpha=float("-inf"))]
    assert roundtrip(model, tmp_path).operations[0].attributes["alpha"] == float("-inf")


def test_equal_models_give_equal_bytes(cnn: onnx.ModelProto, tmp_path: Path) -> None:
    for name in ("a", "b"):
        nna.save(nna.load(cnn), tmp_path / f"{name}.nnir")
    nna.save(nna.load(tmp_path / "a.nnir"), tmp_path / "c.nnir")
    first = (tmp_path / "a.nnir").read_bytes()
    assert first == (tmp_path / "b.nnir").read_bytes() == (tmp_path / "c.nnir").read_bytes()


def test_it_is_a_safetensors_file(mlp: onnx.ModelProto, tmp_path: Path) -> None:
    nna.save(nna.load(mlp), tmp_path / "m.nnir")
    weights = safetensors.numpy.load_file(tmp_path / "m.nnir")
    assert sorted(w.shape for n, w in weights.items() if n.startswith("w")) == [
        (4, 8),
        (8,),
        (8, 3),
    ]


def test_weights_are_aligned_views(mlp: onnx.ModelProto, tmp_path: Path) -> None:
    nna.save(nna.load(mlp), tmp_path / "m.nnir")
    for value in nna.load(tmp_path / "m.nnir").values():
        if value.constant is not None:
            assert not value.constant.flags.owndata
            assert not value.constant.flags.writeable
            assert value.constant.__array_interface__["data"][0] % 64 == 0


def test_shared_weights_are_stored_once(tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1000,)))
    data = np.ones(1000, np.float32)
    model.outputs = [binary.add(binary.add(x, model.constant(data)), model.constant(data))]
    archive.save(model, tmp_path / "m.nnir")
    assert (tmp_path / "m.nnir").stat().st_size < 8000


def test_a_failed_save_leaves_the_old_file(mlp: onnx.ModelProto, tmp_path: Path) -> None:
    path = tmp_path / "m.nnir"
    path.write_bytes(b"old")
    model = nna.load(mlp)
    model.operations[0].attributes["transpose_x"] = object()
    with pytest.raises(nna.NNAdapterError, match="cannot be saved"):
        nna.save(model, path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.nnir"]
    assert path.read_bytes() == b"old"


def edited(path: Path, change: object) -> bytes:
    """The file with its graph changed."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    graph = json.loads(entries["__metadata__"]["nnir"])
    change(graph, entries)  # type: ignore[operator]
    entries["__metadata__"]["nnir"] = json.dumps(graph)
    header = json.dumps(entries, separators=(",", ":")).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def set_in(graph_key: str, value: object) -> object:
    return lambda graph, entries: graph.__setitem__(graph_key, value)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (set_in("format", 99), "newer than this program"),
        (set_in("operations", [["NOPE", [], {}, [], None]]), "operator 'NOPE' does not exist"),
        (set_in("inputs", [-1]), "value number -1"),
        (set_in("inputs", [10**9]), "IndexError"),
        (set_in("outputs", "x"), "value number 'x'"),
        (set_in("values", [[None, ["FLOAT32", ["__import__('os')"]], None]]), "not a dimension"),
        (set_in("values", [[None, ["FLOAT99", []], None]]), "KeyError"),
        (lambda g, e: e["w0"].__setitem__("data_offsets", [0, 1 << 60]), "lies at"),
        (lambda g, e: e["w0"].__setitem__("data_offsets", [-64, 64]), "lies at"),
        (lambda g, e: g["weights"].__setitem__(0, ["FLOAT32", [1 << 40]]), "lies at"),
        (lambda g, e: g["operations"][0][2].__setitem__("extra", 1), "no attribute 'extra'"),
        (lambda g, e: g["operations"].append(g["operations"][0]), "sources"),
    ],
)
def test_hostile_edits_are_refused(
    change: object, text: str, mlp: onnx.ModelProto, tmp_path: Path
) -> None:
    nna.save(nna.load(mlp), tmp_path / "m.nnir")
    (tmp_path / "bad.nnir").write_bytes(edited(tmp_path / "m.nnir", change))
    with pytest.raises(BadFile, match=text):
        nna.load(tmp_path / "bad.nnir")
