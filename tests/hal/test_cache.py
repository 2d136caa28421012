"""Compiled programs in `.nnc` files: found again, never trusted blindly, never half-written."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import nnadapter as nna
import nnir.fingerprint
import nnir.machine
from hal.device import Cache
from hal.runtime import nnc
from hal.runtime.cache import CacheWarning
from nnir.errors import BadCall, BadFile, BadInput
from nnir.fingerprint import digest
from nnir.model import Model
from nnir.ops import activation, binary, linear
from nnir.types import Precision, TensorType

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
X = np.array([-1, 0, 2], np.float32)


def shifted(by: float = 1.0) -> Model:
    model = Model("shifted")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [activation.relu(binary.add(x, model.constant([by] * 3, np.float32)))]
    return model


@pytest.fixture(autouse=True)
def _no_warnings() -> None:
    warnings.simplefilter("error", CacheWarning)


@pytest.mark.parametrize("device", DEVICES)
def test_a_second_compilation_is_restored(
    mlp: onnx.ModelProto, tmp_path: Path, device: str
) -> None:
    model = nna.load(mlp)
    cold = nna.compile(model, device, cache_dir=tmp_path)
    warm = nna.compile(model, device, cache_dir=tmp_path)
    assert (cold.is_restored, warm.is_restored) == (False, True)
    assert (warm.inputs, warm.outputs) == (cold.inputs, cold.outputs)
    for rows in (1, 5):
        x = np.full((rows, 4), 0.5, np.float32)
        np.testing.assert_array_equal(warm(x)[0], cold(x)[0])
    (file,) = tmp_path.iterdir()
    assert file.suffix == ".nnc"
    assert len(file.stem) == 32
    assert set(file.stem) <= set("0123456789abcdef")


def test_a_split_model_is_restored(tmp_path: Path) -> None:
    programs = [
        nna.compile(shifted(), "onnxruntime,builtin", cache_dir=tmp_path, partition="RELU")
        for _ in range(2)
    ]
    assert [p.is_restored for p in programs] == [False, True]
    assert programs[1].devices == ["onnxruntime", "builtin"]
    np.testing.assert_array_equal(programs[1](X)[0], [0, 1, 3])


def test_the_name_depends_on_all_that_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files(*given: object, **how: object) -> int:
        nna.compile(*given, cache_dir=tmp_path, **how)  # type: ignore[arg-type]
        return len(list(tmp_path.iterdir()))

    assert files(shifted(), "builtin") == 1
    assert files(shifted(), "builtin") == 1
    assert files(shifted(2), "builtin") == 2
    assert files(shifted(), "onnxruntime") == 3
    assert files(shifted(), "onnxruntime", "ONNXRUNTIME_NUM_THREADS=1;") == 4
    assert files(shifted(), "onnxruntime", "TORCH_NUM_THREADS=1;") == 4
    monkeypatch.setenv("ONNXRUNTIME_NUM_THREADS", "1")
    assert files(shifted(), "onnxruntime") == 4
    assert files(shifted(), "onnxruntime", partition="RELU") == 5


def test_a_token_and_no_model(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no usable cache"):
        nna.compile(None, "builtin", cache_token="mine", cache_dir=tmp_path)
    nna.compile(shifted(), "builtin", cache_token="mine", cache_dir=tmp_path)
    program = nna.compile(None, "builtin", cache_token="mine", cache_dir=tmp_path)
    np.testing.assert_array_equal(program(X)[0], [0, 1, 3])
    data = (tmp_path / "mine.nnc").read_bytes()
    again = nna.compile(None, "builtin", cache_token="mine", cache_buffer=data)
    assert again.is_restored
    assert again.outputs == program.outputs


def test_caches_in_memory_of_options(tmp_path: Path) -> None:
    options = nna.Options().set_nnadapter_device_names(["builtin_device"])
    options.set_nnadapter_model_cache_dir(tmp_path)
    nna.compile(shifted(), options)
    (file,) = tmp_path.iterdir()
    assert file.stem == options.token(shifted())
    other = nna.Options().set_nnadapter_device_names(["builtin"])
    other.set_nnadapter_model_cache_buffers(file.stem, file.read_bytes())
    assert nna.compile(shifted(), other).is_restored
    assert not other.model_cache_buffers
    assert not nna.compile(shifted(), other).is_restored


def test_options_take_the_place_of_all_the_rest(tmp_path: Path) -> None:
    options = nna.Options().set_nnadapter_device_names(["builtin"])
    with pytest.raises(BadInput, match="cache_dir, profile: not beside Options"):
        nna.compile(shifted(), options, cache_dir=tmp_path, profile=True)
    assert not list(tmp_path.iterdir())


def damaged(data: bytes) -> dict[str, bytes]:
    """What may have happened to a file, by what the warning says of it."""
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    return {
        "checksum is wrong": bytes(flipped),
        "damaged .nnc file: its": data[: len(data) // 2],
        "truncated: 10 bytes": data[:10],
        "truncated: 0 bytes": b"",
        "begins with other bytes": b"\0" + data[1:],
        "of version 1, not 2": data[:4] + b"\1\0\0\0" + data[8:],
        "damaged .nnc file: KeyError": b"".join(nnc.pack({"num_caches": b"1"})),
        "damaged .nnc file: TypeError": b"".join(nnc.pack({"num_caches": b"null"})),
    }


@pytest.mark.parametrize("why", damaged(b"x" * 40))
@pytest.mark.parametrize("device", DEVICES)
def test_a_damaged_file_is_compiled_anew(tmp_path: Path, device: str, why: str) -> None:
    nna.compile(shifted(), device, cache_dir=tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damaged(whole)[why])
    with pytest.warns(CacheWarning, match=why):
        program = nna.compile(shifted(), device, cache_dir=tmp_path)
    assert not program.is_restored
    np.testing.assert_array_equal(program(X)[0], [0, 1, 3])
    assert nna.compile(shifted(), device, cache_dir=tmp_path).is_restored
    with pytest.raises(BadFile):
        nna.compile(None, device, cache_token="t", cache_buffer=damaged(whole)[why] or b"-")


@pytest.mark.parametrize("device", DEVICES)
def test_a_program_that_the_device_does_not_take(tmp_path: Path, device: str) -> None:
    nna.compile(shifted(), device, cache_dir=tmp_path)
    (file,) = tmp_path.iterdir()
    entries = {k: bytes(v) for k, v in nnc.unpack(file.read_bytes()).items()}
    entries["cache_0_model_buffer"] = b"no program at all, but well wrapped"
    file.write_bytes(b"".join(nnc.pack(entries)))
    with pytest.warns(CacheWarning):
        program = nna.compile(shifted(), device, cache_dir=tmp_path)
    np.testing.assert_array_equal(program(X)[0], [0, 1, 3])


def test_a_cache_of_another_model_or_device(tmp_path: Path) -> None:
    nna.compile(shifted(), "builtin", cache_token="t", cache_dir=tmp_path)
    with pytest.warns(CacheWarning, match="made of another model"):
        program = nna.compile(shifted(5), "builtin", cache_token="t", cache_dir=tmp_path)
    np.testing.assert_array_equal(program(X)[0], [4, 5, 7])
    data = (tmp_path / "t.nnc").read_bytes()
    with pytest.raises(BadFile, match="needs the device 'builtin'"):
        nna.compile(None, "onnxruntime", cache_token="t", cache_buffer=data)
    with pytest.warns(CacheWarning, match="made of another model"):
        nna.compile(shifted(5), "onnxruntime", cache_token="t", cache_dir=tmp_path)


@pytest.mark.parametrize("token", ["../up", "a/b", "x" * 300, "a\0b"])
def test_tokens_stay_in_their_folder(tmp_path: Path, token: str) -> None:
    folder = tmp_path / "caches"
    with pytest.raises(BadCall, match="no plain name"):
        nna.compile(shifted(), "builtin", cache_token=token, cache_dir=folder)
    assert not list(tmp_path.rglob("*.nnc"))


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="no cache folder"):
        nna.compile(shifted(), "builtin", cache_dir=tmp_path / "file")


def test_neither_model_nor_cache() -> None:
    with pytest.raises(BadCall, match="needs a model, a cache in memory"):
        nna.compile(None, "builtin")


WORKER = """
import sys, numpy as np, nnadapter as nna
from nnir.model import Model
from nnir.ops import activation, binary
from nnir.types import Precision, TensorType
model = Model("shifted")
x = model.input("x", TensorType(Precision.FLOAT32, (3, 1 << 18)))
model.outputs = [binary.add(x, model.constant(np.ones((3, 1 << 18), np.float32)))]
sys.stdin.readline()
program = nna.compile(model, "onnxruntime", cache_dir=sys.argv[1])
assert (program(np.zeros((3, 1 << 18), np.float32))[0] == 1).all()
"""


@pytest.mark.long
def test_eight_processes_leave_one_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in range(8)]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    assert [w.wait(120) for w in workers] == [0] * 8
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.close()
    (file,) = tmp_path.iterdir()
    nnc.unpack(file.read_bytes())


EDITS: dict[str, dict[str, bytes]] = {
    "no programs": {"num_caches": b"0"},
    "a negative number of them": {"num_caches": b"-1"},
    "results from nowhere": {"results": b"[[5],1]"},
    "results from no input": {"results": b"[[-7],1]"},
    "too many results": {"results": b"[[0,0],1]"},
    "too many slots": {"results": b"[[0],1000000000000000]"},
    "slots that are no number": {"results": b'[[0],"1"]'},
    "inputs from nowhere": {"cache_0_input_indexes": b"[77]"},
    "inputs before they are made": {"cache_0_input_indexes": b"[0]"},
    "no input": {"cache_0_input_indexes": b"[]"},
    "outputs to an input": {"cache_0_output_indexes": b"[-1]"},
    "outputs that are no numbers": {"cache_0_output_indexes": b"[true]"},
    "no text": {"cache_0_device_name": b"\xff"},
    "other ends": {"input_types": b'[["x",["FLOAT32",[4]]]]'},
    "another device": {"cache_0_device_name": b"abacus"},
    "another release": {"cache_0_device_version": b"builtin 0"},
}


@pytest.mark.parametrize("what", EDITS)
@pytest.mark.parametrize("devices", ["builtin", "onnxruntime", "onnxruntime,builtin"])
def test_files_that_are_well_packed_and_wrong(tmp_path: Path, devices: str, what: str) -> None:
    partition = "RELU" if "," in devices else None
    nna.compile(shifted(), devices, cache_dir=tmp_path, partition=partition)
    (file,) = tmp_path.iterdir()
    entries = {k: bytes(v) for k, v in nnc.unpack(file.read_bytes()).items()}
    data = b"".join(nnc.pack(entries | EDITS[what]))
    file.write_bytes(data)
    with pytest.warns(CacheWarning):
        program = nna.compile(shifted(), devices, cache_dir=tmp_path, partition=partition)
    np.testing.assert_array_equal(program(X)[0], [0, 1, 3])
    if what != "other ends":  # which nothing contradicts without the model
        with pytest.raises(BadFile):
            nna.compile(None, devices, cache_token="t", cache_buffer=data, partition=partition)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    model = Model("leaky")
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [activation.leaky_relu(x, alpha=np.float32(0.5))]
    assert not nna.compile(model, "builtin", cache_dir=tmp_path).is_restored


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "t.nnc").mkdir()
    with pytest.warns(CacheWarning) as told:
        nna.compile(shifted(), "builtin", cache_token="t", cache_dir=tmp_path)
    reasons = [str(w.message) for w in told]
    assert "it is a folder, not a file" in reasons[0]
    assert "cannot write" in reasons[-1]
    assert [p.name for p in tmp_path.iterdir()] == ["t.nnc"]


def test_what_the_engine_is_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hal.drivers.onnxruntime import OnnxRuntime

    nna.compile(shifted(), "onnxruntime", cache_token="t", cache_dir=tmp_path)
    monkeypatch.setattr(OnnxRuntime, "build", lambda self: "onnxruntime 99")
    with pytest.warns(CacheWarning, match="made of another model, or for other devices"):
        nna.compile(shifted(), "onnxruntime", cache_token="t", cache_dir=tmp_path)


@pytest.mark.parametrize("device", DEVICES)
def test_kernels_of_another_processor_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    """ONNX Runtime orders weights as many channels at a time as the registers hold: what it keeps
    gives other numbers on another processor. The model itself runs everywhere."""
    nna.compile(shifted(), device, cache_dir=tmp_path, cache_token="t")
    monkeypatch.setattr(nnir.machine, "features", lambda: "another")
    if device == "builtin":
        assert nna.compile(None, device, cache_dir=tmp_path, cache_token="t").is_restored
        return
    with (
        pytest.warns(CacheWarning, match=f"it needs the device '{device}': .* on "),
        pytest.raises(BadFile, match="no usable cache"),
    ):
        nna.compile(None, device, cache_dir=tmp_path, cache_token="t")
    with pytest.warns(CacheWarning, match="made of another model, or for other devices"):
        again = nna.compile(shifted(), device, cache_dir=tmp_path, cache_token="t")
    assert not again.is_restored


def test_a_program_that_cannot_be_kept_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hal.drivers.builtin import Builtin

    class Forgetful(Builtin):
        name = "forgetful"

        def create_program(self, context: bool, model: Model | None, cache: Cache | None) -> Any:
            return super().create_program(context, model, None)

    found = {d.name: d for d in (Forgetful(), Builtin())}
    monkeypatch.setattr("hal.runtime.context.acquire", found.__getitem__)
    with pytest.warns(CacheWarning, match="no cache is written: forgetful keeps no program"):
        nna.compile(shifted(), "forgetful", cache_dir=tmp_path)
    assert not list(tmp_path.iterdir())


def test_weights_of_a_file_that_nobody_touched_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model("large")
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 600)))
    weight = np.arange(600 * 600, dtype=np.float32).reshape(600, 600) % 7
    model.outputs = [linear.mat_mul(x, model.constant(weight, name="weight"))]
    path, folder = tmp_path / "m.nnir", tmp_path / "caches"
    nna.save(model, path)
    os.utime(path, ns=(1, 1))
    monkeypatch.setattr(nnir.fingerprint, "SETTLED", -(10**12))  # its last change was just now
    wanted = digest(nna.load(path))
    assert digest(nna.load(path), folder) == wanted
    (memo,) = folder.iterdir()
    monkeypatch.setattr(nnir.fingerprint, "_digest", None)  # nothing can be read any more
    assert digest(nna.load(path), folder) == wanted
    monkeypatch.undo()
    assert digest(nna.load(path), folder) == wanted  # too young: read, as without a memo
    memo.write_bytes(b"damaged")
    monkeypatch.setattr(nnir.fingerprint, "SETTLED", -(10**12))
    assert digest(nna.load(path), folder) == wanted
    changed = bytearray(path.read_bytes())
    changed[-1] ^= 1
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))  # the time of the content can be told, that of the change cannot
    assert digest(nna.load(path), folder) == digest(nna.load(path)) != wanted
