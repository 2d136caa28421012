"""Variables of a checkpoint: a TensorBundle, which is a LevelDB table and raw data files.

Source: tensorflow/core/util/tensor_bundle and the table format of LevelDB.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nnir.budget import beside
from nnir.errors import BadFile, Unsupported
from nnir.formats.wire import varint
from nnir.mapping import Buffer, map_file

from .crc32c import crc32c, unmask
from .messages import BUNDLE_ENTRY, BUNDLE_HEADER, decode
from .tensors import precision, shape

MAGIC = bytes.fromhex("57fb808b247547db")
FOOTER = 48
TRAILER = 5
"""After a block: how it is compressed, and its checksum."""

MOST_SHARDS = 10_000
CHECKED = 1 << 16
"""Bytes of a variable whose checksum is compared while reading; larger ones stay untouched."""


CHECKED_BLOCK = 1 << 22
SPARE, REPEATS = 1 << 22, 2
"""Bytes of one block of the index, and of all of them: so often as the file has, and `SPARE`."""


class Bundle:
    """The variables of a checkpoint by their keys; arrays are views into the data files."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.entries: dict[str, dict[str, Any]] = {}
        data = map_file(self.place(prefix.name + ".index"))
        header: dict[str, Any] = {}
        for key, place in _table(data):
            if key == b"":
                header = decode(data, place, BUNDLE_HEADER)
            else:
                name = key.decode("utf-8", "surrogateescape")
                self.entries[name] = decode(data, place, BUNDLE_ENTRY)
        if header.get("endianness", 0):
            raise Unsupported("a checkpoint in big-endian byte order")
        self.count = header.get("num_shards", 1)
        if not 0 < self.count <= MOST_SHARDS:
            raise BadFile(f"a checkpoint of {self.count} files")
        self.shards: dict[int, Buffer] = {}

    def place(self, name: str) -> Path:
        """A file of the checkpoint; the folder of the SavedModel is that above its own."""
        return beside(self.prefix.parent.parent, self.prefix.parent.name + "/" + name)

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self.entries:
            raise BadFile(f"the checkpoint has no variable {key!r}")
        entry = self.entries[key]
        if entry.get("slices"):
            raise Unsupported(f"{key!r} is a partitioned variable")
        dtype = precision(entry.get("dtype", 0)).dtype
        sizes = shape(entry.get("shape", {})) or ()
        start, size = entry.get("offset", 0), entry.get("size", 0)
        data = self.shard(entry.get("shard", 0))
        if min(start, size, *sizes, 0) < 0 or size != math.prod(sizes) * dtype.itemsize:
            raise BadFile(f"{key!r}: {size} bytes for {list(sizes)} of {dtype}")
        if start + size > len(data):
            raise BadFile(f"{key!r} ends behind the checkpoint's data file")
        stored = entry.get("crc32c") if size <= CHECKED else None
        if stored and crc32c(bytes(data[start : start + size])) != unmask(stored):
            raise BadFile(f"{key!r} is damaged: its checksum is another one")
        return np.frombuffer(data, dtype, math.prod(sizes), start).reshape(sizes)

    def shard(self, number: int) -> Buffer:
        """One data file."""
        if not 0 <= number < self.count:
            raise BadFile(f"the checkpoint has no data file {number}")
        if number not in self.shards:
            name = f"{self.prefix.name}.data-{number:05d}-of-{self.count:05d}"
            self.shards[number] = map_file(self.place(name))
        return self.shards[number]


def _table(data: Buffer) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Keys and the places of their values."""
    if len(data) < FOOTER or data[len(data) - len(MAGIC) :] != MAGIC:
        raise BadFile("the checkpoint's index is damaged: it has no table footer")
    end = len(data)
    position = end - FOOTER
    for _ in range(2):  # the block of block names, which is not used here
        _, position = varint(data, position, end)
    start, position = varint(data, position, end)
    size, position = varint(data, position, end)
    left = SPARE + REPEATS * len(data)
    for _, (first, last) in _block(data, start, size):
        offset, at = varint(data, first, last)
        length, _ = varint(data, at, last)
        left -= length
        if left < 0:
            raise BadFile("the checkpoint's index is damaged: its blocks are larger than it")
        yield from _block(data, offset, length)


def _block(data: Buffer, start: int, size: int) -> Iterator[tuple[bytes, tuple[int, int]]]:
    end = start + size
    if size > CHECKED_BLOCK:
        raise BadFile(f"the checkpoint's index is damaged: a block of {size} bytes")
    if size < 4 or end + TRAILER > len(data):
        raise BadFile("the checkpoint's index is damaged: a block ends behind it")
    if data[end] != 0:
        raise Unsupported("a checkpoint whose index is compressed")
    stored = int.from_bytes(data[end + 1 : end + TRAILER], "little")
    if crc32c(bytes(data[start : end + 1])) != unmask(stored):
        raise BadFile("the checkpoint's index is damaged: its checksum is another one")
    restarts = int.from_bytes(data[end - 4 : end], "little")
    limit = end - 4 - 4 * restarts
    if limit < start:
        raise BadFile("the checkpoint's index is damaged: a block of restarts")
    position, key = start, b""
    while position < limit:
        shared, position = varint(data, position, limit)
        own, position = varint(data, position, limit)
        length, position = varint(data, position, limit)
        if shared > len(key) or position + own + length > limit:
            raise BadFile("the checkpoint's index is damaged: a key ends behind its block")
        key = key[:shared] + bytes(data[position : position + own])
        position += own
        yield key, (position, position + length)
        position += length
