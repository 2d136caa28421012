"""Compiled programs: what goes in is checked, names and order are the model's."""

from __future__ import annotations

import gc
import statistics
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import pytest

import nnadapter as nna
from hal import properties
from nnir.dim import symbol
from nnir.errors import BadCall, BadInput, DeviceError, NoDevice
from nnir.model import Model
from nnir.operator import Operator
from nnir.ops import binary, shape, unary
from nnir.types import Precision, TensorType

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")


@pytest.mark.parametrize("device", DEVICES)
def test_positional_and_by_name(mlp: onnx.ModelProto, device: str) -> None:
    program = nna.compile(nna.load(mlp), device)
    x = np.ones((2, 4), np.float32)
    results = program(x)
    assert isinstance(results, list)
    np.testing.assert_array_equal(program.run({"x": x})["y"], results[0])


@pytest.mark.parametrize("operator", [shape.reshape, shape.reshape_exact], ids=lambda o: o.name)
@pytest.mark.parametrize("device", DEVICES)
def test_a_size_below_minus_one_is_no_size(device: str, operator: Operator) -> None:
    """NumPy would take it for one that is inferred."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (4,)))
    model.outputs = [operator(x, model.input("sizes", TensorType(Precision.INT64, (2,))))]
    program = nna.compile(model, device)
    array = np.zeros(4, np.float32)
    assert program(array, np.array([2, -1]))[0].shape == (2, 2)
    with pytest.raises(DeviceError):
        program(array, np.array([2, -2]))


@pytest.mark.parametrize("device", DEVICES)
def test_a_dynamic_batch_runs_at_any_size(mlp: onnx.ModelProto, device: str) -> None:
    program = nna.compile(nna.load(mlp), device)
    for size in (1, 3, 7, 0):
        assert program(np.ones((size, 4), np.float32))[0].shape == (size, 3)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ([], "0 arrays for 1 inputs"),
        ([np.ones((2, 4), np.float64)], "input 'x' is float64, not float32"),
        ([np.ones((2, 5), np.float32)], r"input 'x' has shape \[2, 5\], not float32\[batch, 4\]"),
        ([np.ones(4, np.float32)], r"has shape \[4\]"),
        ([[[1.0, 2.0, 3.0, 4.0]]], "float64"),
    ],
)
def test_wrong_inputs(
    mlp: onnx.ModelProto, device: str, arrays: list[np.ndarray], text: str
) -> None:
    program = nna.compile(nna.load(mlp), device)
    with pytest.raises(BadInput, match=text):
        program(*arrays)


def test_wrong_names(mlp: onnx.ModelProto) -> None:
    with pytest.raises(BadInput, match="inputs are x, not z"):
        nna.compile(nna.load(mlp)).run({"z": np.ones((1, 4), np.float32)})


def test_one_name_is_one_size() -> None:
    model = Model()
    kind = TensorType(Precision.FLOAT32, (symbol("n"),))
    model.outputs = [binary.add(model.input("a", kind), model.input("b", kind))]
    with pytest.raises(BadInput, match="input 'b' has shape"):
        nna.compile(model)(np.ones(3, np.float32), np.ones(2, np.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_inputs_are_not_changed(cnn: onnx.ModelProto, device: str) -> None:
    x = np.ones((1, 3, 8, 8), np.float32)
    nna.compile(nna.load(cnn), device)(x)
    assert (x == 1).all()


def test_no_such_device(mlp: onnx.ModelProto) -> None:
    with pytest.raises(NoDevice, match="no device 'abacus'; installed are builtin, "):
        nna.compile(nna.load(mlp), "abacus")


def test_properties_text() -> None:
    assert dict(properties.parse("A=1; B=x,y;")) == {"A": "1", "B": "x,y"}
    for text in ("A", "A=", "=1", "A=x=y"):
        with pytest.raises(BadCall, match="write KEY=value"):
            properties.parse(text)


def test_a_program_lets_go_of_its_model(mlp: onnx.ModelProto) -> None:
    model = nna.load(mlp)
    program = nna.compile(model, "onnxruntime")
    weak = weakref.ref(model)
    del model
    gc.collect()
    assert weak() is None
    assert program(np.ones((1, 4), np.float32))[0].shape == (1, 3)


def test_a_call_costs_little() -> None:
    """At most 40 microseconds over ONNX Runtime's own call, medians in turns."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [binary.add(x, x)]
    program = nna.compile(model, "onnxruntime")
    session = program._compilation.finished().steps[0].program.session
    array = np.ones(3, np.float32)
    ours, peer = [], []
    for _ in range(3000):
        started = time.perf_counter()
        program(array)
        between = time.perf_counter()
        session.run(None, {"x": array})
        peer.append(time.perf_counter() - between)
        ours.append(between - started)
    assert statistics.median(ours) - statistics.median(peer) < 40e-6


@pytest.mark.parametrize("device", DEVICES)
def test_the_caller_offers_memory(mlp: onnx.ModelProto, device: str) -> None:
    program = nna.compile(nna.load(mlp), device)
    x = np.ones((2, 4), np.float32)
    mine = np.zeros((2, 3), np.float32)
    (found,) = program(x, outputs=[mine])
    assert found is mine
    np.testing.assert_array_equal(mine, program(x)[0])
    for bad in (np.zeros((2, 4), np.float32), np.zeros((2, 3), np.float64)):
        with pytest.raises(BadInput, match=r"output 0 is float32\[2, 3\], the array for it"):
            program(x, outputs=[bad])
    with pytest.raises(BadInput, match="a list of 1 arrays"):
        program(x, outputs=[mine, mine])


@pytest.mark.parametrize("device", DEVICES)
def test_a_profile_has_every_step(mlp: onnx.ModelProto, device: str) -> None:
    program = nna.compile(nna.load(mlp), device, profile=True)
    assert not program.profile.rows
    for _ in range(2):
        program(np.ones((2, 4), np.float32))
        rows = program.profile.rows
        assert len(rows) >= 2
        assert all(r.device == device and r.seconds >= 0 <= r.start for r in rows)
        assert sum(r.seconds for r in rows) <= program.profile.seconds * 1.01
    assert sum(n for _, _, n, _ in program.profile.by_operator()) == len(rows)


@pytest.mark.parametrize("device", DEVICES)
def test_several_threads(cnn: onnx.ModelProto, device: str) -> None:
    """Every thread gets the results of its own inputs, of two sizes."""
    model = nna.load(cnn)
    program = nna.compile(model, device)
    rng = np.random.default_rng(0)
    shapes = [
        [d if isinstance(d, int) else 1 + k % 2 for d in model.inputs[0].shape] for k in range(6)
    ]
    inputs = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    alone = [program(x) for x in inputs]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(5):
            for got, want in zip(pool.map(program, inputs), alone, strict=True):
                for a, b in zip(got, want, strict=True):
                    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("device", DEVICES)
def test_any_memory_goes_in_and_results_are_the_callers(mlp: onnx.ModelProto, device: str) -> None:
    program = nna.compile(nna.load(mlp), device)
    wide = np.arange(48, dtype=np.float32).reshape(6, 8) / 48
    strided, backwards = wide[::2, ::2], wide[::-1, :4]
    frozen = strided.copy()
    frozen.flags.writeable = False
    raw = np.frombuffer(b"\0" + strided.tobytes(), np.float32, 12, 1).reshape(3, 4)
    want = program(strided.copy())[0].copy()
    for x in (strided, frozen, raw):
        np.testing.assert_array_equal(program(x)[0], want)
    first = program(strided)[0]
    kept = first.copy()
    second = program(backwards)[0]
    np.testing.assert_array_equal(first, kept)
    second[:] = -1
    np.testing.assert_array_equal(program(strided)[0], want)


@pytest.mark.parametrize("device", DEVICES)
def test_every_result_is_the_callers_alone(device: str) -> None:
    """Outputs that are inputs, constants, or twice the same."""
    model = Model("ends")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    y = unary.exp(x)
    model.outputs = [x, y, model.constant([1, 2, 3], np.float32), y, unary.assign(y)]
    program = nna.compile(model, device)
    given = np.zeros(3, np.float32)
    first = program(given)
    kept = [a.copy() for a in first]
    for k, array in enumerate(first):
        array[:] = 99 + k
    assert not given.any()
    assert [a[0] for a in first] == [99, 100, 101, 102, 103]
    for a, b in zip(program(given), kept, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("device", DEVICES)
def test_results_may_go_where_the_inputs_are(device: str) -> None:
    model = Model("aliased")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    y = unary.exp(x)
    model.outputs = [y, binary.add(unary.square(y), x)]
    given = np.array([0, 1, 2], np.float32)
    want = nna.compile(model)(given.copy())
    for partition in (None, "SQUARE\nADD"):
        mine = given.copy()
        found = nna.compile(model, device, partition=partition)(mine, outputs=[mine, None])
        assert found[0] is mine
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_what_cannot_be_written_to(mlp: onnx.ModelProto) -> None:
    program = nna.compile(nna.load(mlp))
    x, fixed = np.ones((2, 4), np.float32), np.zeros((2, 3), np.float32)
    fixed.flags.writeable = False
    for bad in ([fixed], [5], ["a"], 5, fixed):
        with pytest.raises(BadInput, match="outputs"):
            program(x, outputs=bad)


@pytest.mark.parametrize("device", DEVICES)
def test_a_closed_program_is_closed(mlp: onnx.ModelProto, device: str) -> None:
    with nna.compile(nna.load(mlp), device) as program:
        program(np.ones((2, 4), np.float32))
    with pytest.raises(BadCall, match="closed"):
        program(np.ones((2, 4), np.float32))


def test_sizes_are_one_in_all_inputs_whatever_comes_first() -> None:
    model = Model("sizes")
    n = symbol("n")
    a = model.input("a", TensorType(Precision.FLOAT32, (n * 2,)))
    b = model.input("b", TensorType(Precision.FLOAT32, (n,)))
    model.symbols["n"] = (0, None)
    model.outputs = [unary.exp(a), unary.exp(b)]
    program = nna.compile(model)
    program(np.ones(4, np.float32), np.ones(2, np.float32))
    with pytest.raises(BadInput, match="input 'a' has shape"):
        program(np.ones(5, np.float32), np.ones(2, np.float32))
