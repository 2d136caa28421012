"""The driver of `examples/accelerator`: a chip of bytes, in C."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal import standard
from hal.device import Cache
from hal.runtime import manager
from hal.runtime.cache import CacheWarning
from hal.standard import OperandType
from nnir.errors import DeviceError, NoLowering
from nnir.model import Model
from nnir.ops import activation
from nnir.passes import CLEAN, apply
from nnir.quantised_types import to_quantised_types
from nnir.specialise import fix_sizes
from nnir.types import Precision, Quantization, TensorType

from ..nnir.quantised_models import arrays, convolution, network, through

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "accelerator"
COMPILER = shutil.which("cc")
DEVICES = "brook,builtin"
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drivers")
    sources = [str(p) for p in sorted(EXAMPLE.glob("*.c"))]
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += ["-I", str(ROOT / "hal" / "include"), "-o", str(folder / "libbrook.so")]
    subprocess.run([str(COMPILER), *flags, *sources, "-lm"], check=True)
    return folder


@pytest.fixture(autouse=True)
def _on_the_path(drivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(drivers))


def view_of(dtype: type = np.uint8, *, ends: bool = True) -> Model:
    """The network of quantised operands, for two images."""
    model = fix_sizes(network(dtype, ends=ends), {"n": 2})
    apply(model, CLEAN)
    return to_quantised_types(model)


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_the_chip_computes_the_same_bytes(dtype: type, ends: bool) -> None:
    view = view_of(dtype, ends=ends)
    program = nna.compile(view, DEVICES)
    assert "brook" in program.devices
    for seed in range(5):
        given = arrays(view, seed)
        for got, want in zip(program(*given), nna.compile(view)(*given), strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)


def test_what_falls_to_the_chip() -> None:
    view = view_of()
    with pytest.raises(NoLowering) as caught:
        nna.compile(view, "brook")
    refused = {r.operator for r in caught.value.refusals}
    assert refused == {"AVERAGE_POOL_2D", "SOFTMAX", "FULLY_CONNECTED"}  # a bias of FLOAT32


def test_sizes_that_are_not_known_are_refused() -> None:
    view = to_quantised_types(network(np.uint8, ends=True))
    with pytest.raises(NoLowering, match="brook does not run CONV_2D"):
        nna.compile(view, "brook")


def test_several_threads() -> None:
    view = view_of()
    program = nna.compile(view, DEVICES)
    inputs = [arrays(view, seed) for seed in range(6)]
    alone = [program(*x)[0] for x in inputs]
    found: dict[int, np.ndarray] = {}

    def work(k: int) -> None:
        for _ in range(10):
            found[k] = program(*inputs[k])[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, result in enumerate(alone):
        np.testing.assert_array_equal(found[k], result)


def convolutions() -> Model:
    """What the chip has alone: two convolutions, and the ports of real numbers."""
    model = Model("two")
    x = through(model.input("x", TensorType(Precision.FLOAT32, (2, 3, 8, 8))), 0.02, -28)
    first = through(activation.relu(convolution(x, 0.02, 4)), 0.05, -128)
    model.outputs = [through(convolution(first, 0.05, 4), 0.5, 3)]
    return to_quantised_types(model)


def test_the_cache_needs_no_model(tmp_path: Path) -> None:
    view = convolutions()
    (x,) = arrays(view)
    first = nna.compile(view, "brook", cache_token="two", cache_dir=tmp_path)
    assert not first.is_restored
    second = nna.compile(None, "brook", cache_token="two", cache_dir=tmp_path)
    assert second.is_restored
    np.testing.assert_array_equal(first(x)[0], second(x)[0])
    distance = np.abs(first(x)[0] - nna.compile(view)(x)[0])
    assert distance.max() <= 0.5  # one step: the chip rounds halves up
    assert (distance > 0).mean() < 0.02


def test_a_damaged_program_is_refused_by_the_driver(tmp_path: Path) -> None:
    """The runtime notices a damaged file; the driver its own part, whoever hands it over."""
    device = manager.acquire("brook")
    context = device.create_context({}, None)
    view = convolutions()
    types = [v.type for v in view.inputs], [v.type for v in view.outputs]
    kept = Cache(*types)
    device.destroy_program(device.create_program(context, view, kept))
    whole = kept.buffer
    rng = np.random.default_rng(0)
    damaged = [b"", whole[:7], whole[:-1], whole + b"\0", b"\0" * len(whole)]
    for _ in range(200):
        data = bytearray(whole)
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        damaged.append(bytes(data))
    for data in damaged:
        with pytest.raises(DeviceError):
            device.create_program(context, None, Cache(*types, data))
    device.destroy_program(device.create_program(context, None, Cache(*types, whole)))
    device.destroy_context(context)


@pytest.mark.long
def test_it_passes_conformance_with_its_limits(drivers: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    words = ["--frontend", "nnir", "--device", "brook", "--preload", "limits"]
    command = [sys.executable, "-m", "nnadapter", "conform", *words]
    command += ["--case", "on integers", "--json", str(report)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(EXAMPLE)])}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    found = Counter(r["verdict"] for r in json.loads(report.read_text())["results"])
    assert set(found) == {"pass", "limit"}
    assert found["pass"] >= 10


@pytest.mark.long
def test_nothing_is_wrong_where_it_is_not_asked_for(drivers: Path, tmp_path: Path) -> None:
    """Every case of the operators that it has, whatever the precision."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "nnadapter", "conform", "--frontend", "nnir"]
    command += ["--device", "brook", "--json", str(report), "--op"]
    command += ["ADD,CONV_2D,FULLY_CONNECTED,MAX_POOL_2D,FLATTEN,RESHAPE,QUANTIZE,DEQUANTIZE"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = Counter(r["verdict"] for r in json.loads(report.read_text())["results"])
    assert set(found) <= {"pass", "refused"}


def test_the_cache_of_another_build_is_compiled_anew(tmp_path: Path) -> None:
    view = convolutions()
    nna.compile(view, "brook", cache_token="two", cache_dir=tmp_path)
    (kept,) = tmp_path.glob("*.nnc")
    data = bytearray(kept.read_bytes())
    data[-9] ^= 1
    kept.write_bytes(data)
    with pytest.warns(CacheWarning):
        program = nna.compile(view, "brook", cache_token="two", cache_dir=tmp_path)
    assert not program.is_restored


def test_the_calls_of_the_standard_reach_the_chip() -> None:
    """A CONV_2D of operands that are declared with their scales, as a framework in C builds it."""
    model = standard.Model.create()

    def operand(kind: Precision, sizes: tuple[int, ...], *how: Any) -> standard.Operand:
        quantization = Quantization(*how) if how else None
        return model.add_operand(OperandType(kind, sizes, quantization=quantization))

    def constant(array: np.ndarray, kind: Precision, *how: Any) -> standard.Operand:
        made = operand(kind, array.shape, *how)
        model.set_operand_value(made, array)
        return made

    def numbers(*values: int) -> standard.Operand:
        return constant(np.array(values, np.int32), Precision.INT32)

    bytes_, scales = Precision.QUANT_UINT8_ASYMM_PER_LAYER, (0.5, 0.25)
    x = operand(bytes_, (1, 1, 2, 2), (0.5,), (3,))
    y = operand(bytes_, (1, 2, 2, 2), (1.0,), (10,))
    weights = np.array([7, -5], np.int8).reshape(2, 1, 1, 1)
    kernel = constant(weights, Precision.QUANT_INT8_SYMM_PER_CHANNEL, scales, (0,), 0)
    steps = tuple(s / 2 for s in scales)
    bias = constant(
        np.array([4, -9], np.int32), Precision.QUANT_INT32_SYMM_PER_CHANNEL, steps, (0,), 0
    )
    rest = [numbers(0), None, numbers(1, 1), numbers(1), numbers(1, 1), numbers(0)]
    model.add_operation("CONV_2D", [x, kernel, bias, *rest], [y])
    model.identify_inputs_and_outputs([x], [y])
    model.finish()
    context = standard.Context.create([standard.Device.acquire("brook")])
    assert model.get_supported_operations(context) == [True]
    data = np.array([[[[0, 3], [9, 255]]]], np.uint8)
    (got,) = nna.compile(model.finished_graph(), "brook")(data)
    exact = ((data.astype(int) - 3) * [[[7]], [[-5]]] + [[[4]], [[-9]]]) * [[[0.25]], [[0.125]]]
    want = np.clip(np.floor(exact + 0.5) + 10, 0, 255)  # the chip rounds halves up
    assert np.array_equal(got, want.astype(np.uint8))
