"""States in the memory of a device, and the providers of ONNX Runtime: seen without a GPU, by
devices whose memory is the host's and that keep states all the same."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
import pytest

import nnadapter as nna
from hal.drivers.onnxruntime import providers
from hal.drivers.onnxruntime.providers import CPU, Providers, choose_providers
from hal.drivers.torch.driver import Torch
from hal.drivers.torch.program import Residence
from hal.runtime.cache import CacheWarning
from hal.runtime.memory import DeviceMemory, HostMemory
from nnir.dim import symbol
from nnir.errors import BadCall, BadInput, DeviceError, NoDevice
from nnir.model import Model, Value
from nnir.ops import binary, index, linear, shape
from nnir.state import State
from nnir.types import Precision, TensorType

GPU = "CUDAExecutionProvider"


@pytest.fixture(params=["torch", "onnxruntime"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A device that keeps states, although its memory is the host's."""

    def keep_states(self: Torch, program: Any, types: Any) -> Residence:
        return Residence(program, [t.dtype for t in types])

    monkeypatch.setattr(Torch, "keep_states", keep_states)
    monkeypatch.setattr(providers, "MEMORY", {CPU: "cpu"})
    return str(request.param)


def add_state(model: Model, name: str, initial: np.ndarray) -> Value:
    precision = {"f": Precision.FLOAT32, "i": Precision.INT64}[initial.dtype.kind]
    model.states.append(State(name, initial))
    return model.input(name, TensorType(precision, initial.shape))


def counting() -> Model:
    """A sum of all inputs so far and how many there were, of which one is a view of a state."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    total = add_state(model, "total", np.ones((2, 3), np.float32))
    before = add_state(model, "before", np.zeros((2, 3), np.float32))
    count = add_state(model, "count", np.zeros((1,), np.int64))
    after = binary.add(total, x)
    one = model.constant(np.array([1], np.int64))
    results = [shape.transpose(total, perm=[1, 0]), binary.mul(before, before)]
    model.outputs = [*results, after, total, binary.add(count, one)]
    return model


def test_states_stay_on_the_device(device: str) -> None:
    plain = nna.compile(counting(), "builtin")
    kept = nna.compile(counting(), device)
    assert isinstance(plain._memory, HostMemory)
    assert isinstance(kept._memory, DeviceMemory)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for call in range(4):
        wanted, found = plain(x + call), kept(x + call)
        for a, b in zip(wanted, found, strict=True):
            np.testing.assert_array_equal(a, b)
            b[...] = -1  # a result is the caller's
        assert kept.states["count"] == call + 1
    states = kept.states
    states["total"][...] = 0
    for name, array in plain.states.items():
        np.testing.assert_array_equal(kept.states[name], array)
    kept.reset({"before": x})
    np.testing.assert_array_equal(kept(x)[1], x * x)
    np.testing.assert_array_equal(kept.states["total"], 1 + x)
    with pytest.raises(BadInput, match="the state 'before' is"):
        kept.reset({"before": x[0]})
    rows = np.zeros((3, 2), np.float32)
    assert kept(x, outputs=[rows, None])[0] is rows
    np.testing.assert_array_equal(rows, (1 + x).T)


def test_a_call_that_fails_leaves_the_states(device: str) -> None:
    model = Model()
    at = model.input("at", TensorType(Precision.INT64, (1,)))
    table = add_state(model, "table", np.arange(3, dtype=np.float32))
    count = add_state(model, "count", np.zeros((1,), np.int64))
    row = index.gather(table, at, axis=0)
    one = model.constant(np.array([1], np.int64))
    model.outputs = [row, binary.add(table, table), binary.add(count, one)]
    program = nna.compile(model, device)
    program(np.array([1]))
    with pytest.raises(DeviceError, match="failed"):
        program(np.array([7]))
    with pytest.raises(BadInput, match="output 0"):
        program(np.array([1]), outputs=[np.zeros(2, np.float32)])
    np.testing.assert_array_equal(program.states["table"], [0, 2, 4])
    assert program.states["count"] == 1


def test_a_state_of_another_size_is_found(device: str) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"),)))
    seen = model.input("seen", TensorType(Precision.FLOAT32, (symbol("n"),)))
    model.states = [State("seen", np.zeros(2, np.float32))]
    model.outputs = [x, shape.concat(seen, x, axis=0)]
    program = nna.compile(model, device)
    assert program(np.ones(2, np.float32))[0].shape == (2,)
    assert program.states["seen"].shape == (4,)
    model = counting()
    last = model.outputs[-1]
    model.outputs[-1] = shape.concat(last, last, axis=0)
    with pytest.raises(nna.NNAdapterError, match="count"):
        nna.compile(model, device)(np.ones((2, 3), np.float32))


def test_a_profile_passes_arrays(device: str) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 2)))
    state = add_state(model, "state", np.eye(2, dtype=np.float32))
    product = linear.mat_mul(x, state)
    model.outputs = [product, binary.add(product, x)]
    program = nna.compile(model, device, profile=True)
    assert isinstance(program._memory, HostMemory)
    program(np.ones((2, 2), np.float32))
    np.testing.assert_array_equal(program.states["state"], np.full((2, 2), 2))


class Gpu(ModuleType):
    """ONNX Runtime with a provider for a GPU, which is not there."""

    def __init__(self) -> None:
        super().__init__("onnxruntime")

    def get_available_providers(self) -> list[str]:
        return ["TensorrtExecutionProvider", GPU, "AzureExecutionProvider", CPU]


def test_providers_are_named_in_any_spelling() -> None:
    exact = {"use_tf32": "0"}
    for name in ("CUDA", "cuda", GPU, "cuda, cpu", "CUDA,CUDA"):
        assert choose_providers(Gpu(), {"ONNXRUNTIME_PROVIDERS": name}).listed == (
            (GPU, exact), (CPU, {})
        )  # fmt: skip
    both = {"ONNXRUNTIME_PROVIDERS": "Tensorrt,CUDA", "ONNXRUNTIME_DEVICE_ID": "1"}
    chosen = choose_providers(Gpu(), both)
    assert [name for name, _ in chosen.listed] == ["TensorrtExecutionProvider", GPU, CPU]
    assert [options.get("device_id") for _, options in chosen.listed] == ["1", "1", None]
    assert (chosen.device_id, chosen.memory, chosen.is_host) == (1, "cuda", False)
    assert choose_providers(Gpu(), {}) == choose_providers(Gpu(), {"ONNXRUNTIME_PROVIDERS": "CPU"})


def test_what_onnx_runtime_prints_is_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the libraries that it does not find, where a command writes its results."""
    runtime: Any = Gpu()
    runtime.preload_dlls = lambda: sys.stdout.write("Failed to load libcublas.so\n")
    choose_providers(runtime, {"ONNXRUNTIME_PROVIDERS": "CUDA"})
    assert capsys.readouterr() == ("", "Failed to load libcublas.so\n")
    choose_providers(runtime, {"ONNXRUNTIME_PROVIDERS": "CPU"})
    assert capsys.readouterr() == ("", "")


def test_a_provider_that_is_not_there() -> None:
    with pytest.raises(NoDevice, match="no provider 'CUDA'; there are CPU"):
        nna.compile(counting(), "onnxruntime", "ONNXRUNTIME_PROVIDERS=CUDA;")
    with pytest.raises(NoDevice, match=r"no provider 'CDUA': did you mean CUDA\?"):
        choose_providers(Gpu(), {"ONNXRUNTIME_PROVIDERS": "CDUA"})
    with pytest.raises(BadCall, match="ONNXRUNTIME_DEVICE_ID=-1 is below 0"):
        choose_providers(Gpu(), {"ONNXRUNTIME_DEVICE_ID": "-1"})
    nna.compile(counting(), "onnxruntime", "ONNXRUNTIME_PROVIDERS=CPU;")
    session = SimpleNamespace(get_providers=lambda: [CPU])
    with pytest.raises(NoDevice, match=f"cannot start {GPU}"):
        Providers(((GPU, {}), (CPU, {}))).require_started(session)


def test_other_providers_are_cached_by_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A stand-in for a GPU: the CPU's provider, as ONNX Runtime takes it twice."""
    monkeypatch.setattr(Providers, "is_host", property(lambda self: False))
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        first = nna.compile(counting(), "onnxruntime", cache_dir=tmp_path)
        again = nna.compile(counting(), "onnxruntime", cache_dir=tmp_path)
    assert (first.is_restored, again.is_restored) == (False, True)
    x = np.ones((2, 3), np.float32)
    for a, b in zip(first(x), again(x), strict=True):
        np.testing.assert_array_equal(a, b)
    (kept,) = tmp_path.glob("*.nnc")
    kept.write_bytes(kept.read_bytes()[:400])
    with pytest.warns(CacheWarning):
        assert not nna.compile(counting(), "onnxruntime", cache_dir=tmp_path).is_restored


def test_this_onnxruntime_knows_what_is_asked_of_it() -> None:
    assert CPU in onnxruntime.get_available_providers()
    assert GPU in onnxruntime.get_all_providers()
