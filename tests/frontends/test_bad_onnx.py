"""Damaged, hostile and impossible ONNX files: the right error, one line, nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import nnadapter as nna
from hal.drivers.onnxruntime import proto
from nnir.errors import BadFile, BadModel, BadType, NNAdapterError, Unsupported, summary

from ..conftest import info, model_of, tensor

MICROSOFT = "com.microsoft"


def with_external(location: str, offset: str = "0", length: str = "16") -> onnx.ModelProto:
    """y = x + w with w in an external file."""
    weight = tensor("w", np.arange(4, dtype=np.float32))
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": offset, "length": length}.items():
        weight.external_data.add(key=key, value=value)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return model_of(nodes, [info("x", [4])], [info("y", [4])], [weight])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "model"
    inside.mkdir()
    (inside / "weights.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (tmp_path / "secret.bin").write_bytes(b"x" * 64)
    (inside / "link.bin").symlink_to(tmp_path / "secret.bin")
    return inside


def load_saved(folder: Path, model: onnx.ModelProto) -> nna.Model:
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return nna.load(path)


def test_external_data_is_read(folder: Path) -> None:
    program = nna.compile(load_saved(folder, with_external("weights.bin")))
    np.testing.assert_array_equal(program(np.ones(4, np.float32))[0], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("location", "offset", "length", "text"),
    [
        ("../secret.bin", "0", "16", "outside the model's folder"),
        ("/etc/passwd", "0", "16", "outside the model's folder"),
        ("link.bin", "0", "16", "outside the model's folder"),
        ("sub/../../secret.bin", "0", "16", "outside the model's folder"),
        ("nothing.bin", "0", "16", "missing"),
        ("weights.bin", "8", "16", "16 bytes"),
        ("weights.bin", "0", "8", "take 16 bytes"),
        ("weights.bin", "-4", "16", "not a number"),
        ("", "0", "16", "missing"),
    ],
)
def test_external_data_stays_in_the_folder(
    folder: Path, location: str, offset: str, length: str, text: str
) -> None:
    with pytest.raises(BadFile, match=text):
        load_saved(folder, with_external(location, offset, length))


def test_external_data_needs_a_folder() -> None:
    with pytest.raises(BadFile, match="read from its path"):
        nna.load(with_external("weights.bin").SerializeToString())


def test_a_cycle() -> None:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
    ]
    with pytest.raises(BadModel, match="cycle through"):
        nna.load(model_of(nodes, [info("x", [2])], [info("b", [2])]))


def test_unordered_nodes_are_put_in_order() -> None:
    nodes = [helper.make_node("Relu", ["a"], ["y"]), helper.make_node("Neg", ["x"], ["a"])]
    model = nna.load(model_of(nodes, [info("x", [2])], [info("y", [2])]))
    assert [o.operator.name for o in model.operations] == ["NEG", "RELU"]


def test_a_missing_initializer() -> None:
    nodes = [helper.make_node("Add", ["x", "w"], ["y"], name="sum")]
    with pytest.raises(BadModel, match=r"nothing produces 'w', which Add 'sum' reads"):
        nna.load(model_of(nodes, [info("x", [2])], [info("y", [2])]))


def test_a_missing_output() -> None:
    with pytest.raises(BadModel, match="nothing produces 'y'"):
        nna.load(
            model_of([helper.make_node("Relu", ["x"], ["z"])], [info("x", [2])], [info("y", [2])])
        )


def test_two_producers() -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y"])]
    with pytest.raises(BadModel, match="'y' is defined twice"):
        nna.load(model_of(nodes, [info("x", [2])], [info("y", [2])]))


def test_one_unknown_operator() -> None:
    nodes = [helper.make_node("Frobnicate", ["x"], ["y"])]
    with pytest.raises(Unsupported, match=r"no converter for Frobnicate \(x1\); `nnadapter ops"):
        nna.load(model_of(nodes, [info("x", [2])], [info("y", [2])]))


def test_ten_unknown_operators_at_once() -> None:
    nodes = [
        helper.make_node(f"Unknown{k}", [f"v{i}"], [f"v{i + 1}"], domain="custom")
        for i, k in enumerate([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0])
    ]
    with pytest.raises(Unsupported) as caught:
        nna.load(model_of(nodes, [info("v0", [2])], [info("v12", [2])]))
    text = str(caught.value)
    assert all(f"custom::Unknown{k} (x{3 if k == 0 else 1})" in text for k in range(10))


def test_unknown_operators_of_onnx_runtime() -> None:
    sizes = {"activation": 0, "groups": 1}
    nodes = [
        helper.make_node("GroupNorm", [f"v{k}"] * 3, [f"v{k + 1}"], domain=MICROSOFT, **sizes)
        for k in range(2)
    ]
    with pytest.raises(Unsupported, match=r"no converter for com\.microsoft::GroupNorm \(x2\)"):
        nna.load(model_of(nodes, [info("v0", [2])], [info("v2", [2])]))


def test_compiled_parts_say_what_to_convert() -> None:
    given = {"ep_cache_context": b"\xff\xfe\x00", "embed_mode": 1, "source": "QNN"}
    node = helper.make_node("EPContext", ["x"], ["y"], domain=MICROSOFT, **given)
    model = model_of([node], [info("x", [2])], [info("y", [2])])
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    with pytest.raises(Unsupported, match=r"EPContext of QNN: .* the file from before that"):
        nna.load(model)


@pytest.mark.parametrize("domain", ["com.microsoft.nchwc", "com.ms.internal.nhwc"])
def test_what_is_laid_out_for_one_processor_says_what_to_save(domain: str) -> None:
    model = model_of(
        [helper.make_node("Conv", ["x"], ["y"], domain=domain)],
        [info("x", [2])],
        [info("y", [2])],
    )
    model.opset_import.append(helper.make_opsetid(domain, 1))
    with pytest.raises(Unsupported, match=rf"{domain}::Conv .*=ORT_ENABLE_EXTENDED"):
        nna.load(model)


def test_every_bad_node_is_listed() -> None:
    nodes = [
        helper.make_node("Add", ["x", "i"], ["a"], name="mixed"),
        helper.make_node("Conv", ["x", "x"], ["b"], name="flat"),
        helper.make_node("Relu", ["a"], ["c"], name="after"),
    ]
    model = model_of(nodes, [info("x", [2]), info("i", [2], TensorProto.INT64)], [info("c", [2])])
    with pytest.raises(NNAdapterError) as caught:
        nna.load(model)
    assert "2 nodes cannot be converted" in str(caught.value)
    assert "Add 'mixed'" in str(caught.value)


def test_an_error_names_the_node() -> None:
    nodes = [helper.make_node("Add", ["x", "i"], ["y"], name="mixed")]
    model = model_of(nodes, [info("x", [2]), info("i", [2], TensorProto.INT64)], [info("y", [2])])
    with pytest.raises(BadType) as caught:
        nna.load(model)
    assert "in onnx node Add 'mixed'" in summary(caught.value)
    assert "\n" not in summary(caught.value)


def test_an_unknown_attribute() -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"], slope=2.0)]
    with pytest.raises(Unsupported, match=r"Relu with attribute slope=2\.0"):
        nna.load(model_of(nodes, [info("x", [2])], [info("y", [2])]))


@pytest.mark.parametrize("kind", [onnx.AttributeProto.TENSOR, onnx.AttributeProto.TYPE_PROTO])
def test_an_attribute_without_what_its_type_says(kind: int) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    node.attribute.append(onnx.AttributeProto(name="slope", type=kind))
    with pytest.raises(Unsupported, match=f"ONNX attribute 'slope' of type {kind}"):
        nna.load(model_of([node], [info("x", [2])], [info("y", [2])]))


def test_a_function_that_calls_itself() -> None:
    function = helper.make_function(
        "local", "Again", ["x"], ["y"], [helper.make_node("Again", ["x"], ["y"], domain="local")],
        [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)],
    )  # fmt: skip
    model = model_of(
        [helper.make_node("Again", ["x"], ["y"], domain="local")],
        [info("x", [2])],
        [info("y", [2])],
    )
    model.functions.append(function)
    with pytest.raises(BadModel, match="calls itself"):
        nna.load(model)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x08",
        b"\x08\x0a\x12",
        b"hello world",
        b"PK\x03\x04",
        b"\x08\x07\x3a\xff\xff\xff\xff\x0f",
    ],
)
def test_not_a_model(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(BadFile):
        nna.load(data)
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(BadFile):
        nna.load(path)


def test_no_such_file() -> None:
    with pytest.raises(BadFile, match="no such file"):
        nna.load("/nowhere/model.onnx")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(BadFile):
        nna.load(tmp_path)


def test_a_tensor_with_too_little_data() -> None:
    weight = tensor("w", np.arange(4, dtype=np.float32))
    weight.dims[0] = 1 << 40
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    with pytest.raises(BadFile, match="take 4398046511104 bytes, the file has 16"):
        nna.load(model_of(nodes, [info("x", [4])], [info("y", [4])], [weight]))


def test_deeply_nested_graphs() -> None:
    node = proto.node("Neg", ["x"], ["y"], "", "", {})
    for _ in range(3000):
        graph = proto.Graph(proto.graph("", [node], [], [], []))
        node = proto.node("If", ["c"], ["y"], "", "", {"g": graph})
    whole = proto.graph("", [node], [], [], [])
    with pytest.raises(BadFile, match="graphs in graphs"):
        nna.load(proto.model_head(len(whole), 21, 10) + whole)
