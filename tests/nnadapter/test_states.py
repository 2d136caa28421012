"""What a model keeps from one call to the next: on devices, in files, and as plain ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest
import torch
from ai_edge_litert.interpreter import Interpreter
from torch import nn

import nnadapter as nna
from nnir.check import check
from nnir.dim import symbol
from nnir.errors import BadFile, BadInput, BadModel, Unsupported
from nnir.metadata import PAIRS
from nnir.model import Model
from nnir.ops import binary, reduce, shape, unary
from nnir.state import State
from nnir.stateful import keep_states
from nnir.types import Precision, TensorType

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
CALLS = 4
NEAR = {"rtol": 1e-4, "atol": 1e-5}


class Keeper(nn.Module):
    """Writes a row of a buffer at each call, and counts the calls from 5."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.inner = nn.Module()
        self.inner.register_buffer("count", torch.full((2,), 5.0))
        self.linear = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        self.rows.index_copy_(0, place, self.linear(x))
        self.inner.count.add_(1.0)
        return self.rows.sum(0) * self.inner.count[0]


def calls() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.full((1, 3), k + 1.0, np.float32), np.array([k])) for k in range(CALLS)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("states") / "keeper.pt2"
    example = (torch.ones(1, 3), torch.tensor([1]))
    torch.export.save(torch.export.export(Keeper(), example), path)
    return path


@pytest.fixture(scope="module")
def wanted(program: Path) -> list[np.ndarray]:
    """What PyTorch gives."""
    module = torch.export.load(program).module()
    given = [(torch.from_numpy(x), torch.from_numpy(place)) for x, place in calls()]
    return [module(*each).detach().numpy() for each in given]


def results(run: Callable[..., list[np.ndarray]]) -> list[np.ndarray]:
    return [run(*arrays)[0] for arrays in calls()]


@pytest.mark.parametrize("device", DEVICES)
def test_a_program_keeps_what_its_source_keeps(
    device: str, program: Path, wanted: list[np.ndarray]
) -> None:
    compiled = nna.compile(nna.load(program), device)
    assert [name for name, _ in compiled.inputs] == ["x", "place"]
    assert len(compiled.outputs) == 1
    np.testing.assert_allclose(results(compiled), wanted, **NEAR)
    np.testing.assert_array_equal(compiled.states["inner.count"], np.full(2, 5.0 + CALLS))
    compiled.reset()
    np.testing.assert_allclose(results(compiled), wanted, **NEAR)
    report = nna.verify(program, device)
    assert report.agrees
    assert report.trials == 3
    assert {row.output for row in report.rows} > {"rows.next", "inner.count.next"}


def test_states_may_be_given(program: Path, wanted: list[np.ndarray]) -> None:
    compiled = nna.compile(nna.load(program))
    results(compiled)
    compiled.reset({"inner.count": np.full(2, 5, np.float32)})
    assert not compiled.states["rows"].any()
    np.testing.assert_allclose(results(compiled), wanted, **NEAR)
    with pytest.raises(BadInput, match=r"no state 'column'; there are rows, inner\.count"):
        compiled.reset({"column": np.zeros(2)})
    with pytest.raises(BadInput, match=r"the state 'rows' is float32\[4, 3\], not float64\[4, 3\]"):
        compiled.reset({"rows": np.zeros((4, 3))})
    plain = nna.compile(nna.load(nn.Linear(2, 2), inputs=(np.ones((1, 2), np.float32),)))
    plain.reset()
    assert plain.states == {}


def run_onnx(path: Path) -> Callable[..., list[np.ndarray]]:
    """ONNX Runtime alone, which is handed what the file says belongs together."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    pairs = json.loads(session.get_modelmeta().custom_metadata_map[PAIRS])
    state = {"rows": np.zeros((4, 3), np.float32), "inner.count": np.full(2, 5, np.float32)}

    def run(x: np.ndarray, place: np.ndarray) -> list[np.ndarray]:
        names = [o.name for o in session.get_outputs()]
        found = dict(zip(names, session.run(None, {"x": x, "place": place, **state}), strict=True))
        state.update({read: found[written] for read, written in pairs.items()})
        return [found[names[0]]]

    return run


def run_openvino(path: Path) -> Callable[..., list[np.ndarray]]:
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    request = openvino.Core().compile_model(str(path), "CPU", exact).create_infer_request()
    return lambda *arrays: [np.array(request.infer(list(arrays))[0])]


def run_litert(path: Path) -> Callable[..., list[np.ndarray]]:
    runner = Interpreter(str(path)).get_signature_runner()
    return lambda x, place: [np.array(next(iter(runner(x=x, place=place).values())))]


def run_torch(path: Path) -> Callable[..., list[np.ndarray]]:
    module = torch.export.load(path).module()
    return lambda *arrays: [module(*map(torch.from_numpy, arrays))[0].detach().numpy()]


STOCK = {".onnx": run_onnx, ".xml": run_openvino, ".tflite": run_litert, ".pt2": run_torch}


@pytest.mark.parametrize("suffix", [*STOCK, ".nnir"])
@pytest.mark.long
def test_a_written_file_keeps_it_in_its_own_engine(
    suffix: str, program: Path, wanted: list[np.ndarray], tmp_path: Path
) -> None:
    target = tmp_path / f"keeper{suffix}"
    nna.convert(program, target)
    if suffix in STOCK:
        np.testing.assert_allclose(results(STOCK[suffix](target)), wanted, **NEAR)
    if suffix == ".xml":
        return  # nothing here reads those
    home = nna.load(target)
    assert {s.name: s.initial.tolist() for s in home.states} == {
        s.name: s.initial.tolist() for s in nna.load(program).states
    }
    np.testing.assert_allclose(results(nna.compile(home)), wanted, **NEAR)
    assert suffix == ".nnir" or nna.verify(target).agrees


@pytest.mark.parametrize("suffix", [".onnx", ".tflite", ".xml"])
@pytest.mark.long
def test_states_as_plain_ends(suffix: str, program: Path, tmp_path: Path) -> None:
    model = nna.load(program, state="explicit")
    assert [v.name for v in model.inputs] == ["x", "place", "rows", "inner.count"]
    assert model.output_names[1:] == ["rows.next", "inner.count.next"]
    x, place = calls()[0]
    state = [np.zeros((4, 3), np.float32), np.full(2, 5, np.float32)]
    *_, rows, count = nna.compile(model)(x, place, *state)
    assert rows[0].any()
    assert count[0] == 6
    assert nna.verify(program, loading={"state": "explicit"}).agrees
    target = tmp_path / f"plain{suffix}"
    nna.convert(program, target, state="explicit")
    if suffix == ".onnx":
        session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
        assert [i.name for i in session.get_inputs()] == ["x", "place", "rows", "inner.count"]
        assert [s.initial[0].item() for s in nna.load(target).states[1:]] == [5]
    if suffix == ".tflite":
        assert len(Interpreter(str(target)).get_input_details()) == 4
    with pytest.raises(BadInput, match="state='held': explicit, or names"):
        nna.load(program, state="held")


class Cell(nn.Module):
    """A recurrent cell, whose state is an input and an output; the state comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, h: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        new = self.cell(x, h)
        return new, new.sum(1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.long
def test_ends_that_belong_together_are_kept(device: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    cell, path = Cell(), tmp_path / "cell.pt2"
    torch.export.save(torch.export.export(cell, (torch.zeros(1, 4), torch.ones(1, 3))), path)
    first, _ = nna.load(path).output_names
    model = nna.load(path, state={"h": first})
    assert [v.name for v in model.inputs] == ["x", "h"]
    compiled = nna.compile(model, device)
    h = torch.zeros(1, 4)
    for k in range(CALLS):
        x = np.full((1, 3), k - 1.0, np.float32)
        h, want = cell(h, torch.from_numpy(x))
        np.testing.assert_allclose(compiled(x)[0], want.detach().numpy(), **NEAR)
    assert nna.verify(path, device, loading={"state": {"h": first}}).agrees
    if device == "onnxruntime":
        nna.convert(path, tmp_path / "cell.onnx", state={"h": first})
        assert [s.name for s in nna.load(tmp_path / "cell.onnx").states] == ["h"]
        assert nna.bisect(path, device, loading={"state": {"h": first}}).finding is None
    for pairs, said in (({"g": first}, "no input 'g'"), ({"h": "y"}, "no output 'y'")):
        with pytest.raises(BadInput, match=said):
            nna.load(path, state=pairs)


class Decoder(nn.Module):
    """One layer of attention over a cache of 40 places, as decoders of languages have it."""

    SIZE, WORDS = 16, 50

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(self.WORDS, self.SIZE)
        self.places = nn.Embedding(40, self.SIZE)
        self.query, self.key, self.value, self.out = (
            nn.Linear(self.SIZE, self.SIZE) for _ in range(4)
        )
        self.head = nn.Linear(self.SIZE, self.WORDS)
        self.register_buffer("keys", torch.zeros(1, 40, self.SIZE))
        self.register_buffer("values", torch.zeros(1, 40, self.SIZE))

    def forward(self, token: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        x = self.words(token) + self.places(place)
        self.keys.index_copy_(1, place, self.key(x))
        self.values.index_copy_(1, place, self.value(x))
        seen = torch.arange(40) <= place
        mask = torch.where(seen, 0.0, float("-inf"))
        weights = torch.softmax(self.query(x) @ self.keys.transpose(1, 2) / 4 + mask, -1)
        return self.head(x + 4 * self.out(weights @ self.values))


def decode(run: Callable[[np.ndarray, np.ndarray], Any]) -> list[int]:
    """32 words, each the likeliest one behind those before it."""
    tokens = [7]
    for place in range(32):
        logits = run(np.array([[tokens[-1]]]), np.array([place]))
        tokens.append(int(np.asarray(logits)[0, -1].argmax()))
    return tokens


def test_a_decoder_gives_the_same_words_on_every_device(tmp_path: Path) -> None:
    torch.manual_seed(2)
    path = tmp_path / "decoder.pt2"
    example = (torch.tensor([[7]]), torch.tensor([0]))
    torch.export.save(torch.export.export(Decoder().eval(), example), path)
    module = torch.export.load(path).module()
    want = decode(lambda *arrays: module(*map(torch.from_numpy, arrays)).detach())
    assert len(set(want)) > 8
    model = nna.load(path)
    for device in DEVICES:
        compiled = nna.compile(model, device)
        assert decode(lambda *arrays, run=compiled: run(*arrays)[0]) == want, device


def test_a_cache_of_programs_has_them(
    program: Path, wanted: list[np.ndarray], tmp_path: Path
) -> None:
    for device in ("builtin", "openvino", "onnxruntime,builtin"):
        for is_restored in (False, True):
            compiled = nna.compile(nna.load(program), device, cache_dir=tmp_path / device[:9])
            assert compiled.is_restored is is_restored
            np.testing.assert_allclose(results(compiled), wanted, **NEAR)


def running_sum() -> Model:
    """Adds its input to what it keeps, which is a result too."""
    model = Model("sum")
    x, total = (model.input(name, TensorType(Precision.FLOAT32, (3,))) for name in ("x", "total"))
    made = binary.add(total, x)
    model.outputs = [made, x, made, x]
    model.output_names = ["sum", "echo", "total.next", "last.next"]
    model.inputs.append(model.input("last", TensorType(Precision.FLOAT32, (3,))))
    model.inputs.pop()
    zeros = np.zeros(3, np.float32)
    model.states = [State("total", zeros), State("last", zeros)]
    return model


@pytest.mark.parametrize("device", DEVICES)
def test_results_and_inputs_are_the_callers_own(device: str) -> None:
    compiled = nna.compile(running_sum(), device)
    x = np.ones(3, np.float32)
    for k in range(CALLS):
        total, echo = compiled(x)
        np.testing.assert_array_equal(total, np.full(3, k + 1.0))
        x[:] = 9
        np.testing.assert_array_equal(compiled.states["last"], np.ones(3))
        x[:] = 1
        total[:] = echo[:] = 100


@pytest.mark.parametrize("device", DEVICES)
def test_memory_of_large_states_is_nobody_elses(device: str) -> None:
    """States that change places, stay, are handed out as they were, or are asked for twice."""
    model = Model()
    type = TensorType(Precision.FLOAT32, (1 << 19,))
    x, one, two, still = (model.input(n, type) for n in ("x", "one", "two", "still"))
    grown = binary.add(two, x)
    model.outputs = [one, shape.reshape(two, [2, -1]), binary.add(grown, 0.0), grown, one, still]
    begins = [np.full(type.shape, k, np.float32) for k in range(3)]
    model.states = [State(n, b) for n, b in zip(("one", "two", "still"), begins, strict=True)]
    program = nna.compile(model, device)
    given = [np.full(type.shape, k + 1, np.float32) for k in range(7)]
    seen = [program(array) for array in given]
    seen[2][0][:] = -1  # the caller may write to what it was given
    first, second = 0.0, 1.0
    for call, (array, results) in enumerate(zip(given, seen, strict=True)):
        after = second + (call + 1)
        np.testing.assert_array_equal(array, call + 1)
        np.testing.assert_array_equal(results[0], -1 if call == 2 else first)
        np.testing.assert_array_equal(results[1].reshape(-1), second)
        np.testing.assert_array_equal(results[2], after)
        first, second = after, first
    np.testing.assert_array_equal(program.states["one"], first)
    np.testing.assert_array_equal(program.states["two"], second)
    np.testing.assert_array_equal(program.states["still"], 2)
    for begin, number in zip(begins, range(3), strict=True):
        np.testing.assert_array_equal(begin, number)


def test_calls_of_threads_follow_each_other() -> None:
    compiled = nna.compile(running_sum(), "builtin")
    ones = np.ones(3, np.float32)
    threads = [
        threading.Thread(target=lambda: [compiled(ones) for _ in range(50)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(compiled.states["total"], np.full(3, 200))


@pytest.mark.parametrize("suffix", [*STOCK, ".nnir"])
@pytest.mark.long
def test_a_state_that_nothing_reads_is_no_hindrance(suffix: str, tmp_path: Path) -> None:
    model = Model("noted")
    x, last = (model.input(n, TensorType(Precision.FLOAT32, (3,))) for n in ("x", "last"))
    model.outputs = [unary.neg(x), unary.abs_(x)]
    model.output_names = ["y", "last.next"]
    nna.convert(keep_states(model, {"last": "last.next"}), tmp_path / f"noted{suffix}")
    assert not last.uses


def growing() -> Model:
    """A cache that grows by a row at each call."""
    model = Model("growing")
    past, n = symbol("past"), Precision.FLOAT32
    model.symbols["past"] = (0, None)
    x = model.input("x", TensorType(n, (1, 2)))
    cache = model.input("cache", TensorType(n, (past, 2)))
    whole = shape.concat(cache, x, axis=0)
    model.outputs = [reduce.reduce_sum(whole, [0], keepdim=False), whole]
    model.output_names = ["sum", "present"]
    return keep_states(model, {"cache": "present"})


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "torch"])
def test_a_state_may_grow(device: str) -> None:
    compiled = nna.compile(growing(), device)
    for k in range(CALLS):
        (total,) = compiled(np.full((1, 2), k + 1.0, np.float32))
        np.testing.assert_array_equal(total, np.full(2, (k + 1) * (k + 2) / 2))
        assert compiled.states["cache"].shape == (k + 1, 2)
    compiled.reset()
    assert compiled.states["cache"].shape == (0, 2)


def test_what_does_not_fit_is_said() -> None:
    model = running_sum()
    model.states[0] = State("total", np.zeros(2, np.float32))
    with pytest.raises(BadModel, match=r"'total' begins with float32\[2\] and is read as"):
        check(model)
    with pytest.raises(Unsupported, match="the model keeps cache"):
        nna.quantize(growing(), "random")


def test_names_that_somebody_changed_are_plain_ends(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "named.onnx"
    nna.convert(program, path)
    model = onnx.load(path)
    (entry,) = (e for e in model.metadata_props if e.key == PAIRS)
    for text, count in (
        (json.dumps({"rows": "rows.next", "gone": "inner.count.next"}), 1),
        ("[1, 2", 0),
        ('{"rows": 3}', 0),
        ("[]", 0),
        ('{"x": "rows.next"}', 0),
    ):
        entry.value = text
        onnx.save(model, path)
        assert len(nna.load(path).states) == count, text


def test_a_damaged_archive_is_refused(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "state.nnir"
    nna.save(nna.load(program), path)
    data = path.read_bytes()
    assert str(nna.load(path)) == str(nna.load(program))
    assert "keeps rows, inner.count" in str(nna.load(path))
    for old, new in (
        (b'[\\"inner.count\\",', b'[\\"rows\\"       ,'),
        (b'[\\"rows\\",', b"[[]      ,"),
    ):
        assert old in data
        path.write_bytes(data.replace(old, new))
        with pytest.raises(BadFile, match="damaged"):
            nna.load(path)
