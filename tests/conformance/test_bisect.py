"""bisect on every kind of file: what it compares by name, what it finds, what it leaves behind."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import helper

import nnadapter as nna
from conformance.bisecting import evidence, intermediate
from conformance.bisecting.finding import CONSTANT, CONVERSION, DEVICE, SOMEWHERE, Finding
from conformance.bisecting.intermediate import CHANNELS_LAST
from conformance.bisecting.search import turns
from conformance.judging.compare import Difference
from conformance.judging.tolerance import relative_to
from conformance.oracles.onnx import groups, is_random
from hal.drivers.onnxruntime.driver import LOWERINGS
from nnadapter.cli import main
from nnir.errors import BadInput
from nnir.extract import extract
from nnir.ops import activation, binary, shape, unary

from ..conftest import info, model_of, tensor
from . import planted

DATA = Path(__file__).parents[1] / "data" / "paddle"
ROOT = Path(__file__).parents[2]
Patch = pytest.MonkeyPatch


@pytest.fixture
def conv(tmp_path: Path, cnn: onnx.ModelProto) -> Path:
    path = tmp_path / "cnn.onnx"
    onnx.save(cnn, path)
    return path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bisect", *map(str, arguments)])


def wrong_softmax(patch: pytest.MonkeyPatch) -> None:
    """On the device, not in the standard."""
    function = LOWERINGS.entries[activation.softmax]

    def wrong(g: object, x: object, *, axis: int) -> object:
        return function(g, x, axis=axis - 1)

    patch.setattr(LOWERINGS, "entries", {**LOWERINGS.entries, activation.softmax: wrong})


def test_onnx(conv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = nna.bisect(conv, "onnxruntime")
    assert good
    assert good.known > 4
    wrong_softmax(monkeypatch)
    found = nna.bisect(conv, "onnxruntime").finding
    assert found is not None
    assert (found.kind, found.operation, found.origin) == (DEVICE, "SOFTMAX", "softmax")
    assert nna.bisect(conv, "builtin")


@pytest.mark.long
def test_saved_models_and_frozen_graphs(models: Path) -> None:
    for fuse in (False, True):
        found = nna.bisect(models / "cnn", "onnxruntime", fuse=fuse)
        assert found, found.finding
        assert found.known > found.total // 2
    frozen = {"inputs": ["x"], "outputs": ["y"]}
    found = nna.bisect(models / "frozen.pb", "onnxruntime", loading=frozen)
    assert found
    assert found.known


@pytest.mark.long
def test_tflite(files: Path) -> None:
    for name in ("cnn", "mobile_int8"):
        for fuse in (False, True):
            found = nna.bisect(files / f"{name}.tflite", "onnxruntime", fuse=fuse)
            assert found, found.finding
            assert found.known > 2, found.note


@pytest.mark.long
def test_paddle(programs: Path) -> None:
    for path in (programs / "cnn.json", DATA / "net.pdmodel"):
        found = nna.bisect(path, "onnxruntime")
        assert found, found.finding
        assert found.known > found.total // 2, found.note


def test_legacy_programs_are_verified() -> None:
    assert nna.verify(DATA / "net.pdmodel", "onnxruntime")


def test_an_object_has_no_inner_values(
    cnn: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong translation is seen, though not where; a wrong device is."""
    found = nna.bisect(cnn)
    assert found
    assert "save it to a file" in found.note
    with monkeypatch.context() as undo:
        planted.onnx_softmax(undo.setattr)
        finding = nna.bisect(cnn).finding
    assert finding is not None
    assert finding.kind == SOMEWHERE
    assert finding.model is None
    wrong_softmax(monkeypatch)
    finding = nna.bisect(cnn, "onnxruntime").finding
    assert finding is not None
    assert finding.operation == "SOFTMAX"


def test_the_command(conv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(conv, "--device", "builtin")
    assert done.exit_code == 0, done.output
    assert "every operation agrees" in done.stdout
    assert not (tmp_path / "cnn.bisect").exists()
    planted.onnx_softmax(monkeypatch.setattr)
    done = call(conv, "--device", "builtin")
    assert done.exit_code == 1
    assert "SOFTMAX" in done.stdout
    assert f"python {Path('cnn.bisect') / 'show.py'} shows it" in done.stdout
    folder = tmp_path / "cnn.bisect"
    assert {p.name for p in folder.iterdir()} == {
        "arrays.npz",
        "finding.json",
        "operation.nnir",
        "show.py",
    }
    assert json.loads((folder / "finding.json").read_text())["kind"] == CONVERSION
    assert len(nna.load(folder / "operation.nnir").operations) == 1
    done = call(conv, "--device", "builtin")
    assert "is there already" in done.stderr
    done = call(conv, "--device", "builtin", "--folder", tmp_path / "b", "--json")
    assert json.loads(done.stdout)["finding"]["operation"] == "SOFTMAX"


def test_the_script_shows_it(conv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever gets the folder runs it: the operation alone, against what the origin gave."""
    planted.onnx_softmax(monkeypatch.setattr)
    nna.bisect(conv, folder=tmp_path / "found")
    show = [sys.executable, "show.py"]
    done = subprocess.run(show, cwd=tmp_path / "found", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "output 0: got float32[2, 80], want float32[2, 80]" in done.stdout
    assert float(done.stdout.partition("largest difference ")[2].split()[0]) > 1e-3
    with pytest.raises(BadInput, match="is there already"):
        nna.bisect(conv, folder=tmp_path / "found")


def test_a_tolerance(conv: Path) -> None:
    finding = nna.bisect(conv, "onnxruntime", tolerance=0.0).finding
    assert finding is None or finding.difference.max_absolute < 1e-5


LARGE = """
import resource, sys
import nnadapter as nna
found = nna.bisect(sys.argv[1], "onnxruntime")  # everything is imported, once
_, most = resource.getrlimit(resource.RLIMIT_DATA)
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[3]), most))
found = nna.bisect(sys.argv[2], "onnxruntime")
assert found, found.finding
assert "does not fit" in found.note
print(found.known, found.total)
"""


@pytest.mark.long
def test_a_model_larger_than_memory_allows_twice(tmp_path: Path, conv: Path) -> None:
    """512 MB of weights; this process, which runs the device, may take 300 MB of its own."""
    size, layers = 4096, 8
    weight = np.random.default_rng(0).standard_normal((size, size), np.float32) / 64
    nodes = [
        helper.make_node("MatMul", [f"h{k}", f"w{k}"], [f"h{k + 1}"], name=f"layer{k}")
        for k in range(layers)
    ]
    weights = [tensor(f"w{k}", weight) for k in range(layers)]
    model = model_of(nodes, [info("h0", [1, size])], [info(f"h{layers}", [1, size])], weights)
    path = tmp_path / "large.onnx"
    onnx.save(model, path, save_as_external_data=True, location="large.bin")
    del model, weights
    arguments = [str(conv), str(path), str(300 << 20)]
    done = subprocess.run(
        [sys.executable, "-c", LARGE, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == [str(layers)] * 2


def test_a_part_of_a_model(mlp: onnx.ModelProto) -> None:
    """The middle of a model runs by itself, shares the weights and keeps names and sizes."""
    model = nna.load(mlp)
    operations = model.sorted()
    part, sources = extract(operations[1:3], operations[2].outputs)
    assert [o.operator.name for o in part.operations] == ["ADD", "RELU"]
    assert sources == [operations[0].outputs[0]]
    assert part.operations[0].inputs[1].constant is operations[1].inputs[1].constant
    assert str(part.inputs[0].type) == "float32[batch, 8]"
    given = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
    (y,) = nna.compile(part)(given)
    bias = operations[1].inputs[1].constant
    np.testing.assert_array_equal(y, np.maximum(given + bias, 0))


def bisected(path: Path, nodes: list[onnx.NodeProto], size: list[int], **given: Any) -> Any:
    """Of a graph from `x` to `y`, both of a size."""
    onnx.save(model_of(nodes, [info("x", size)], [info("y", size)], given.pop("weights", [])), path)
    return nna.bisect(path, **given)


def test_a_wrong_transpose_is_to_blame_itself(tmp_path: Path, monkeypatch: Patch) -> None:
    """The wrong elements are right ones in another order; no later operation is blamed."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], name="tr", perm=[0, 2, 1]),
        helper.make_node("Softmax", ["t"], ["s"], name="sm", axis=1),
        helper.make_node("Sin", ["s"], ["y"], name="sin"),
    ]
    assert bisected(tmp_path / "m.onnx", nodes, [2, 4, 4])
    planted.reference(monkeypatch.setattr, shape.transpose, lambda _, x, perm: x.copy())
    finding = bisected(tmp_path / "m.onnx", nodes, [2, 4, 4]).finding
    assert (finding.operation, finding.origin) == ("TRANSPOSE", "tr")


def test_it_looks_at_sizes_that_the_origin_takes(tmp_path: Path, monkeypatch: Patch) -> None:
    """A reflection needs more elements than it mirrors, which the first size tried has not."""
    nodes = [
        helper.make_node("Pad", ["x", "ends"], ["p"], mode="reflect"),
        helper.make_node("Sin", ["p"], ["y"], name="sin"),
    ]
    path = tmp_path / "m.onnx"
    ends = tensor("ends", np.array([20, 20], np.int64))
    onnx.save(model_of(nodes, [info("x", ["n"])], [info("y", ["m"])], [ends]), path)
    assert nna.bisect(path)
    planted.reference(monkeypatch.setattr, unary.sin, lambda _, x: x.copy())
    assert nna.bisect(path).finding.operation == "SIN"


def test_images_are_turned_only_where_channels_come_last() -> None:
    """Of a wrong order of the other axes nothing is forgiven."""
    array = np.arange(24).reshape(1, 2, 3, 4)
    assert [t.shape for t in turns(array)] == [(1, 2, 3, 4), (1, 4, 2, 3), (1, 3, 4, 2)]
    assert len(list(turns(np.zeros((2, 3))))) == 1
    assert set(CHANNELS_LAST) == {"litert", "tensorflow"}


RANDOM = [
    helper.make_node("RandomUniformLike", ["x"], ["r"], name="random"),
    helper.make_node("Add", ["x", "r"], ["s"], name="add"),
    helper.make_node("Mul", ["s", "s"], ["y"], name="mul"),
]


def test_the_random_numbers_of_the_origin_go_on(tmp_path: Path, monkeypatch: Patch) -> None:
    good = bisected(tmp_path / "m.onnx", RANDOM, [2, 3], device="onnxruntime")
    assert good, good.finding
    assert good.known == 2
    assert "random" in good.note
    planted.reference(monkeypatch.setattr, binary.mul, lambda f, a, b, **rest: f(a, a + 1, **rest))
    finding = bisected(tmp_path / "m.onnx", RANDOM, [2, 3]).finding
    assert (finding.kind, finding.origin) == (CONVERSION, "mul")


def test_what_follows_unknown_random_numbers_is_not_compared(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """With the origin; the device and the reference still are."""
    names = intermediate._names
    monkeypatch.setattr(
        intermediate, "_names", lambda *given: [n for n in names(*given) if n != "r"]
    )
    good = bisected(tmp_path / "m.onnx", RANDOM, [2, 3], device="onnxruntime")
    assert good, good.finding
    assert good.known == 0

    def wrong(function: Any, g: Any, x: Any, y: Any, **rest: Any) -> Any:
        return g.node("Neg", function(g, x, y, **rest))

    planted.lowering(monkeypatch.setattr, binary.mul, wrong)
    finding = bisected(tmp_path / "m.onnx", RANDOM, [2, 3], device="onnxruntime").finding
    assert (finding.kind, finding.origin) == (DEVICE, "mul")


def test_a_mask_hides_nothing(tmp_path: Path, monkeypatch: Patch) -> None:
    mask = np.where(np.tril(np.ones((8, 8))) > 0, 0, -1e9).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "x"], ["m"], name="product"),
        helper.make_node("Add", ["m", "mask"], ["a"], name="masked"),
        helper.make_node("Softmax", ["a"], ["y"], name="sm"),
    ]
    given: dict[str, Any] = {"weights": [tensor("mask", mask)]}
    assert bisected(tmp_path / "m.onnx", nodes, [8, 8], device="onnxruntime", **dict(given))
    planted.reference(monkeypatch.setattr, binary.add, lambda f, a, b, **rest: f(a * a, b, **rest))
    finding = bisected(tmp_path / "m.onnx", nodes, [8, 8], **given).finding
    assert finding is not None
    assert finding.origin == "masked"


def test_sums_may_round_as_their_largest_element() -> None:
    want = np.float32([1e6, 1e-3])
    assert relative_to(1e-5, want).absolute == pytest.approx(10)
    found = relative_to(1e-5, want, most=1)
    assert (found.absolute, found.relative) == (1e-5, 1e-5)
    assert relative_to(1e-5, want[1:], most=1).absolute == pytest.approx(1e-8)


NAMES = ('a"b', '"""+boom()+"""', "'''", "a\\", "{device}", "x\ny", "lo\0g", "\udc80", '""""')


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("kind", [CONVERSION, CONSTANT])
def test_names_of_a_model_never_become_code(name: str, kind: str, tmp_path: Path) -> None:
    model = nna.load(model_of([helper.make_node("Exp", ["x"], ["y"])], [info("x", [2])], [EXP]))
    x = np.float32([0, 1])
    found = Difference("all", float("inf"), index=(1,), max_ulp=float("nan"))
    given: dict[str, Any] = {"model": model, "inputs": [x], "want": [x], "got": [x + 1]}
    finding = Finding(kind, "EXP", name, name, "builtin", "", 0, 1, found, **given)
    evidence.write(finding, tmp_path / "e")
    script = (tmp_path / "e" / "show.py").read_text(encoding="utf-8")
    parts = ast.parse(script)
    called = {n.func.id for n in ast.walk(parts) if isinstance(n, ast.Call) and is_name(n.func)}
    assert "boom" not in called
    assert len(script.splitlines()) <= 15
    done = subprocess.run(
        [sys.executable, tmp_path / "e" / "show.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "largest difference 1" in done.stdout
    told = json.loads((tmp_path / "e" / "finding.json").read_text(), parse_constant=pytest.fail)
    assert told["max_absolute"] == told["max_ulp"] == sys.float_info.max


def is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


EXP = info("y", [2])
PAIRS = {
    "complex64": ([1 + 2j, 0], [1 + 2j, 3j], "3.0"),
    "int64": ([2**53 + 1, 5], [2**53, 5], "1"),
    "bool": ([True, True], [True, False], "1"),
    "float32": ([np.nan, np.inf], [np.nan, 2], "inf"),
    "bfloat16": ([1, 2], [1, 2.5], "0.5"),
}


@pytest.mark.parametrize("dtype", PAIRS)
def test_the_script_shows_every_precision(dtype: str, tmp_path: Path) -> None:
    """Where the constant is read, the largest difference and both values of the worst element."""
    model = nna.load(model_of([helper.make_node("Exp", ["x"], ["y"])], [info("x", [2])], [EXP]))
    got, want = (np.array(a, dtype) for a in PAIRS[dtype][:2])
    given: dict[str, Any] = {"model": model, "want": [want], "got": [got]}
    found = Difference("one", 1.0, index=(1,))
    finding = Finding(CONSTANT, "EXP", "e", "c", "builtin", "", 0, 1, found, **given)
    evidence.write(finding, tmp_path / "e")
    done = subprocess.run(
        [sys.executable, tmp_path / "e" / "show.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first == "the constant c is read by EXP e"
    assert f"largest difference {PAIRS[dtype][2]} at" in last
    assert not (tmp_path / "e" / "operation.nnir").exists()


def test_the_properties_of_the_device_are_in_the_script(
    conv: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    planted.onnx_softmax(monkeypatch.setattr)
    properties = "ONNXRUNTIME_NUM_THREADS=1"
    found = nna.bisect(conv, "onnxruntime", properties=properties, folder=tmp_path / "e")
    assert found.finding is not None
    assert found.finding.as_dict()["properties"] == properties
    assert f"properties={properties!r}" in (tmp_path / "e" / "show.py").read_text()


def test_operations_are_counted_not_values(tmp_path: Path) -> None:
    nodes = [helper.make_node("Split", ["x"], ["a", "b"], num_outputs=2, name="split")]
    nodes.append(helper.make_node("Concat", ["a", "b"], ["y"], axis=0, name="join"))
    found = bisected(tmp_path / "m.onnx", nodes, [4])
    assert found
    assert found.known <= found.total == 2


def test_the_values_are_asked_for_in_groups(tmp_path: Path, monkeypatch: Patch) -> None:
    assert list(groups(["a", "b", "c", "d"], {"a": 5, "b": 5, "c": 50, "d": 1}, 10)) == [
        ["a", "b"],
        ["c"],
        ["d"],
    ]
    assert is_random(model_of(RANDOM, [info("x", [2])], [info("y", [2])]).graph)
    model = nna.load(model_of(RANDOM[1:], [info("x", ["n"]), info("r", ["n"])], [info("y", ["n"])]))
    assert intermediate._sizes(model, [np.zeros(7, np.float32)] * 2)["s"] == 28


GROUPED = """
import resource, sys
import numpy as np
from conformance.oracles import onnx
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
names = [f"h{k + 1}" for k in range(40)]
head = {"path": sys.argv[1], "engine": "onnxruntime", "save": sys.argv[2], "names": names}
head["sizes"] = dict.fromkeys(names, 16 << 20)
onnx.MOST = 64 << 20
saved = onnx.answer(head, [np.ones(4 << 20, "f4")], b"")
assert len(saved) == 40
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.long
def test_the_origin_holds_one_group_at_a_time(tmp_path: Path) -> None:
    """640 MB of values in less than half of that."""
    nodes = [helper.make_node("Add", [f"h{k}", "h0"], [f"h{k + 1}"]) for k in range(40)]
    model = model_of(nodes, [info("h0", [4 << 20])], [info("h40", [4 << 20])])
    onnx.save(model, tmp_path / "wide.onnx")
    (tmp_path / "values").mkdir()
    command = [sys.executable, "-c", GROUPED, tmp_path / "wide.onnx", tmp_path / "values"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) < 320
