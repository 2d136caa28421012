"""`convert --precision` and `scan`, as people type them: files, what is proved, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result

import nnadapter as nna
from conformance.oracles.sessions import NotInstalled
from nnadapter.cli import main
from nnir.errors import BadInput, Differs, Unsupported
from tests.docs.models import norm

KEEP = ["--keep-fp32", "/norm/*"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("norm")
    norm(folder, folder)
    return folder / "norm.onnx"


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def rows(count: int) -> list[dict[str, np.ndarray]]:
    draw = np.random.default_rng(0).standard_normal
    return [{"x": draw((3, 64)).astype(np.float32)} for _ in range(count)]


def test_a_file_for_accelerators(source: Path, tmp_path: Path) -> None:
    """No casts but at the ends and around what stays: a GPU computes in 16 bits."""
    target = tmp_path / "half.onnx"
    done = call("convert", source, target, "--precision", "float16", *KEEP)
    assert done.exit_code == 0, done.output
    assert "float16: 3 operations, 4 stay as they are" in done.output
    assert "stands for infinity, and is the largest number now: mask" in done.output
    written = onnx.load(target)
    casts = [n for n in written.graph.node if n.op_type == "Cast"]
    assert len(casts) == 4  # x, the product, what is normal, y
    kinds = {i.name: i.data_type for i in written.graph.initializer}
    assert set(kinds.values()) <= {onnx.TensorProto.FLOAT16, onnx.TensorProto.INT64}
    assert [i.type.tensor_type.elem_type for i in written.graph.input] == [onnx.TensorProto.FLOAT]


def test_what_overflows_on_accelerators_is_found_on_cpus(source: Path, tmp_path: Path) -> None:
    """ONNX Runtime computes between casts in float32, where nothing overflows."""
    done = call("convert", source, tmp_path / "far.onnx", "--precision", "float16")
    assert done.exit_code == 1
    assert "differs from builtin" in done.output
    assert "`nnadapter scan` says what must stay float32" in done.output
    assert not (tmp_path / "far.onnx").exists()
    with pytest.raises(Differs):
        nna.convert(source, tmp_path / "far.nnir", precision="float16")
    nna.convert(source, tmp_path / "wide.nnir", precision="bfloat16")


@pytest.mark.parametrize("suffix", [".onnx", ".xml", ".tflite", ".nnir"])
def test_half_the_file_for_the_same_results(source: Path, tmp_path: Path, suffix: str) -> None:
    sizes = {"batch": 2} if suffix == ".tflite" else {}
    for name, how in (("whole", {}), ("half", {"precision": "float16", "weights_only": True})):
        nna.convert(source, tmp_path / f"{name}{suffix}", sizes=sizes, **how)  # type: ignore[arg-type]
    beside = ".bin" if suffix == ".xml" else suffix
    saved = (tmp_path / f"whole{beside}").stat().st_size
    saved -= (tmp_path / f"half{beside}").stat().st_size
    assert 64 * 64 * 2 - 1500 < saved <= 64 * 64 * 2 + 64


def test_a_machine_without_the_framework(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The float32 model in the references says what is meant."""

    def absent(*_: object) -> None:
        raise NotInstalled("onnxruntime is not installed")

    monkeypatch.setattr("conformance.oracles.origin.session_of", absent)
    with pytest.warns(UserWarning, match="is not verified against"):
        nna.convert(source, tmp_path / "wide.nnir", precision="bfloat16")
    with pytest.raises(Differs, match="differs from builtin"):
        nna.convert(source, tmp_path / "far.nnir", precision="float16")


def test_a_scan_says_what_stays(source: Path) -> None:
    found = nna.scan(source, rows(3))
    assert not found
    assert found.keep == ["/norm/squares", "/norm/mean"]
    table = {r.operation: r for r in found.rows}
    assert table["/norm/squares"].overflows > 0
    assert table["/norm/squares"].largest > 65504
    assert (table["/attention/mask"].verdict, table["/attention/mask"].sqnr) == ("", None)
    assert 60 < (table["/dense"].sqnr or 0) < 80
    model = nna.to_precision(nna.load(source), "float16", keep_float32=found.keep)
    exact, half = (nna.compile(m)(*rows(1)[0].values())[0] for m in (nna.load(source), model))
    np.testing.assert_allclose(half, exact, atol=2e-3)
    assert nna.scan(source, rows(1), precision="bfloat16")


def test_states_are_scanned_as_inputs(tmp_path: Path) -> None:
    helper = onnx.helper
    value = helper.make_tensor_value_info
    ends = [[value(n, 1, [4]) for n in names] for names in (("x", "past"), ("y", "present"))]
    nodes = [helper.make_node("Add", ["x", "past"], ["present"], "/keep")]
    nodes.append(helper.make_node("Mul", ["present", "x"], ["y"], "/multiply"))
    path = tmp_path / "state.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", *ends), ir_version=8), path)
    kept = nna.load(path, state={"past": "present"})
    assert kept.states
    with pytest.raises(Unsupported, match="scan it with state='explicit'"):
        nna.scan(kept)
    assert nna.scan(path)


def test_few_digits_are_told(tmp_path: Path) -> None:
    """The difference of two large numbers, which 16 bits hold well, each by itself."""
    nodes = [
        onnx.helper.make_node("Add", ["x", "far"], ["large"], "/add"),
        onnx.helper.make_node("Sub", ["large", "far"], ["y"], "/subtract"),
    ]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "digits",
        [value("x", 1, [1, 64])],
        [value("y", 1, [1, 64])],
        [onnx.numpy_helper.from_array(np.float32(2000.3), "far")],
    )
    path = tmp_path / "digits.onnx"
    onnx.save(onnx.helper.make_model(graph, ir_version=8), path)
    found = nna.scan(path, [rows(1)[0]["x"][:1]])
    assert [(r.operation, r.verdict) for r in found.rows if r.verdict] == [
        ("/subtract", "has few digits left")
    ]


def test_the_command_is_for_people_and_programs(source: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", x=np.concatenate([r["x"] for r in rows(4)]))
    done = call("scan", source, "--data", tmp_path / "x.npz", "--json")
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert said["keep"] == ["/norm/squares", "/norm/mean"]
    assert said["precision"] == "float16"
    shown = call("scan", source)
    command = shown.stdout.splitlines()[-1]
    assert command.endswith("--keep-fp32 '/norm/squares' --keep-fp32 '/norm/mean'")
    fine = call("scan", source, "--precision", "bfloat16", "--layers")
    assert fine.exit_code == 0
    assert "bfloat16 holds all 7 operations" in fine.stdout


def test_options_that_do_not_fit(source: Path, tmp_path: Path) -> None:
    done = call("convert", source, tmp_path / "y.onnx", "--keep-fp32", "/norm/*")
    assert (done.exit_code, "go with --precision" in done.output) == (2, True)
    done = call(
        "convert", source, tmp_path / "y.onnx", "--precision", "float16", "--keep-fp32", "/nrm/mean"
    )
    assert (done.exit_code, "did you mean /norm/mean" in done.output) == (1, True)
    with pytest.raises(BadInput, match="precision 'float8'"):
        nna.scan(source, precision="float8")


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A model in float64: a branch, a mask beyond float32, and an end that stays an integer."""
    helper, double, integer = onnx.helper, onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64
    value = helper.make_tensor_value_info
    rng = np.random.default_rng(0)
    weights = {"w": rng.standard_normal((4, 3)), "mask": np.array([0, -1e300, 0])}
    bodies = [
        helper.make_graph([helper.make_node(n, ["h"], [n])], n, [], [value(n, double, ["b", 3])])
        for n in ("Relu", "Neg")
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "/dense"),
        helper.make_node(
            "If", ["flag"], ["c"], "/choice", then_branch=bodies[0], else_branch=bodies[1]
        ),
        helper.make_node("Add", ["c", "mask"], ["m"], "/mask"),
        helper.make_node("Softmax", ["m"], ["y"], "/softmax"),
        helper.make_node("ArgMax", ["c"], ["best"], "/best", axis=1, keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "wide",
        [value("x", double, ["b", 4]), value("flag", onnx.TensorProto.BOOL, [])],
        [value("y", double, ["b", 3]), value("best", integer, ["b"])],
        [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    opset = helper.make_opsetid("", 17)
    path = tmp_path / "wide.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return path


@pytest.mark.parametrize("suffix", [".onnx", ".xml", ".tflite", ".nnir", ".nnrt"])
def test_float64_for_what_has_none(wide: Path, tmp_path: Path, suffix: str) -> None:
    """Proved by ONNX Runtime in float64, in the engine of the target."""
    target = tmp_path / f"narrow{suffix}"
    options = ["--precision", "float32"]
    options += ["--dim", "b=2"] if suffix in (".tflite", ".nnrt") else []
    done = call("convert", wide, target, *options)
    assert done.exit_code == 0, done.output
    assert "float32: 7 operations, 0 stay as they are" in done.output
    assert "stands for infinity, and is the largest number now: mask" in done.output
    if suffix == ".xml":
        return  # nothing here reads it back: the proof has run it in OpenVINO
    model = nna.load(target)
    assert {v.dtype.name for v in (*model.inputs, *model.outputs)} <= {"float32", "int64", "bool"}
    x = np.random.default_rng(1).standard_normal((2, 4))
    exact = nna.compile(nna.load(wide))(x, np.array(True))
    found = nna.compile(model)(x.astype(np.float32), np.array(True))
    np.testing.assert_allclose(found[0], exact[0], rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(found[1], exact[1])


def test_what_float32_cannot_tell_apart_does_not_appear(tmp_path: Path) -> None:
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Add", ["x", "far"], ["large"], "/add"),
        helper.make_node("Sub", ["large", "far"], ["y"], "/subtract"),
    ]
    ends = [[value(n, double, [1, 64])] for n in "xy"]
    far = [onnx.numpy_helper.from_array(np.array(1e9), "far")]
    path = tmp_path / "digits.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", *ends, far), ir_version=8), path)
    done = call("convert", path, tmp_path / "narrow.onnx", "--precision", "float32")
    assert done.exit_code == 1
    assert "narrow.onnx differs from onnx" in done.output
    assert "scan" not in done.output
    assert not (tmp_path / "narrow.onnx").exists()


def test_a_refusal_says_how_to_convert_float64(wide: Path, tmp_path: Path) -> None:
    done = call("convert", wide, tmp_path / "wide.xml")
    assert done.exit_code == 1
    assert "`nnadapter convert FILE NEW --precision float32` makes FLOAT64 FLOAT32" in done.output
    for words in (["--target", tmp_path / "narrow.xml"], ["--device", "openvino"]):
        done = call("check", wide, *words, "--json")
        cures = [c["command"] for c in json.loads(done.stdout)["answers"][0]["cures"]]
        (cure,) = (c for c in cures if "--precision float32" in c)
        options = cure.replace("FILE", str(wide)).split()[1:]
        options[2] = str(tmp_path / Path(options[2]).name)
        assert call(*options).exit_code == 0
    with nna.compile(nna.load(tmp_path / "float32.nnir"), "openvino") as program:
        assert program(np.ones((3, 4), np.float32), np.array(False))[0].shape == (3, 3)


def test_float32_leaves_nothing_out(wide: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="in float32 nothing is left out"):
        nna.to_precision(nna.load(wide), "float32", keep_float32=["SOFTMAX"])
    options = ["--precision", "float32", "--keep-fp32", "SOFTMAX"]
    assert call("convert", wide, tmp_path / "a.onnx", *options).exit_code == 2
