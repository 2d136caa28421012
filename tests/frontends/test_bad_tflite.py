"""Damaged and hostile TFLite files: one line, no crash, no hang, no memory without end."""

from __future__ import annotations

import contextlib
import random
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nnadapter as nna
from frontends import tflite as frontend
from frontends.tflite.reading.sparse import places_of
from nnir.errors import BadFile, NNAdapterError, summary
from nnir.formats.flatbuffer import Bytes, Table
from nnir.formats.tflite.schema import SparsityTable

SECONDS = 5


@pytest.fixture(scope="session")
def content(files: Path) -> bytes:
    return (files / "cnn_int8.tflite").read_bytes()


def refused(data: bytes) -> None:
    with pytest.raises(NNAdapterError) as error:
        frontend.load(data)
    assert "\n" not in summary(error.value)


def place_of(data: bytes, path: list[int | tuple[int, int]], slot: int) -> int:
    """Where a field lies; `path` are slots of tables, or (slot, entry) of vectors of tables."""
    table: Table = Bytes(data).root()
    for step in path:
        found = table.tables(step[0])[step[1]] if isinstance(step, tuple) else table.table(step)
        assert found is not None
        table = found
    place = table.place(slot)
    assert place is not None
    return place


def target(data: bytes, place: int) -> int:
    """Where the offset at a place points to."""
    return place + int(struct.unpack_from("<I", data, place)[0])


def patched(data: bytes, place: int, number: int, kind: str = "I") -> bytes:
    changed = bytearray(data)
    struct.pack_into("<" + kind, changed, place, number)
    return bytes(changed)


GRAPH = (2, 0)
HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "root outside": lambda d: patched(d, 0, 0xFFFFFFF0),
    "vtable before the file": lambda d: patched(d, struct.unpack_from("<I", d)[0], 1 << 30, "i"),
    "tensors outside": lambda d: patched(d, place_of(d, [GRAPH], 0), 0x7FFFFFFF),
    "four thousand million operators": lambda d: patched(
        d, target(d, place_of(d, [GRAPH], 3)), 0xFFFFFFFF
    ),
    "an operator's inputs outside": lambda d: patched(
        d, place_of(d, [GRAPH, (3, 0)], 1), 0x7FFFFFF0
    ),
    "a tensor that is not there": lambda d: patched(
        d, target(d, place_of(d, [GRAPH, (3, 0)], 1)) + 4, 70_000, "i"
    ),
    "the tensor behind the last one": lambda d: patched(
        d, target(d, place_of(d, [GRAPH, (3, 0)], 1)) + 4, count_of(d), "i"
    ),
    "a buffer that is not there": lambda d: patched(d, place_of(d, [GRAPH, (0, 2)], 2), 1 << 20),
    "a buffer that ends behind the file": lambda d: patched(
        d, target(d, place_of(d, [(4, buffer_of(d))], 0)), len(d)
    ),
    "a negative size": lambda d: patched(
        d, target(d, place_of(d, [GRAPH, (0, constant_of(d))], 0)) + 4, -7, "i"
    ),
    "a size of two thousand million": lambda d: patched(
        d, target(d, place_of(d, [GRAPH, (0, constant_of(d))], 0)) + 4, 0x7FFFFFFF, "i"
    ),
    "a tensor larger than its buffer": lambda d: patched(
        d, place_of(d, [GRAPH, (0, constant_of(d))], 2), smaller_buffer(d)
    ),
    "an operator of no kind": lambda d: patched(d, place_of(d, [GRAPH, (3, 1)], 0), 900),
}


def constant_of(data: bytes) -> int:
    """The first tensor with data."""
    tensors = Bytes(data).root().tables(2)[0].tables(0)
    buffers = Bytes(data).root().tables(4)
    return next(k for k, t in enumerate(tensors) if buffers[t.number(2, "I")].span(0)[1] > 16)


def count_of(data: bytes) -> int:
    """So many tensors there are."""
    return len(Bytes(data).root().tables(2)[0].tables(0))


def buffer_of(data: bytes) -> int:
    """Its buffer."""
    found: int = Bytes(data).root().tables(2)[0].tables(0)[constant_of(data)].number(2, "I")
    return found


def smaller_buffer(data: bytes) -> int:
    """A buffer with data that come before those of the first tensor, but fewer."""
    buffers = Bytes(data).root().tables(4)
    spans = [b.span(0) for b in buffers]
    start, size = spans[buffer_of(data)]
    fewer = [k for k, (at, n) in enumerate(spans) if 0 < n < size and at + size <= len(data)]
    assert fewer, f"none smaller than {size} at {start}"
    return fewer[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_offsets(name: str, content: bytes) -> None:
    refused(HOSTILE[name](content))


def test_what_is_behind_the_last_one_is_said(content: bytes) -> None:
    count = count_of(content)
    with pytest.raises(BadFile, match=f"refers to entry {count} of {count}"):
        frontend.load(HOSTILE["the tensor behind the last one"](content))


def test_no_flatbuffer() -> None:
    refused(b"\x1c\x00\x00\x00TFL3")
    refused(b"")
    with pytest.raises(BadFile, match="no TFLite file: bytes 4 to 8 are not TFL3"):
        frontend.load(b"PK\x03\x04" + bytes(60))


def test_a_file_that_only_has_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "x.tflite"
    path.write_bytes(b"hello")
    with pytest.raises(BadFile, match="no TFLite file"):
        nna.load(path)


def test_truncated_files(content: bytes) -> None:
    for size in range(0, len(content) - 1, max(1, len(content) // 60)):
        refused(content[:size])


@pytest.mark.parametrize("seed", range(8))
def test_mutated_files(seed: int, files: Path) -> None:
    generator = random.Random(seed)
    names = ("cnn", "cnn_int8", "branched", "looped", "variables")
    sources = [(files / f"{n}.tflite").read_bytes() for n in names]
    for _ in range(40):
        data = bytearray(generator.choice(sources))
        for _ in range(generator.choice((1, 2, 8))):
            place = generator.randrange(len(data) - 4)
            data[place : place + 4] = generator.choice(
                (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", bytes(4), generator.randbytes(4))
            )
        started = time.process_time()
        with contextlib.suppress(NNAdapterError):
            frontend.load(bytes(data))
        assert time.process_time() - started < SECONDS


class Listed:
    """A table of lists, by their slots."""

    def __init__(self, **lists: list[Any]) -> None:
        self._lists = {getattr(SparsityTable, name): found for name, found in lists.items()}

    def integers(self, slot: int) -> list[int]:
        return self._lists[slot]

    tables = integers


@pytest.mark.parametrize(
    ("order", "blocks", "axes"),
    [
        ([0, 2], [], 2),
        ([0, 1], [], 3),
        ([0, 1, 2], [2], 3),
        ([0, 1, 2], [-1], 3),
    ],
)
def test_sparse_axes_that_are_none(order: list[int], blocks: list[int], axes: int) -> None:
    told = {"TRAVERSAL_ORDER": order, "BLOCK_MAP": blocks, "DIM_METADATA": [None] * axes}
    table: Any = Listed(**told)
    with pytest.raises(BadFile, match="sparse axes"):
        places_of(table, (4, 4), 16)
