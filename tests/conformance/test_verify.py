"""What a verification tries, what it says of itself, and what it says without the framework."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

import nnadapter as nna
from conformance.oracles.oracle import Refused
from conformance.oracles.torch import load_program
from conformance.processes.worker import Lost
from conformance.suites import processors
from conformance.verifying import verify
from conformance.verifying.input_ranges import range_of
from conformance.verifying.inputs import random_inputs, rank_sizes
from conformance.verifying.stock_engine import Stock
from conformance.verifying.trials import COUNT, Trial, trials, weaknesses
from conformance.verifying.verify import Report, verify_file
from hal.runtime.memory import HostMemory
from nnadapter.conversion import exporter
from nnir.dim import symbol
from nnir.model import Model
from nnir.ops import binary, conv, index, quant, shape, unary
from nnir.types import Precision, TensorType

F32, I64, U8 = Precision.FLOAT32, Precision.INT64, Precision.UINT8
BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""
RUN = "import sys; sys.argv[0] = 'nnadapter'; from nnadapter.__main__ import run; run()"


def without(
    folder: Path, packages: set[str], *arguments: object
) -> subprocess.CompletedProcess[str]:
    """The command line, and its workers, where packages are not installed."""
    (folder / "sitecustomize.py").write_text(BLOCKED.format(names=packages))
    path = os.pathsep.join([str(folder), str(Path(nna.__file__).parents[1])])
    return subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "encoder.pt2"
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU()).eval()
    torch.export.save(torch.export.export(module, (torch.ones(2, 4),)), path)
    return path


@pytest.mark.parametrize(
    ("absent", "target", "said", "device"),
    [
        ({"torch"}, "z.onnx", "against torch: it is not installed (pip install", "onnxruntime"),
        (
            {"torch", "onnxruntime"},
            "z.onnx",
            "in onnxruntime: device 'onnxruntime' needs",
            "builtin",
        ),
        ({"ai_edge_litert"}, "z.tflite", "in litert: device 'litert' needs the package", "builtin"),
    ],
)
def test_without_a_framework(
    program: Path, tmp_path: Path, absent: set[str], target: str, said: str, device: str
) -> None:
    place = tmp_path / "site"
    place.mkdir()
    done = without(place, absent, "convert", program, tmp_path / target)
    assert done.returncode == 0, done.stderr
    assert f"NOT VERIFIED {said}" in done.stderr
    assert f"compared meanwhile: {target} in {device} agrees with" in done.stderr
    assert (tmp_path / target).exists()


class Cache(torch.nn.Module):
    """Adds a row to a buffer at each call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 3))

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        self.cache.index_copy_(0, place, x)
        return self.cache.sum(0)


@pytest.mark.long
def test_a_program_with_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was lost between two calls shows from the second one on."""
    path = tmp_path / "state.pt2"
    torch.export.save(torch.export.export(Cache(), (torch.ones(1, 3), torch.tensor([1]))), path)
    report = nna.verify(path, "builtin")
    assert report
    assert report.trials == 3
    assert [row.output for row in report.rows] == ["sum_1", "cache.next"]
    run = HostMemory.run

    def forget(memory: HostMemory, *given: Any) -> Any:
        found = run(memory, *given)
        memory.reset({})
        return found

    monkeypatch.setattr(HostMemory, "run", forget)
    report = nna.verify(path, "builtin")
    assert not report
    assert "in call" in report.worst()


def test_an_operator_that_torch_does_not_know_is_named(program: Path, tmp_path: Path) -> None:
    """torch.export logs what it finds, with the nodes, and raises that there was an error."""
    with zipfile.ZipFile(program) as old, zipfile.ZipFile(tmp_path / "p.pt2", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"ops.aten.gelu", b"ops.here.nope"))
    with pytest.raises(RuntimeError, match=r"resolve torch.ops.here.nope.default to an operator$"):
        load_program(str(tmp_path / "p.pt2"))


def open_model() -> Model:
    model = Model("open")
    x = model.input("x", TensorType(F32, (symbol("n"), 3)))
    model.outputs = [binary.add(x, x)]
    return model


def test_sizes_grow_until_the_origin_takes_them() -> None:
    asked = []

    def run(arrays: list[np.ndarray]) -> list[np.ndarray]:
        asked.append(len(arrays[0]))
        if asked[-1] < 16:
            raise Refused("too small")
        return [arrays[0] * 2]

    found = trials(open_model(), run)
    assert [len(t.arrays[0]) for t in found] == [16, 32]
    assert asked[0] == 2
    with pytest.raises(Refused, match="never"):
        trials(open_model(), lambda _: (_ for _ in ()).throw(Refused("never")))


def test_sizes_by_which_the_origin_dies_are_left_out() -> None:
    def run(arrays: list[np.ndarray]) -> list[np.ndarray]:
        if len(arrays[0]) < 16:
            raise Lost("crash", "died: SIGFPE")
        return [arrays[0] * 2]

    def stay(_: list[np.ndarray]) -> list[np.ndarray]:
        raise Lost("timeout", "takes too long")

    assert [len(t.arrays[0]) for t in trials(open_model(), run)] == [16, 32]
    with pytest.raises(Lost, match="too long"):
        trials(open_model(), stay)


def test_sizes_are_those_that_operations_demand() -> None:
    model = Model()
    sizes = tuple(symbol(n) for n in ("batch", "channels", "height", "width"))
    x = model.input("x", TensorType(F32, sizes))
    taps = model.constant(np.ones((2, 6, 4, 4), np.float32))
    bias = model.constant(np.ones(2, np.float32))
    made = conv.conv_2d(x, taps, bias, strides=(4, 4), dilations=(1, 1), group=2)
    flat = shape.reshape(made, [0, 2, -1])
    model.outputs = [flat + model.constant(np.ones((1, 2, 64), np.float32))]
    first = rank_sizes(model)[0]
    assert first["channels"] == 12
    assert first["height"] * first["width"] == 64 * 16
    assert random_inputs(model)[0].shape == tuple(first[str(s)] for s in sizes)


def test_sound_is_as_long_as_a_window() -> None:
    """Few samples, and of many sizes the first from which a window has something to cover."""
    model = Model()
    sizes = symbol("batch"), symbol("samples")
    x = model.input("x", TensorType(F32, sizes))
    taps = model.constant(np.ones((1, 1, 1, 400), np.float32))
    row = shape.unsqueeze(x, [1, 2])
    made = conv.conv_2d(
        row, taps, model.constant(np.zeros(1, np.float32)), strides=(1, 160), dilations=(1, 1)
    )
    model.outputs = [made]
    first = rank_sizes(model)[0]
    assert first == {"batch": 2, "samples": 512}


def test_trials_differ() -> None:
    first, second = trials(open_model(), lambda arrays: [arrays[0] * 2])
    assert first.sizes != second.sizes
    assert first.arrays[0].shape != second.arrays[0].shape


def test_positions_lie_in_their_table_and_pixels_fill_their_type() -> None:
    model = Model("ranges")
    ids, image, raw, count = (
        model.input(n, TensorType(p, (5,)))
        for n, p in (("ids", I64), ("image", U8), ("raw", Precision.INT8), ("count", I64))
    )
    table = model.constant(np.zeros((30_000, 2), np.float32))
    scale = model.constant(np.float32(0.1))
    model.outputs = [
        index.gather(table, ids, axis=0),
        unary.cast(image, dtype=F32),
        quant.dequantize_linear(raw, scale, None),
        binary.add(count, count),
    ]
    assert [range_of(v) for v in (ids, image, raw, count)] == [
        (0, 29_999),
        (0, 255),
        (-128, 127),
        (0, 9),
    ]


def test_positions_that_are_selected_or_joined_lie_in_their_table() -> None:
    """Edges of a graph: two rows of one input, which are positions of nodes."""
    model = Model("edges")
    edges, more = (model.input(n, TensorType(I64, s)) for n, s in (("e", (2, 7)), ("m", (3,))))
    table = model.constant(np.zeros((40, 2), np.float32))
    one = index.gather(edges, model.constant(np.int64(1)), axis=0)
    model.outputs = [index.gather(table, shape.concat(one, more, axis=0), axis=0)]
    assert range_of(edges) == range_of(more) == (0, 39)


def test_integers_become_small_where_the_origin_takes_no_others() -> None:
    model = Model("counts")
    x = model.input("x", TensorType(I64, (64,)))
    model.outputs = [binary.add(x, x)]

    def run(arrays: list[np.ndarray]) -> list[np.ndarray]:
        if arrays[0].max() > 1:
            raise Refused("out of range")
        return [arrays[0] * 2]

    found = trials(model, run)
    assert [t.most for t in found] == [1, 1]
    assert [int(t.arrays[0].max()) for t in found] == [1, 1]
    assert "the integers tried are 0 and 1: no others are taken" in weaknesses(["y"], found)
    assert [t.most for t in trials(model, lambda a: [a[0] * 2])] == [None, None]


def test_what_proves_little_is_said() -> None:
    x = [np.float32([1, 2]), np.float32([3, 4])]
    same = [Trial([a], [np.float32([5, 6])], {}) for a in x]
    flat = [Trial([a], [np.float32([0.1, 0.1])], {"n": 2}) for a in x]
    good = [Trial([a], [a * 2], {"n": len(a) + k}) for k, a in enumerate(x)]
    assert weaknesses(["y"], same) == ["output 'y' is the same for every input tried"]
    assert "everywhere" in weaknesses(["y"], flat)[0]
    assert weaknesses(["y"], flat)[1] == "only one choice of open sizes was tried: n=2"
    assert weaknesses(["y"], good) == []
    edges = [Trial([a], [np.float32([np.nan, k, -np.inf])], {}) for k, a in enumerate(x)]
    assert weaknesses(["y"], edges) == []


def test_a_report_of_several_trials(saved: Path) -> None:
    report: Report = nna.verify(saved)
    assert report
    assert report.trials == COUNT
    assert report.as_dict()["trials"] == COUNT


@pytest.mark.parametrize("opset", [13, 18])
def test_int8_files_open_in_a_default_session(tmp_path: Path, opset: int) -> None:
    """The least set that has the model is written: from 21 on, stock sessions refuse these."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("Transpose", ["d"], ["y"], perm=[1, 0]),
    ]
    weights = [numpy_helper.from_array(np.float32(0.1), "s")]
    weights.append(numpy_helper.from_array(np.int8(3), "z"))
    shapes = {"x": [3, 4], "y": [4, 3]}
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], weights)
    versions = [helper.make_opsetid("", opset)]
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=8), tmp_path / "q.onnx")
    nna.convert(tmp_path / "q.onnx", tmp_path / "out.onnx")
    assert onnx.load(tmp_path / "out.onnx").opset_import[0].version == 13


@pytest.mark.parametrize("target", ["new.onnx", "new.xml"])
def test_what_an_engine_rounds_by_itself_is_said(tmp_path: Path, target: str) -> None:
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 256, (32, 2, 16), dtype=np.uint8)
    scales = rng.random(64, dtype=np.float32) / 10
    node = helper.make_node(
        *("MatMulNBits", ["x", "weights", "scales"], ["y"]),
        domain="com.microsoft",
        K=64,
        N=32,
        bits=4,
        block_size=32,
        accuracy_level=1,
    )
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])]
    made = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 32])]
    known = [numpy_helper.from_array(a, n) for a, n in ((weights, "weights"), (scales, "scales"))]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph([node], "products", ends, made, known)
    onnx.save(
        helper.make_model(graph, opset_imports=opsets, ir_version=10), tmp_path / "model.onnx"
    )
    model = nna.convert(tmp_path / "model.onnx", tmp_path / target, verify=False)
    engine = exporter(Path(target).suffix)
    report = verify_file(tmp_path / "model.onnx", model, tmp_path / target, engine, nna.load)
    assert report
    if target == "new.xml" and not report.notes and not processors.has(processors.WIDE):
        pytest.skip("OpenVINO rounds nothing on this processor")
    notes = " ".join(report.notes)
    assert f"agrees with {engine.exact_settings}: without, it rounds to 8 bits" in notes
    assert re.search(r"which moves 'y' by [1-9]\.\de-0[1-4] of", notes)


class Unsteady(Stock):
    """An engine that is wrong, unless it is opened with its exact settings."""

    def run(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [a + (not self.is_exact) for a in super().run(arrays)]


def test_settings_excuse_nothing_without_integer_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they do not change is not run a second time until it happens to agree."""
    model = Model("scaled")
    model.outputs = [model.input("x", TensorType(F32, (3, 4))) * 3]
    source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
    for path in (source, target):
        nna.convert(model, path, verify=False)
    monkeypatch.setattr(verify, "Stock", Unsteady)
    engine = exporter(".onnx")
    report = verify_file(source, model, target, engine, nna.load)
    assert not report
    assert not any(engine.exact_settings in note for note in report.notes)
