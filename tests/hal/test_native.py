"""Drivers in C: found on the path, validated, run, and never trusted with a wrong shape."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal.drivers.native.driver import driver_of
from hal.runtime import manager
from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError, NoDevice, NoLowering, OutOfMemory, Unsupported
from nnir.model import Model
from nnir.ops import activation, binary, conv, unary
from nnir.types import Fuse, Precision, TensorType

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "driver" / "sample.c"
COMPILER = shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


def built(folder: Path, name: str, text: str) -> Path:
    """A driver library of a C text."""
    source = folder / f"{name}.c"
    source.write_text(text)
    library = folder / f"lib{name}.so"
    flags = ["-std=c11", "-Wall", "-Wextra", "-shared", "-fPIC"]
    flags += ["-Werror"] if text == SOURCE.read_text() else ["-w"]
    include = ["-I", str(ROOT / "hal" / "include")]
    subprocess.run([str(COMPILER), *flags, *include, "-o", str(library), str(source)], check=True)
    return library


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drivers")
    built(folder, "sample", SOURCE.read_text())
    return folder


@pytest.fixture(autouse=True)
def _on_the_path(drivers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(drivers))


def network() -> Model:
    """A convolution with a bias, an activation, a scale, and something that C does not run."""
    model = Model("network")
    rng = np.random.default_rng(0)
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("batch"), 4, 5, 6)))
    model.symbols["batch"] = (0, None)
    filter = model.constant(rng.standard_normal((6, 2, 3, 2)), np.float32)
    bias = model.constant(rng.standard_normal(6), np.float32)
    y = conv.conv_2d(x, filter, bias, pads=(1, 0, 2, 1), strides=(2, 1), group=2, dilations=(1, 2))
    y = binary.mul(y, model.constant(np.full((6, 1, 1), -0.5), np.float32), fuse_code=Fuse.RELU6)
    model.outputs = [activation.relu(binary.add(y, y)), y]
    return model


def test_the_sample_runs_what_it_says() -> None:
    assert "sample" in manager.names()
    program = nna.compile(network(), "sample")
    for batch in (1, 3, 0):
        x = np.random.default_rng(batch).standard_normal((batch, 4, 5, 6)).astype(np.float32)
        results = program(x)
        for ours, theirs in zip(results, nna.compile(network())(x), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def test_several_threads() -> None:
    program = nna.compile(network(), "sample")
    inputs = [np.full((1, 4, 5, 6), k, np.float32) for k in range(8)]
    alone = [program(x)[0] for x in inputs]
    found: dict[int, np.ndarray] = {}

    def work(k: int) -> None:
        for _ in range(20):
            found[k] = program(inputs[k])[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, result in enumerate(alone):
        np.testing.assert_array_equal(found[k], result)


def test_the_caller_gives_the_memory() -> None:
    program = nna.compile(network(), "sample")
    x = np.ones((1, 4, 5, 6), np.float32)
    mine = np.empty_like(program(x)[1])
    results = program(x, outputs=[None, mine])
    assert results[1] is mine
    np.testing.assert_array_equal(mine, program(x)[1])


def test_the_rest_runs_elsewhere() -> None:
    model = network()
    model.outputs[0] = unary.exp(unary.neg(model.outputs[0]))
    with pytest.raises(NoLowering, match=r"sample does not run EXP of .* \(x1\)"):
        nna.compile(model, "sample")
    program = nna.compile(model, ["sample", "builtin"])
    assert program.devices == ["sample", "builtin"]
    x = np.ones((2, 4, 5, 6), np.float32)
    np.testing.assert_allclose(program(x)[0], nna.compile(model)(x)[0], rtol=1e-6)


def test_a_size_that_does_not_fit_comes_back_as_an_error() -> None:
    model = Model("sizes")
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("a"),)))
    y = model.input("y", TensorType(Precision.FLOAT32, (symbol("b"),)))
    model.symbols.update({"a": (0, None), "b": (0, None)})
    model.outputs = [binary.add(x, y)]
    program = nna.compile(model, "sample")
    with pytest.raises(BadInput, match="INVALID_DIMENSIONS"):
        program(np.ones(2, np.float32), np.ones(3, np.float32))


@pytest.mark.long
def test_it_passes_conformance_for_what_it_validates(drivers: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "nnadapter", "conform", "--suite", "cases"]
    command += ["--device", "sample", "--frontend", "onnx", "--json", str(report)]
    command += ["--op", "Add,Mul,Relu,Conv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert report.exists(), done.stderr
    found = Counter((r["op"], r["verdict"]) for r in json.loads(report.read_text())["results"])
    assert {verdict for _, verdict in found} <= {"pass", "refused", "limit"}
    assert all(found[op, "pass"] >= 2 for op in ("Add", "Mul", "Relu", "Conv")), found


BROKEN = """
#include "nnadapter_hal.h"
static int open_device(const NNAdapterHost *host, void **device) {
  (void)host; (void)device; return %s;
}
const NNAdapterDriver __nnadapter_device__%s = {
  .abi = %s, .name = "x", .vendor = "x", .type = %s, .open_device = open_device };
"""


def broken_sample(name: str, old: str, new: str) -> str:
    """The sample driver under another name, with a change."""
    text = SOURCE.read_text().replace("return NNADAPTER_NO_ERROR;", "return 0;")
    assert old in text
    return text.replace("__nnadapter_device__sample", f"__nnadapter_device__{name}").replace(
        old, new
    )


ODD = {
    "rank": (
        "outputs[k].access(outputs[k].memory, &tensor->type)",
        "(tensor->type.dimension_count = 0, outputs[k].access(outputs[k].memory, &tensor->type))",
        DeviceError,
        "precision 10 of shape",
    ),
    "precision": (
        "outputs[k].access(outputs[k].memory, &tensor->type)",
        "(tensor->type.precision = 5, outputs[k].access(outputs[k].memory, &tensor->type))",
        DeviceError,
        "precision 5 of shape",
    ),
    "nowhere": (
        "outputs[k].access(outputs[k].memory,",
        "outputs[k].access((void *)99,",
        DeviceError,
        "an output: ",
    ),
    "full": ("if (tensors == NULL) return", "if (tensors != NULL) return", OutOfMemory, "MEMORY"),
    "odd": (
        "int code = run(program, tensors",
        "return 77; int code = run(program, tensors",
        DeviceError,
        "result code 77",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_drivers_that_answer_oddly(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(tmp_path))
    old, new, kind, text = ODD[name]
    built(tmp_path, name, broken_sample(name, old, new))
    program = nna.compile(network(), name)
    with pytest.raises(kind, match=text):
        program(np.ones((1, 4, 5, 6), np.float32))


def test_a_driver_that_asks_twice_writes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(tmp_path))
    old = "void *memory = outputs[k].access(outputs[k].memory, &tensor->type);"
    text = broken_sample(
        "twice", old, f"{old}\n    outputs[k].access(outputs[k].memory, &tensor->type);"
    )
    built(tmp_path, "twice", text)
    x = np.ones((1, 4, 5, 6), np.float32)
    got, want = nna.compile(network(), "twice")(x), nna.compile(network())(x)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-6)


def test_a_driver_that_does_not_validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(tmp_path))
    built(tmp_path, "blind", broken_sample("blind", ".validate_program = validate_program,", ""))
    x = np.ones((1, 4, 5, 6), np.float32)
    assert nna.compile(network(), "blind")(x)[0].shape[0] == 1
    with pytest.raises(Unsupported, match="does not say what it runs"):
        nna.compile(network(), "blind,builtin")


def test_libraries_that_are_no_drivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", f"{tmp_path}:{tmp_path / 'none'}")
    built(tmp_path, "old", BROKEN % (0, "old", 99, 0))
    built(tmp_path, "shy", broken_sample("shy", "host = given;", "return 5;"))
    built(tmp_path, "part", BROKEN % (0, "part", 1, 0))
    built(tmp_path, "other", BROKEN % (0, "elsewhere", 1, 0))
    built(tmp_path, "kind", BROKEN % (0, "kind", 1, 77))
    (tmp_path / "libtext.so").write_text("no library")
    for name, text in {
        "old": "of version 99 of the driver interface, not 1",
        "shy": "does not open: DEVICE_INTERNAL_ERROR",
        "part": "has no close_device, create_context",
        "other": "is no driver of 'other'",
        "kind": "damaged description",
        "text": "is no driver of 'text'",
    }.items():
        with pytest.raises(NoDevice, match=text):
            nna.compile(network(), name)
    assert not nna.Options.check_nnadapter_device_name("old")


def test_the_header_and_the_structures_agree(tmp_path: Path) -> None:
    """Sizes of all structures, as the compiler has them."""
    from hal.drivers.native import structures

    names = {
        "OperandType": structures.OperandType,
        "Operand": structures.Operand,
        "Operation": structures.Operation,
        "Host": structures.Host,
        "Argument": structures.Argument,
        "Cache": structures.CacheBuffer,
        "Driver": structures.Driver,
    }
    lines = [f'printf("%zu\\n", sizeof(NNAdapter{n}));' for n in names]
    text = '#include <stdio.h>\n#include "nnadapter_hal.h"\nint main(void) {%s return 0; }'
    source = tmp_path / "sizes.c"
    source.write_text(text % "\n".join(lines))
    program = tmp_path / "sizes"
    include = ["-I", str(ROOT / "hal" / "include")]
    subprocess.run([str(COMPILER), *include, "-o", str(program), str(source)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    import ctypes

    assert [int(n) for n in done.stdout.split()] == [ctypes.sizeof(s) for s in names.values()]


def test_the_class_says_what_the_library_says(drivers: Path) -> None:
    found = driver_of("sample", drivers / "libsample.so")
    assert (found.name, found.vendor, found.version) == ("sample", "NNAdapter", 1)
