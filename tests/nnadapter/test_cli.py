"""The command line as a user calls it: output, exit status, JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import helper

import nnadapter as nna
from conformance.oracles.sessions import NotInstalled
from nnadapter import api
from nnadapter.cli import main
from tests.conformance import typos
from tests.docs.models import norm

from ..conftest import info, model_of


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_convert_verifies(saved: Path, tmp_path: Path) -> None:
    done = call("convert", saved, tmp_path / "m.nnir")
    assert done.exit_code == 0
    assert "4 operations" in done.stdout
    assert "verified: m.nnir in builtin agrees with onnxruntime in 2 trials" in done.stderr
    assert len(nna.load(tmp_path / "m.nnir").operations) == 4


def test_an_archive_is_compared_with_the_references(saved: Path, tmp_path: Path) -> None:
    assert "NOT VERIFIED" in call("convert", saved, tmp_path / "m.nnir", "--no-verify").stderr
    done = call("convert", tmp_path / "m.nnir", tmp_path / "m.onnx", "--json")
    assert done.exit_code == 0
    assert "verified: m.onnx in onnxruntime agrees with builtin" in done.stderr
    assert json.loads(done.stdout)["verified"]["device"] == "onnxruntime"
    onnx.checker.check_model(tmp_path / "m.onnx")


def test_convert_says_when_it_cannot_verify(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NotInstalled("its framework: it is not installed")

    monkeypatch.setattr("conformance.oracles.origin.session_of", refuse)
    done = call("convert", saved, tmp_path / "m.onnx", "--json")
    assert done.exit_code == 0
    assert "NOT VERIFIED against its framework: it is not installed" in done.stderr
    assert "compared meanwhile: m.onnx in onnxruntime agrees with builtin" in done.stderr
    found = json.loads(done.stdout)
    assert found["verified"] is None
    assert found["compared"]["agrees"]
    with pytest.warns(UserWarning, match="m.onnx is not verified against its framework"):
        nna.convert(saved, tmp_path / "m.onnx")


def test_convert_for_an_opset_and_sizes(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    done = call("convert", saved, path, "--target-opset", 17, "--dim", "batch=3")
    assert done.exit_code == 0, done.output
    written = onnx.load(path)
    assert written.opset_import[0].version == 17
    assert written.ir_version == 8
    sizes = written.graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_value for d in sizes] == [3, 4]
    for arguments, text in {
        ("--target-opset", 12): "written for opset 13 to 25",
        ("--dim", "nope=3"): "no dimension nope; there are batch",
    }.items():
        done = call("convert", saved, path, *arguments)
        assert done.exit_code == 1
        assert text in done.stderr
    assert "have no opset" in call("convert", saved, "m.nnir", "--target-opset", 17).stderr


def test_run_on_several_devices_with_a_profile(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "split.txt").write_text("RELU\n")
    more = ["--partition", tmp_path / "split.txt", "--cache-dir", tmp_path / "cache"]
    more += ["--profile", "--trace", tmp_path / "trace.json"]
    for _ in range(2):
        done = call("run", saved, "--device", "onnxruntime,builtin", *more, "--json")
        assert done.exit_code == 0, done.output
    assert "3 parts: onnxruntime, builtin, onnxruntime" in done.stderr
    assert "restored from the cache" in done.stderr
    steps = json.loads(done.stdout)["profile"]
    assert {(s["device"], s["operator"]) for s in steps} >= {("builtin", "RELU")}
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} == {"onnxruntime", "builtin"}
    assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
    table = call("run", saved, "--device", "builtin", "--profile")
    assert "MAT_MUL" in table.stdout


def test_convert_optimizes(saved: Path, tmp_path: Path) -> None:
    done = call("convert", saved, tmp_path / "m.nnir", "--optimize")
    assert done.exit_code == 0
    assert "fuse_dense" in done.stderr
    assert len(nna.load(tmp_path / "m.nnir").operations) == 2


def test_run_on_given_inputs(saved: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((3, 4), np.float32))
    arguments = ("--input", f"x={tmp_path / 'x.npy'}", "--output", tmp_path / "out.npz", "--json")
    done = call("run", saved, *arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)[0]["shape"] == [3, 3]
    assert np.load(tmp_path / "out.npz")["y"].shape == (3, 3)


def test_outputs_of_any_name_are_saved(tmp_path: Path) -> None:
    names = ("file", "allow_pickle", "a/b", "é")
    ends = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in "x"]
    outs = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in names]
    nodes = [onnx.helper.make_node("Neg", ["x"], [n]) for n in names]
    graph = onnx.helper.make_graph(nodes, "g", ends, outs)
    onnx.save(onnx.helper.make_model(graph), tmp_path / "m.onnx")
    written = []
    for name in ("o.npz", "again.npz"):
        arguments = ("--device", "builtin", "--output", tmp_path / name)
        done = call("run", tmp_path / "m.onnx", *arguments)
        assert done.exit_code == 0, done.output
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    with np.load(tmp_path / "o.npz") as saved:
        assert set(saved) == set(names)
        assert all(saved[n].shape == (2,) for n in names)


def test_run_on_random_inputs_of_a_size(saved: Path) -> None:
    done = call("run", saved, "--dim", "batch=5", "--device", "builtin", "--json")
    assert json.loads(done.stdout)[0]["shape"] == [5, 3]


def test_verify(saved: Path) -> None:
    done = call("verify", saved, "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["agrees"]
    assert report["device"] == "onnxruntime"


def test_verify_fails_with_status_1(
    saved: Path, mlp: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = nna.load(mlp)
    weight = wrong.operations[0].inputs[1]
    weight.constant = weight.constant + np.float32(0.5)
    monkeypatch.setattr(api, "load", lambda source: wrong)
    done = call("verify", saved, "--device", "builtin")
    assert done.exit_code == 1
    assert "NO" in done.stdout


@pytest.mark.parametrize("command", ["verify", "bisect"])
def test_what_is_wrong_shows_on_given_inputs_alone(
    command: str, saved: Path, mlp: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first layer of the model is wrong, of which zeros see nothing."""
    wrong = nna.load(mlp)
    weight = wrong.operations[0].inputs[1]
    weight.constant = weight.constant + np.float32(0.5)
    monkeypatch.setattr(api, "load", lambda source: wrong)
    words = (command, saved, "--device", "builtin", "--html", saved.with_suffix(".html"))
    if command == "bisect":
        words = (*words, "--folder", saved.with_suffix(".found"))
    for number, status in ((0, 0), (1, 1)):
        np.save(saved.with_suffix(".npy"), np.full((2, 4), number, np.float32))
        done = call(*words, "--input", f"x={saved.with_suffix('.npy')}")
        assert done.exit_code == status, done.output
    done = call(*words[:4], "--input", f"other={saved.with_suffix('.npy')}")
    assert "no input 'other'; there are x" in done.stderr


@pytest.mark.parametrize("command", ["run", "verify", "bisect"])
def test_other_inputs_have_the_sizes_of_those_given(command: str, tmp_path: Path) -> None:
    ends = [info(n, ["batch", 4]) for n in ("a", "b")], [info("y", ["batch", 4])]
    onnx.save(model_of([helper.make_node("Add", ["a", "b"], ["y"])], *ends), tmp_path / "m.onnx")
    np.save(tmp_path / "b.npy", np.ones((5, 4), np.float32))
    words = (command, tmp_path / "m.onnx", "--device", "builtin", "--input", f"b={tmp_path}/b.npy")
    done = call(*words)
    assert done.exit_code == 0, done.output
    if command == "run":
        assert "[5, 4]" in done.stdout
        done = call(*words, "--dim", "batch=3")
        assert done.exit_code == 1, "what is said counts, and does not fit"


def test_inspect(saved: Path, tmp_path: Path) -> None:
    done = call("inspect", saved, "--dot", tmp_path / "m.dot", "--json")
    facts = json.loads(done.stdout)
    assert facts["operations"] == {"MAT_MUL": 2, "ADD": 1, "RELU": 1}
    assert facts["parameters"] == 64
    assert (tmp_path / "m.dot").read_text().startswith("digraph")
    assert "%y = MAT_MUL" in call("inspect", saved, "--text").stdout


def test_text_leaves_no_option_out(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "m.html"
    done = call("inspect", saved, "--text", "--html", page, "--dim", "batch=2")
    assert done.exit_code == 0
    assert done.stdout == call("inspect", saved, "--text").stdout
    assert "<html" in page.read_text()
    for option in (["--layers"], ["--json"], ["--dim", "batch=2"]):
        done = call("inspect", saved, "--text", *option)
        assert done.exit_code == 2
        assert f"nothing else: leave {option[0]} away" in done.stderr


def test_inspect_counts(saved: Path) -> None:
    facts = json.loads(call("inspect", saved, "--dim", "batch=3", "--layers", "--json").stdout)
    assert facts["file_bytes"] == saved.stat().st_size
    assert facts["opset"].startswith("ai.onnx ")
    assert facts["sizes"] == {"batch": 3}
    assert facts["flops"]["total"] == sum(row["flops"] for row in facts["layers"])
    assert facts["flops"]["uncounted"] == {}
    assert facts["precisions"]["weights"]["float32"]["elements"] == facts["parameters"]
    assert [row["operator"] for row in facts["layers"]] == ["MAT_MUL", "ADD", "RELU", "MAT_MUL"]
    assert sum(row["weight_bytes"] for row in facts["layers"]) == facts["bytes"]
    shown = call("inspect", saved, "--layers").stdout
    for text in ("opset", "FLOPs", "activations", "100.0%", "output bytes"):
        assert text in shown


def test_inspect_refuses_a_size_that_is_not_there(saved: Path) -> None:
    done = call("inspect", saved, "--dim", "seq=3")
    assert done.exit_code == 1
    assert "no dimension seq; the model's dimensions are" in done.stderr


def test_check(saved: Path) -> None:
    assert call("check", saved).exit_code == 0
    assert call("check", saved, "--opset", "v1", "--device", "onnxruntime").exit_code == 0


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.ones((3, 5), np.float32), "input 'x' has shape [3, 5], not float32[batch, 4]"),
        (np.ones((3, 4), np.int64), "input 'x' is int64, not float32"),
    ],
)
def test_wrong_inputs_at_run_time(
    array: np.ndarray, text: str, saved: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "x.npy", array)
    done = call("run", saved, "--input", f"x={tmp_path / 'x.npy'}", "--output", tmp_path / "o.npz")
    assert done.exit_code == 1
    assert done.stderr == f"error: {text}\n"
    assert not (tmp_path / "o.npz").exists()


@pytest.mark.parametrize("command", ["devices", "ops", "doctor"])
def test_tables(command: str) -> None:
    assert call(command).exit_code == 0
    assert json.loads(call(command, "--json").stdout)


def test_one_operator() -> None:
    done = call("ops", "conv_2d")
    assert (
        "operands: input, filter, bias, auto_pad, pads, strides, group, dilations, fuse_code"
        in done.stdout
    )
    assert "in the standard's operators: rounding, 3 ulps" in call("ops", "erf").stdout
    why = "in the standard's operators: an iteration whose length depends on the data"
    assert why in call("ops", "gcd").stdout
    assert call("ops", "nothing").exit_code == 1


def test_what_an_operator_has() -> None:
    done = call("ops", "hard_swish", "--todo", "--json")
    parts = {p["part"]: p for p in json.loads(done.stdout)}
    assert parts["reference"]["what"].startswith("activation.py:")
    assert parts["converters of onnx"] == {
        "part": "converters of onnx",
        "state": "yes",
        "what": "HardSwish",
    }
    assert {p["state"] for p in parts.values() if p["part"].startswith("on ")} == {"yes"}
    assert parts["converters of tensorflow"]["state"] == "no"
    counts = Counter(p["state"] for p in parts.values())
    told = f"of {len(parts)} parts {counts['yes']} are there, {counts['no']} are missing\n"
    assert told in re.sub(r" *\n", "\n", call("ops", "hard_swish", "--todo").stdout)
    assert call("ops", "--todo").exit_code == 2


def test_operators_of_a_frontend() -> None:
    assert "Relu" in json.loads(call("ops", "--frontend", "onnx", "--json").stdout)
    assert call("ops", "--frontend", "caffe").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert",),
        ("run", "x.onnx", "--dim", "batch"),
        ("nothing",),
        ("convert", "x.onnx", "y.nnir", "--level", "rounding"),
        ("check", "x.onnx", "--opset", "v9"),
        ("run", "x.onnx", "--seed", "-1"),
        ("verify", "x.onnx", "--seed", "-1"),
        ("run", "x.onnx", "--repeat", "0"),
    ],
)
def test_wrong_usage_is_status_2(arguments: tuple[str, ...], saved: Path) -> None:
    assert call(*(str(saved) if a == "x.onnx" else a for a in arguments)).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "FILE", "--input", "z=a.npy"), "no input 'z'; there are x"),
        (("run", "FILE", "--dim", "nope=3"), "no dimension nope"),
        (("run", "FILE", "--device", "abacus"), "no device 'abacus'"),
        (("run", "FILE", "--properties", "nonsense"), "write KEY=value"),
        (("run", "FILE", "--input", "x=/nowhere.npy"), "cannot read '/nowhere.npy'"),
        (("run", "FILE", "--output", "."), "cannot write '.': it is a folder"),
        (("run", "FILE", "--trace", "/tmp"), "cannot write '/tmp': it is a folder"),
        (("run", "FILE", "--output", "/nowhere/o.npz"), "cannot write '/nowhere/o.npz'"),
        (("inspect", "/nowhere.onnx"), "no such file"),
        (("convert", "FILE", "out.xyz"), "no format has the suffix"),
        (("convert", "FILE", "out.onx"), "the suffix '.onx': did you mean .onnx?"),
        (("run", "FILE", "--device", "openvno"), "no device 'openvno': did you mean openvino?"),
        (("run", "FILE", "--properties", "ONNXRUNTIME_NUM_THREAD=1;"), "ONNXRUNTIME_NUM_THREADS"),
        (("convert", "FILE", "/nowhere/out.nnir"), "cannot write"),
    ],
)
def test_errors_are_one_line_and_status_1(
    arguments: tuple[str, ...], text: str, saved: Path
) -> None:
    done = call(*(saved if a == "FILE" else a for a in arguments))
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert text in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_misspelt_command_is_told_what_is_near() -> None:
    done = call("inspekt", "x.onnx")
    assert (done.exit_code, "'inspekt'" in done.stderr, "'inspect'" in done.stderr) == (
        2,
        True,
        True,
    )


def test_a_command_imports_what_it_needs() -> None:
    """Others are imported for the list of all."""
    code = "import sys, nnadapter.cli as c; c.main(['{}', '--help'], standalone_mode=False); "
    code += "print([m for m in sys.modules if m.startswith('nnadapter.commands.')])"
    command = [sys.executable, "-c", code.format("inspect")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.splitlines()[-1] == "['nnadapter.commands.looking']"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("run", "/nowhere.onnx"), "BadFile"),
        (("run", "FILE", "--device", "openvno"), "NoDevice"),
        (("run", "FILE", "--properties", "x=1;"), "BadCall"),
        (("run", "NORM", "--device", "nnapi", "--dim", "batch=2"), "NoLowering"),
    ],
)
def test_errors_are_json_for_programs(
    arguments: tuple[str, ...], kind: str, saved: Path, tmp_path: Path
) -> None:
    norm(tmp_path, tmp_path)
    words = {
        "FILE": saved,
        "NORM": tmp_path / "norm.onnx",
        "out.nnapi": tmp_path / "out.nnapi",
    }
    done = call(*(words.get(a, a) for a in arguments), "--json")
    assert done.exit_code == 1
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == kind
    assert done.stderr.splitlines()[-1].startswith(f"error: {error['message'][:40]}")
    assert ("missing" in error) == (kind == "NoLowering")


def test_a_folder_of_models_and_another_suffix(saved: Path, tmp_path: Path) -> None:
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(saved.read_bytes())
    assert (
        "a folder with a.onnx, b.onnx, mlp.onnx in it: name one of them"
        in call("run", tmp_path).stderr
    )
    done = call("run", saved, "--output", tmp_path / "x.csv")
    assert (done.exit_code, "--output writes .npz files" in done.stderr) == (2, True)


def test_a_bug_of_ours_is_one_line(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typos.reference(monkeypatch.setattr)
    path = tmp_path / "add.onnx"
    onnx.save(adding(), path)
    done = call("run", path, "--device", "builtin")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("internal error: KeyError: 'rleu' (in the reference of ADD")
    assert line.endswith(
        "this is a bug in nnadapter, please report it; NNADAPTER_DEBUG=1 shows where"
    )
    monkeypatch.setenv("NNADAPTER_DEBUG", "1")
    assert isinstance(call("run", path, "--device", "builtin").exception, KeyError)


def adding() -> onnx.ModelProto:
    """x + x."""
    value = onnx.helper.make_tensor_value_info
    ends = [[value(n, onnx.TensorProto.FLOAT, [2])] for n in ("x", "y")]
    node = onnx.helper.make_node("Add", ["x", "x"], ["y"])
    return onnx.helper.make_model(onnx.helper.make_graph([node], "adding", *ends))
