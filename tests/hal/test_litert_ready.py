"""The litert device: models in memory, whose weights lie in a file as kernels read them."""

from __future__ import annotations

import concurrent.futures
import ctypes
import errno
import mmap
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal.device import Cache
from hal.drivers.litert import holding as holding_of
from hal.drivers.litert import library, region, runner
from hal.drivers.litert.driver import LiteRT
from hal.drivers.litert.ready import ReadyFile
from hal.drivers.litert.region import PAGE, lay_out
from hal.drivers.litert.runner import MOST, Interpreted, Pool, Ready, Shaped
from hal.drivers.litert.writer import Graph, Step, Tensor, Writer, append_weights, join_parts
from hal.runtime.cache import CacheWarning
from nnir.formats.flatbuffer import Bytes
from nnir.formats.tflite.schema import BufferTable, ModelTable
from nnir.mapping import map_file
from nnir.model import Model, Value
from nnir.ops import activation, binary, index, linear, shape
from nnir.types import Precision, TensorType

ROOT = Path(__file__).parents[2]
FLOAT32 = Precision.FLOAT32
RNG = np.random.default_rng(0)

pytestmark = pytest.mark.skipif(
    library.open_library() is None, reason="another release of LiteRT, or another system"
)


def wide(*more: Callable[[Value], Value], names: tuple[str, str] = ("a", "b")) -> Model:
    """a @ weights + b, with weights of a megabyte and more, and what `more` makes of a."""
    model = Model()
    a, b = (model.input(n, TensorType(FLOAT32, (3, 520))) for n in names)
    weights = RNG.normal(size=(520, 520)).astype(np.float32)
    product = linear.fully_connected(a, model.constant(weights), zeros(model, 520))
    model.outputs = [binary.add(product, b), *(make(a) for make in more)]
    return model


def zeros(model: Model, count: int) -> Value:
    return model.constant(np.zeros(count, np.float32))


def numbers(model: Model) -> list[np.ndarray]:
    return [RNG.normal(size=v.sizes).astype(v.dtype) for v in model.inputs]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """What was made to run files, in order."""
    found: list[type] = []
    make = Pool.make

    def note(self: Pool) -> Any:
        runner = make(self)
        found.append(type(runner))
        return runner

    monkeypatch.setattr(Pool, "make", note)
    return found


def require_right(program: Any, model: Model) -> None:
    data = numbers(model)
    want = nna.compile(model, "builtin")(*data)
    for mine, theirs in zip(program(*data), want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-4)


def test_the_bits_are_those_of_an_interpreter(
    made: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = wide()
    data = numbers(model)
    mine = nna.compile(model, "litert")(*data)
    monkeypatch.setattr(runner, "open_library", lambda: None)
    theirs = nna.compile(model, "litert")(*data)
    assert made == [Ready, Interpreted]
    np.testing.assert_array_equal(mine, theirs)


def test_small_weights_are_packed_by_an_interpreter(made: list[type]) -> None:
    model = Model()
    x = model.input("x", TensorType(FLOAT32, (3, 4)))
    weights = model.constant(np.ones((4, 4), np.float32))
    model.outputs = [linear.fully_connected(x, weights, zeros(model, 4))]
    require_right(nna.compile(model, "litert"), model)
    assert made == [Interpreted]


@pytest.mark.parametrize(
    "properties", ["LITERT_XNNPACK=0", "NNADAPTER_PROFILE=1"], ids=["plain", "profile"]
)
def test_kernels_of_other_kinds_pack_nothing(made: list[type], properties: str) -> None:
    model = wide()
    require_right(nna.compile(model, "litert", properties=properties), model)
    assert made == [Interpreted]


@pytest.mark.parametrize("names", [("a", "a"), ("z", "a"), ("", "ü")])
def test_inputs_are_told_apart_by_their_order(made: list[type], names: tuple[str, str]) -> None:
    model = wide(names=names)
    require_right(nna.compile(model, "litert"), model)
    assert made == [Ready]


def test_threads_have_models_of_their_own(made: list[type]) -> None:
    model = wide()
    program = nna.compile(model, "litert")
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: require_right(program, model), range(16)))
    assert {*made} == {Ready}
    assert len(made) <= MOST


def test_a_result_that_no_run_makes_is_an_interpreters(made: list[type]) -> None:
    """LiteRT leaves what it knows before a run in memory of its own."""
    model = wide(lambda a: shape.shape(a, dtype=Precision.INT64))
    program = nna.compile(model, "litert")
    require_right(program, model)
    require_right(program, model)
    assert made == [Ready, Interpreted]


def test_what_goes_wrong_is_said(made: list[type]) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.INT32, (2,)))
    table = model.constant(RNG.normal(size=(1000, 300)).astype(np.float32))
    model.outputs = [index.gather(table, x, axis=0)]
    program = nna.compile(model, "litert")
    (good,) = program(np.array([1, -1], np.int32))
    with pytest.raises(nna.NNAdapterError, match="gather index out of bounds"):
        program(np.array([1, 1000], np.int32))
    (again,) = program(np.array([1, -1], np.int32))
    np.testing.assert_array_equal(good, again)
    assert made == [Ready, Interpreted]


@pytest.mark.parametrize("why", ["quota", "full", "limit", "no folder"])
def test_without_room_for_a_file_weights_are_packed_in_memory(
    made: list[type], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """Kernels that cannot write would end the process."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if why == "quota":
        monkeypatch.setattr(os, "major", lambda _: 8)
        monkeypatch.setattr(os, "posix_fallocate", refuse)
    elif why == "full":
        disk = SimpleNamespace(f_bavail=100, f_frsize=4096)
        monkeypatch.setattr(os, "fstatvfs", lambda _: disk)
    elif why == "limit":
        monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 20, resource.RLIM_INFINITY))
    else:
        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    model = wide()
    require_right(nna.compile(model, "litert"), model)
    assert made == [Interpreted]


def test_a_full_disk_is_found_before_kernels_write() -> None:
    """In a process of its own, whose files are limited for real."""
    code = (
        "import resource, numpy as np, nnadapter as nna\n"
        "from tests.hal.test_litert_ready import numbers, wide\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "model = wide(); data = numbers(model)\n"
        "mine, theirs = (nna.compile(model, d)(*data)[0] for d in ('litert', 'builtin'))\n"
        "print(np.allclose(mine, theirs, rtol=1e-5, atol=1e-4))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "True", done.stderr


def test_without_descriptors_an_interpreter_helps(
    made: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: ReadyFile) -> int:
        raise OSError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(ReadyFile, "open", refuse)
    model = wide()
    require_right(nna.compile(model, "litert"), model)
    assert made == [Interpreted]


def test_there_is_room_for_weights_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows or columns are as many as a block has, bytes become floats, and what two operations
    read is packed twice."""
    asked: list[int] = []
    monkeypatch.setattr(ReadyFile, "of_room", lambda room: asked.append(room))
    for sizes, times in (
        ((1, 3 << 18), 1),
        ((3 << 18, 1), 1),
        ((128, 3 << 11, 1), 1),
        ((2, 3 << 18), 2),
    ):
        model = Model()
        x = model.input("x", TensorType(FLOAT32, (*sizes[:-2], 1, sizes[-2])))
        weights = model.constant(np.ones(sizes, np.float32))
        model.outputs = [linear.mat_mul(x, weights) for _ in range(times)]
        nna.compile(model, "litert")
        assert asked.pop() >= 128 * times * (3 << 18) * 4


def files_of(folder: Path) -> list[str]:
    return sorted(p.suffix for p in folder.iterdir() if p.suffix != ".digest")


def test_a_cache_has_its_weights_beside_it(tmp_path: Path, made: list[type]) -> None:
    model, folder = wide(), tmp_path / "new"
    require_right(nna.compile(model, "litert", cache_dir=folder), model)
    assert files_of(folder) == [".nnc", ".xnnpack"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        again = nna.compile(model, "litert", cache_dir=folder)
    assert again.is_restored
    require_right(again, model)
    assert made == [Ready, Ready]


@pytest.mark.parametrize("damage", ["gone", "other bytes", "shorter", "empty", "a folder"])
def test_lost_weights_are_packed_again(tmp_path: Path, made: list[type], damage: str) -> None:
    model = wide()
    nna.compile(model, "litert", cache_dir=tmp_path)
    (path,) = tmp_path.glob("*.xnnpack")
    whole = path.read_bytes()
    path.unlink()
    if damage == "a folder":
        path.mkdir()
    elif damage != "gone":
        other = {"other bytes": b"x" + whole[1:], "shorter": whole[:-1], "empty": b""}
        path.write_bytes(other[damage])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        again = nna.compile(model, "litert", cache_dir=tmp_path)
    assert [w.category for w in told] == [CacheWarning] * (damage == "a folder")
    assert again.is_restored
    require_right(again, model)
    assert {*made} == {Ready}
    if damage != "a folder":
        assert path.read_bytes() == whole


def test_weights_of_other_kernels_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = wide()
    nna.compile(model, "litert", cache_dir=tmp_path)
    (path,) = tmp_path.glob("*.xnnpack")
    path.unlink()
    monkeypatch.setattr(ReadyFile, "identity", property(lambda _: {"size": 1, "crc32": 2}))
    with pytest.warns(CacheWarning, match=r"packed at each start; delete its \.nnc file"):
        again = nna.compile(model, "litert", cache_dir=tmp_path)
    require_right(again, model)
    assert not path.exists()


def test_a_cache_in_memory_packs_anew(made: list[type]) -> None:
    device, model = LiteRT(), wide()
    device.open_device()
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    context, data = device.create_context({}, None), numbers(model)
    first = device.create_program(context, model, cache)
    again = device.create_program(context, None, cache)
    want, got = (device.execute_program(p, data) for p in (first, again))
    np.testing.assert_array_equal(want, got)
    assert made == [Ready, Ready]


def test_who_reads_ready_weights_writes_none(tmp_path: Path, made: list[type]) -> None:
    """Weights that kernels do not take, as those of another processor, stay as they are."""
    model = wide()
    nna.compile(model, "litert", cache_dir=tmp_path)
    (path,) = tmp_path.glob("*.xnnpack")
    other = b"\xff" * 64 + path.read_bytes()[64:]
    path.write_bytes(other)
    device, data = LiteRT(), numbers(model)
    (form,) = device.create_program(device.create_context({}, None), model, None).forms.values()
    file = ReadyFile(path.open("rb"))
    pool = Pool(form.pool.content, 1, True, ends=form.pool.ends, ready=file)
    for _ in range(2):
        np.testing.assert_array_equal(Shaped(pool).run(data, []), form.run(data, []))
    assert made[1:] in ([Ready, Ready, Interpreted], [Ready, Interpreted])
    assert path.read_bytes() == other


def test_offered_memory_is_written_to() -> None:
    device, model = LiteRT(), wide(lambda a: activation.relu(a))
    program = device.create_program(device.create_context({}, None), model, None)
    data, room = numbers(model), np.zeros((3, 520), np.float32)
    first, second = device.execute_program(program, data, [room, np.zeros(3, np.float32)])
    assert first is room
    assert second.shape == (3, 520)
    kept = second.copy()
    device.execute_program(program, numbers(model))
    np.testing.assert_array_equal(second, kept)


def test_memory_holds_the_same_bytes_as_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that is mapped, at places of all kinds, and of others, which are copied."""
    copied: list[int] = []
    copy = region._copy

    def note(array: np.ndarray, target: np.ndarray) -> None:
        copied.append(array.nbytes)
        copy(array, target)

    monkeypatch.setattr(region, "_copy", note)
    path = tmp_path / "weights"
    path.write_bytes(RNG.bytes(PAGE * 100))
    mapped = map_file(path)
    places = (0, 16, 4 * PAGE - 16, 4 * PAGE, 5 * PAGE + 4, 64, 64)
    weights = [
        np.frombuffer(mapped, np.uint8, 17 * PAGE + extra, place)
        for extra, place in enumerate(places)
    ]
    weights += [np.arange(7, dtype=np.int32), RNG.normal(size=(300, 90)).astype(np.float32).T]
    operands = [Tensor(Precision.UINT8, (w.nbytes,), w) for w in weights]
    joined = Tensor(Precision.UINT8, (sum(w.nbytes for w in weights),))
    graph = Graph("all", [], [joined], [Step("CONCATENATION", [*operands], [joined])])
    writer = Writer(graph, [], ["y"])
    tables = writer.tables()
    memory, paged = lay_out(bytearray(tables), weights)
    assert copied == [weights[k].nbytes for k in (4, 7, 8)]  # 4 begins at no multiple of 16
    assert [*map(id, paged)] == [id(weights[k]) for k in (0, 1, 2, 3, 5, 6)]
    file = join_parts(append_weights(bytearray(tables), weights))
    for whole in (bytes(memory), file):
        buffers = Bytes(whole).root().tables(ModelTable.BUFFERS)[1:]
        found = [b.array(BufferTable.DATA, "<u1").tobytes() for b in buffers]
        assert found == [w.tobytes() for w in weights]


def test_the_pages_of_a_source_stay_in_memory(
    tmp_path: Path, made: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiteRT tells the system to take those away that it has packed; whoever starts next would read
    them from the disk."""
    model, told = wide(), list[tuple[int, int, int]]()
    advise = holding_of.advise()

    def note(address: int, size: int, advice: int) -> int:
        told.append((address, size, advice))
        return advise(address, size, advice)

    monkeypatch.setattr(holding_of, "advise", lambda: note)
    nna.convert(model, tmp_path / "wide.tflite", verify=False)
    with (tmp_path / "wide.tflite").open("rb") as file:
        os.fsync(file.fileno())  # pages that are not on the disk yet stay anyway
    program = nna.compile(nna.load(tmp_path / "wide.tflite"), "litert")
    assert made == [Ready]
    (weights,) = [a for a in program_weights(tmp_path / "wide.tflite") if a.nbytes > PAGE]
    sizes = {advice: size for _, size, advice in told}
    assert sizes.keys() == {holding_of.POPULATE_READ, holding_of.DONTNEED}
    assert sizes[holding_of.DONTNEED] in range(weights.nbytes, weights.nbytes + 2 * PAGE)
    if advise(told[0][0], PAGE, holding_of.POPULATE_READ) == 0:
        assert resident_pages(tmp_path / "wide.tflite")
    program.close()


def program_weights(path: Path) -> list[np.ndarray]:
    """The constants of a file."""
    return [v.constant for v in nna.load(path).values() if v.constant is not None]


def resident_pages(path: Path) -> bool:
    """Whether all pages of a file are in memory."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    array = np.frombuffer(mapped, np.uint8)
    found = np.zeros(-(-len(array) // PAGE), np.uint8)
    address = ctypes.c_void_p(array.ctypes.data)
    status = ctypes.CDLL(None).mincore(
        address, ctypes.c_size_t(len(array)), ctypes.c_void_p(found.ctypes.data)
    )
    assert status == 0
    return bool((found & 1).all())
