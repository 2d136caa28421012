"""Will it run? What `check` lists, where it lies, and that what it says would help does help."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import nnadapter as nna
from hal.device import Device
from hal.drivers.litert.driver import LiteRT
from nnadapter.batching.converting import convert_one
from nnadapter.batching.records import Record
from nnadapter.cli import main
from nnadapter.readiness.report import Answer, Node
from nnadapter.terminal import options_of
from nnir.errors import BadFile, Unsupported
from nnir.model import Model
from nnir.ops import binary, control
from nnir.types import Precision, TensorType

SUFFIXES = (".onnx", ".tflite", ".xml", ".nnir")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def write(path: Path, nodes: list[Any], shape: list[Any], out: list[Any], kind: int = 1) -> Path:
    """An ONNX file of one input x and one output y."""
    ends = [helper.make_tensor_value_info("x", kind, shape)]
    ends += [helper.make_tensor_value_info("y", kind, out)]
    weights = [numpy_helper.from_array(np.array([1, 8]), "s")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), path)
    return path


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A determinant in FLOAT64, two Gelus and a sum."""
    nodes = [
        helper.make_node("Det", ["x"], ["d"], name="det"),
        helper.make_node("Gelu", ["d"], ["e"], name="first"),
        helper.make_node("Gelu", ["e"], ["f"], name="second"),
        helper.make_node("Add", ["f", "f"], ["y"], name="plus"),
    ]
    return write(tmp_path / "wide.onnx", nodes, ["n", 3, 3], ["n"], 11)


def ask(source: Any, *arguments: object) -> Any:
    """What the command prints as JSON."""
    done = call("check", source, *arguments, "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == (0 if all(a["yes"] for a in data["answers"]) else 1)
    return data


def test_everything_that_is_missing_with_nodes_and_counts(wide: Path, tmp_path: Path) -> None:
    (answer,) = ask(wide, "--target", tmp_path / "m.tflite")["answers"]
    rows = {row["source"]: row for row in answer["missing"]}
    assert set(rows) == {"Det", "Gelu", "Add"}
    assert rows["Gelu"]["count"] == 2
    assert [n["name"] for n in rows["Gelu"]["nodes"]] == ["first", "second"]
    assert rows["Det"]["operator"] == "DETERMINANT"
    assert len(rows["Det"]["why"]) > 1  # it is written in others, each of which is missing
    assert {row["precision"] for row in rows.values()} == {"FLOAT64"}


def test_attributes_are_told(tmp_path: Path) -> None:
    node = helper.make_node("CumSum", ["x", "a"], ["y"], name="sums", exclusive=1)
    path = write(tmp_path / "m.onnx", [node], [2, 3], [2, 3], 11)
    model = onnx.load(path)
    model.graph.initializer.append(numpy_helper.from_array(np.array(1), "a"))
    onnx.save(model, path)
    (row,) = ask(path, "--target", tmp_path / "m.tflite")["answers"][0]["missing"]
    assert (row["operator"], row["attributes"]) == ("CUM_SUM", "exclusive=True")


@pytest.mark.parametrize("suffix", [".tflite", ".onnx", ".xml"])
def test_what_helps_does_help(wide: Path, suffix: str, tmp_path: Path) -> None:
    (answer,) = ask(wide, "--target", tmp_path / f"m{suffix}")["answers"]
    assert answer["cures"]
    for cure in answer["cures"]:
        program, *arguments = shlex.split(cure["command"])
        assert program == "nnadapter"
        done = call(*(str(wide) if a == "FILE" else a for a in arguments), "--no-verify")
        assert done.exit_code == 0, done.stderr
        assert Path(arguments[2]).exists()


def test_what_helps_is_a_line_for_a_shell(tmp_path: Path) -> None:
    node = helper.make_node("Gelu", ["x"], ["y"], name="gelu")
    path = write(tmp_path / "my model.onnx", [node], [1, 2, 3, 3], [1, 2, 3, 3], kind=11)
    layouts = ("--input-layout", "x=NHWC", "--output-layout", "NHWC")
    done = call("check", path, *layouts, "--device", "onnxruntime")
    lines = [shlex.split(line, comments=True) for line in done.stdout.splitlines() if "#" in line]
    words = ["nnadapter", "run", str(path), *layouts, "--device", "onnxruntime,builtin"]
    assert words in lines
    for _, *arguments in lines:
        assert call(*arguments).exit_code == 0


def test_how_a_file_is_read_is_said_in_options() -> None:
    how = {"signature": "f", "tags": ("a", "b"), "inputs": ("x:0",), "qdq": True}
    words = [
        "--signature",
        "f",
        "--tag",
        "a",
        "--tag",
        "b",
        "--graph-input",
        "x:0",
        "--qdq",
    ]
    assert options_of(how) == words
    assert options_of({}) == []


def test_open_sizes_are_fixed_where_that_helps(tmp_path: Path) -> None:
    path = write(tmp_path / "m.onnx", [helper.make_node("Unique", ["x"], ["y"])], ["n"], ["u"])
    (answer,) = ask(path, "--target", tmp_path / "m.tflite")["answers"]
    assert not any("--dim" in c["command"] for c in answer["cures"])  # it does not help here
    path = write(
        tmp_path / "d.onnx", [helper.make_node("Det", ["x"], ["y"])], ["b", "n", "n"], ["b"]
    )
    (answer,) = ask(path, "--target", tmp_path / "d.tflite")["answers"]
    cure = answer["cures"][0]["command"]
    assert cure == f"nnadapter convert FILE {tmp_path / 'd.tflite'} --dim n=8"
    assert call("convert", path, tmp_path / "d.tflite", "--dim", "n=8").exit_code == 0


def test_an_operator_set_that_lacks_something(tmp_path: Path) -> None:
    node = helper.make_node("Gelu", ["x"], ["y"], name="gelu")
    path = write(tmp_path / "m.onnx", [node], [3], [3])
    low = helper.make_node("Cast", ["x"], ["h"], to=TensorProto.FLOAT8E4M3FN, name="low")
    high = helper.make_node("Cast", ["h"], ["y"], to=TensorProto.FLOAT, name="high")
    path = write(tmp_path / "w.onnx", [low, high], [9], [9])
    target = tmp_path / "old.onnx"
    (answer,) = ask(path, "--target", target, "--target-opset", "13")["answers"]
    assert not answer["yes"]
    (cure, *_) = answer["cures"]
    assert cure["command"] == f"nnadapter convert FILE {target}"
    assert ask(path, "--target", target, "--target-opset", "19")["answers"][0]["yes"]


def test_sizes_that_become_constant(tmp_path: Path) -> None:
    node = helper.make_node("Reshape", ["x", "s"], ["y"], name="flat")
    path = write(tmp_path / "m.onnx", [node], ["n", 4], ["n", "k"])
    for suffix in SUFFIXES:
        (answer,) = ask(path, "--target", tmp_path / f"t{suffix}")["answers"]
        assert answer["yes"]
        found = {(f["end"], f["axis"], f["size"]): f["because"] for f in answer["fixed"]}
        assert (
            found[("output y", 0, 1)] == "RESHAPE 'flat' makes it 1, whatever the source declares"
        )
    (answer,) = ask(path, "--target", tmp_path / "t.tflite", "--dim", "n=2")["answers"]
    assert ("input x", "--dim n=2 gives it") in {(f["end"], f["because"]) for f in answer["fixed"]}


def test_convert_says_which_sizes_became_constant(tmp_path: Path) -> None:
    node = helper.make_node("Reshape", ["x", "s"], ["y"], name="flat")
    path, target = write(tmp_path / "m.onnx", [node], ["n", 4], ["n", "k"]), tmp_path / "t.nnir"
    line = "output y, axis 0: n became constant here, 1, because RESHAPE 'flat' makes it 1"
    assert line in call("convert", path, target, "--no-verify").stderr
    done = call("convert", path, target, "--no-verify", "--shape", "x=2,4", "--json")
    rows = {(f["end"], f["axis"], f["source"], f["size"]) for f in json.loads(done.stdout)["fixed"]}
    assert {("input x", 0, "n", 2), ("output y", 1, "k", 8)} <= rows
    assert "n became constant here, 2, because it was given before the translation" in done.stderr
    record = convert_one(path, tmp_path / "one.nnir", {"verify": False})
    assert any(line in text for text in record.fixed)
    assert Record.of(json.loads(json.dumps(record.as_dict()))) == record


CACHED = """
<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
g (float[B, 1, 64] q, float[B, 1, 32] k, float[B, 1, 32] v, float[B, 2, P, W] keys,
   float[B, 2, P, W] values, int32[B] last, int32 total)
=> (float[B, 1, 64] y, float[B, 2, T, W] held, float[B, 2, T, W] held_too) {
  y, held, held_too = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2>
    (q, k, v, keys, values, last, total)
}"""


def test_the_width_of_caches_is_that_of_heads(tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(CACHED), tmp_path / "m.onnx")
    (answer,) = ask(tmp_path / "m.onnx", "--target", tmp_path / "t.nnir")["answers"]
    rows = {(f["end"], f["axis"], f["source"], f["size"], f["because"]) for f in answer["fixed"]}
    why = "GroupQueryAttention has heads of this width"
    assert {("input keys", 3, "W", 16, why), ("output held", 3, "W", 16, why)} <= rows
    model = nna.load(tmp_path / "m.onnx")
    assert "W" not in model.symbols
    assert str(model.inputs[3].type) == "float32[B, 2, P, 16]"


def test_what_has_no_converter_is_listed_by_node(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Foo", ["x"], ["a"], name="one"),
        helper.make_node("Foo", ["a"], ["b"], name="two"),
        helper.make_node("Relu", ["b"], ["y"]),
        helper.make_node("Gelu", ["x"], ["z"], name="three", approximate="of course"),
    ]
    path = write(tmp_path / "m.onnx", nodes, [3], [3])
    data = ask(path, "--target", tmp_path / "m.tflite", "--device", "litert")
    assert data["valid"] is False
    for answer in data["answers"]:
        row, other = answer["missing"]
        assert (row["source"], row["count"]) == ("Foo", 2)
        assert [n["name"] for n in row["nodes"]] == ["one", "two"]
        assert (other["source"], other["attributes"]) == ("Gelu", "approximate='of course'")
        assert other["precision"] == "FLOAT32"
    with pytest.raises(Unsupported, match=r"no converter for Foo \(x2\)") as raised:
        nna.check(path)
    assert [r.node for r in raised.value.refusals] == ["one", "two", "three"]


class Inner(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.det(x.double())


class Outer(nn.Module):
    """A determinant in FLOAT64 in the module `parts.0`."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Sequential(Inner())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.parts(x).float()


@pytest.mark.parametrize("kind", ["object", "file"])
def test_modules_and_lines_of_pytorch(kind: str, tmp_path: Path) -> None:
    program = torch.export.export(Outer(), (torch.ones(2, 3, 3),))
    source: Any = program
    if kind == "file":
        source = tmp_path / "m.pt2"
        torch.export.save(program, source)
    (answer,) = nna.check(source, tmp_path / "m.tflite").answers
    (row,) = answer.missing
    (node,) = row.nodes
    assert (row.source, node.module) == ("aten.linalg_det.default", "parts.0")
    assert node.line.rpartition(":")[0].endswith("test_readiness.py")


def test_metadata_of_onnx_nodes(tmp_path: Path) -> None:
    node = helper.make_node("Det", ["x"], ["y"], name="node_Det_1")
    told = {
        "pkg.torch.onnx.name_scopes": "['', 'encoder', 'encoder.layer', 'linalg_det']",
        "pkg.torch.onnx.stack_trace": 'File "/a/model.py", line 7, in forward\n'
        '  File "/a/site-packages/torch/x.py", line 9, in det',
    }
    for key, value in told.items():
        node.metadata_props.add(key=key, value=value)
    path = write(tmp_path / "m.onnx", [node], [2, 2], [], 11)
    (answer,) = nna.check(path, tmp_path / "m.tflite").answers
    assert answer.missing[0].nodes == (Node("node_Det_1", "encoder.layer", "/a/model.py:7"),)


def test_what_falls_to_which_device(wide: Path) -> None:
    (answer,) = ask(wide, "--device", "onnxruntime,builtin")["answers"]
    assert answer["yes"]
    assert [p["device"] for p in answer["parts"]] == ["onnxruntime", "builtin", "onnxruntime"]
    assert [p["nodes"] for p in answer["parts"]] == [["det"], ["first", "second"], ["plus"]]
    assert [p["operations"] for p in answer["parts"]] == [1, 2, 1]
    program = nna.compile(nna.load(wide), "onnxruntime,builtin")
    assert program.devices == [p["device"] for p in answer["parts"]]
    copies = [(c["value"], c["type"], c["source"], c["target"]) for c in answer["copies"]]
    assert copies == [
        ("d", "float64[n]", "onnxruntime", "builtin"),
        ("f", "float64[n]", "builtin", "onnxruntime"),
    ]


def test_a_device_that_runs_not_all(wide: Path) -> None:
    (answer,) = ask(wide, "--device", "onnxruntime")["answers"]
    (row,) = answer["missing"]
    assert (row["operator"], row["count"]) == ("GELU", 2)
    commands = [c["command"] for c in answer["cures"]]
    assert "nnadapter run FILE --device onnxruntime,builtin" in commands
    for command in commands:
        _, *arguments = shlex.split(command)
        done = call(*(str(wide) if a == "FILE" else a for a in arguments))
        assert done.exit_code == 0, done.stderr


def test_what_is_refused_once_sizes_are_known(wide: Path) -> None:
    found = nna.check(wide, device="litert")
    (answer,) = found.answers
    assert found  # as `compile`, which looks when sizes are known
    assert {row.operator for row in answer.doubts} == {"DETERMINANT", "GELU", "ADD"}
    assert answer.cures
    done = call("check", wide, "--device", "litert")
    assert done.exit_code == 0
    told = "litert: yes, it can be compiled, but part of it is likely to be refused once sizes are"
    assert told in done.stdout


def test_sizes_that_are_given_make_it_exact(wide: Path) -> None:
    (answer,) = nna.check(wide, device="litert", sizes={"n": 2}).answers
    assert not answer
    assert {row.operator for row in answer.missing} == {"DETERMINANT", "GELU", "ADD"}
    assert not answer.doubts
    commands = [cure.command for cure in answer.cures]
    assert "nnadapter run FILE --device litert,builtin --dim n=2" in commands
    for command in commands:
        _, *arguments = shlex.split(command)
        assert call(*(str(wide) if a == "FILE" else a for a in arguments)).exit_code == 0
    done = call("check", wide, "--device", "litert,builtin", "--dim", "n=2")
    assert done.exit_code == 0, done.stdout
    done = call("check", wide, "--device", "builtin", "--dim", "m=2")
    assert done.exit_code == 1
    assert "no dimension m; there are n" in done.stdout
    assert call("check", wide, "--dim", "n=2").exit_code == 2


def test_what_a_sub_model_lacks_is_listed_once(tmp_path: Path) -> None:
    model = Model("branches")
    x = model.input("x", TensorType(Precision.FLOAT64, (3,)))
    flag = model.input("flag", TensorType(Precision.BOOL8, ()))
    branches = []
    for operation in (binary.add, binary.mul):
        inner = Model("branch", model)
        y = inner.input("y", x.type)
        inner.outputs = [operation(y, y)]
        branches.append(inner)
    model.outputs = list(control.if_(flag, x, then_model=branches[0], else_model=branches[1]))
    (answer,) = nna.check(model, tmp_path / "m.tflite").answers
    assert [(row.operator, row.count) for row in answer.missing] == [("ADD", 1), ("MUL", 1)]


class Foreign(LiteRT):
    """A device of another package, which only writes."""

    name = "foreign"
    formats = (".foreign",)
    prepare_export = Device.prepare_export

    def export(self, model: Model, path: Path, *, opset: int | None = None) -> None:
        if len(model.operations) > 1:
            raise Unsupported("one operation at most")
        path.write_text(model.name)


def test_a_device_that_only_writes(
    wide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hal.runtime.manager.classes", lambda: {"foreign": Foreign})
    one = write(tmp_path / "one.onnx", [helper.make_node("Relu", ["x"], ["y"])], [3], [3])
    target = tmp_path / "m.foreign"
    assert nna.check(one, target)
    assert "one operation at most" in nna.check(wide, target).answers[0].error
    assert not target.exists()
    nna.convert(one, target, verify=False)
    assert target.exists()


def test_targets_that_cannot_be_written(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "taken.onnx").write_text("what somebody wrote")
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    for name, text in {
        saved.name: "the source is read from it",
        "taken.onnx": "no .onnx file; remove it",
        "no/m.onnx": "No such file or directory",
        "m.caffe": "no format has the suffix '.caffe'",
    }.items():
        (answer,) = nna.check(saved, tmp_path / name).answers
        assert text in answer.error
        done = call("convert", saved, tmp_path / name, "--no-verify")
        assert done.exit_code == 1
        assert text in done.stderr
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_status_and_words(wide: Path, saved: Path, tmp_path: Path) -> None:
    done = call("check", saved, "--target", tmp_path / "m.tflite", "--target", tmp_path / "m.xml")
    assert done.exit_code == 0
    assert "m.tflite: yes, it can be written" in done.stdout
    done = call("check", wide, "--target", tmp_path / "m.tflite", "--device", "openvino")
    assert done.exit_code == 1
    for text in ("m.tflite: no, it cannot be written", "DETERMINANT of Det", "first; second"):
        assert text in done.stdout
    for wrong in (("--level", "exact"), ("--dim", "n=2"), ("--device", ","), ("--opset", "v9")):
        assert call("check", saved, *wrong).exit_code == 2
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(b"\x08\x07nonsense")
    done = call("check", damaged, "--target", tmp_path / "m.tflite")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    with pytest.raises(BadFile):
        nna.check(damaged, tmp_path / "m.tflite")


def test_the_standard_names_a_cure_for_the_whole_model_alone(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Det", ["x"], ["d"], name="det"),
        helper.make_node("Unique", ["d"], ["y"], name="unique"),
    ]
    path = write(tmp_path / "m.onnx", nodes, [4, 3, 3], ["u"])
    done = call("check", path, "--opset", "v1.1")
    assert done.exit_code == 1
    assert "what helps" not in done.stdout  # DETERMINANT can be written in others, UNIQUE cannot
    (answer,) = ask(path, "--target", tmp_path / "m.nnir", "--opset", "v1.1")["answers"]
    assert {(r["operator"], *r["nodes"][0].values()) for r in answer["missing"]} == {
        ("DETERMINANT", "det", "", ""),
        ("UNIQUE", "unique", "", ""),
    }
    alone = write(tmp_path / "d.onnx", nodes[:1], [4, 3, 3], [4])
    model = onnx.load(alone)
    model.graph.output[0].name = "d"
    onnx.save(model, alone)
    cure = json.loads(call("check", alone, "--opset", "v1.1", "--json").stdout)["cure"]
    _, *arguments = shlex.split(cure)
    done = call(*(str(alone) if a == "FILE" else a for a in arguments), "--no-verify")
    assert done.exit_code == 0, done.stderr


def test_the_report_says_yes_or_no(saved: Path, tmp_path: Path) -> None:
    found = nna.check(saved, [tmp_path / "a.onnx", tmp_path / "b.nnir"], ["litert", "builtin"])
    assert found
    assert [a.asked for a in found.answers] == ["a.onnx", "b.nnir", "litert,builtin"]
    assert not Answer("m.onnx", is_target=True, error="no")
    assert not list(tmp_path.glob("*.nnir"))
