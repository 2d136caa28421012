"""The Python face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import nnadapter as nna
from nnir.errors import BadFile, BadInput, Unsupported


def test_path_bytes_and_object_give_the_same(mlp: onnx.ModelProto, saved: Path) -> None:
    texts = {str(nna.load(s)) for s in (mlp, saved, str(saved), saved.read_bytes())}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("m.h5", b"\x89HDF\r\n\x1a\n" + bytes(90), "write a SavedModel with model.export"),
        ("m.safetensors", len(b"{}").to_bytes(8, "little") + b'{"a":1}', "weights without a graph"),
        ("m.gguf", b"GGUF" + bytes(90), "weights without a graph"),
        ("m.ort", bytes(4) + b"ORTM" + bytes(90), "convert the .onnx file"),
        ("m.engine", b"ftrt" + bytes(90), "a model of TensorRT"),
        ("m.xml", b'<?xml version="1.0"?><net name="m" version="11"/>', "is written and not read"),
        ("m.pdiparams", bytes(range(90)), r"the program beside them, \.json or \.pdmodel"),
        ("m.bin", b"", "the file is empty"),
        ("m.bin", bytes(range(255, 0, -1)), "installed are nnapi, nnrt, onnx"),
    ],
)
def test_what_is_no_model_is_named(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadFile, match=f"{name}: no frontend recognises it.*{said}"):
        nna.load(tmp_path / name)


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="a folder is read where it is a SavedModel"):
        nna.load(tmp_path)


@pytest.mark.parametrize("inputs", [np.ones((1, 4), np.float32), "x", {"x": 1}])
def test_inputs_are_several(inputs: object, saved: Path) -> None:
    with pytest.raises(BadInput, match=r"inputs of type \w+; a list or tuple is accepted"):
        nna.load(saved, inputs=inputs)


def test_the_suffix_does_not_matter(saved: Path, tmp_path: Path) -> None:
    other = saved.rename(tmp_path / "model.bin")
    assert len(nna.load(other).operations) == 4


def test_weights_are_views_into_the_file(saved: Path) -> None:
    for value in nna.load(saved).values():
        if value.constant is not None and value.constant.ndim == 2:
            assert not value.constant.flags.owndata
            assert not value.constant.flags.writeable


def test_save_writes_only_archives(mlp: onnx.ModelProto, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="use convert"):
        nna.save(nna.load(mlp), tmp_path / "m.onnx")


def test_an_unknown_format(mlp: onnx.ModelProto, tmp_path: Path) -> None:
    with pytest.raises(
        Unsupported,
        match=r"no format has the suffix '\.xyz'; known are \.nnapi, \.nnir, \.nnrt, \.onnx",
    ):
        nna.convert(mlp, tmp_path / "m.xyz")


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
def test_verify_agrees(saved: Path, device: str) -> None:
    report = nna.verify(saved, device)
    assert report
    assert report.origin == "onnxruntime"
    assert [row.output for row in report.rows] == ["y"]


def test_verify_sees_a_wrong_model(mlp: onnx.ModelProto, saved: Path) -> None:
    from conformance.verifying.verify import verify

    model = nna.load(mlp)
    weight = model.operations[0].inputs[1]
    weight.constant = weight.constant + np.float32(0.01)
    report = verify(saved, model, "builtin")
    assert not report
    assert "elements differ, worst at" in report.rows[0].problem


def test_optimize_says_what_it_did(mlp: onnx.ModelProto) -> None:
    model = nna.load(mlp)
    assert nna.optimize(model) == ["fuse_dense", "fuse_activation"]
    assert [o.operator.name for o in model.sorted()] == ["FULLY_CONNECTED", "MAT_MUL"]


def test_a_third_party_object(tmp_path: Path) -> None:
    with pytest.raises(nna.NNAdapterError, match="no frontend recognises it"):
        nna.load(object())


def test_tables() -> None:
    assert {"builtin", "onnxruntime"} <= set(nna.devices())
    assert nna.ops()["CONV_2D"].code == 14


def test_how_to_load_is_refused_for_a_model(saved: Path, tmp_path: Path) -> None:
    model = nna.load(saved)
    for options in ({"trust": True}, {"input_layout": "NHWC"}, {"signature": "s", "tags": ["t"]}):
        text = f"{', '.join(options)}: not for a model that is loaded already"
        with pytest.raises(BadInput, match=text):
            nna.inspect(model, **options)
        with pytest.raises(BadInput, match=text):
            nna.check(model, tmp_path / "m.nnir", **options)
        with pytest.raises(BadInput, match=text):
            nna.convert(model, tmp_path / "m.nnir", **options)
    assert not (tmp_path / "m.nnir").exists()
    assert nna.inspect(model, trust=False, inputs=None) == nna.inspect(model)
    with pytest.raises(BadInput, match="no input has the rank of NCHW"):
        nna.check(saved, tmp_path / "m.nnir", input_layout="NCHW")  # a file is loaded so
