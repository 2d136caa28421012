"""The `.nnc` file: a container of named byte strings with a checksum.

Header (24 bytes, little-endian): magic `.nnc`, version, checksum, four bytes of zero, number of
entries. An entry: size of key and of value (64 bits each), key, value. Keys are sorted. Version 1,
with C structures of the machine as values, is what Paddle-Lite writes; this is version 2, whose
values are texts and numbers and begin at multiples of 64 bytes, after zeros, so that a mapped file
can be used as it is. Its checksum over everything after the header is the CRC-32 of zlib.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

from nnir.checksum import crc32
from nnir.errors import BadFile

MAGIC = (ord(".") << 24) | (ord("n") << 16) | (ord("n") << 8) | ord("c")
VERSION = 2
HEADER = struct.Struct("<III4xQ")
SIZES = struct.Struct("<QQ")
ALIGNMENT = 64


Bytes = bytes | memoryview


def pack(entries: Mapping[str, Bytes | Sequence[Bytes]]) -> list[Bytes]:
    """The pieces of a file in order; large values, which may be in pieces, are not copied."""
    pieces: list[Bytes] = []
    place = HEADER.size
    for key, value in sorted(entries.items()):
        parts = [value] if isinstance(value, Bytes) else value
        name, size = key.encode(), sum(map(len, parts))
        head = SIZES.pack(len(name), size) + name
        head += b"\0" * _gap(place + len(head))
        pieces += [head, *parts]
        place += len(head) + size
    return [HEADER.pack(MAGIC, VERSION, _checksum(pieces), len(entries)), *pieces]


def _gap(place: int) -> int:
    """The zeros between a key that ends at `place` and its value."""
    return -place % ALIGNMENT


def _checksum(pieces: Iterable[Bytes]) -> int:
    found = 0
    for piece in pieces:
        found = crc32(piece, found)
    return found


def unpack(data: Bytes) -> dict[str, memoryview]:
    """Keys and views of the values; BadFile says what is wrong with other data."""
    if len(data) < HEADER.size:
        raise BadFile(f"not a .nnc file, or truncated: {len(data)} bytes")
    magic, version, checksum, count = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise BadFile("not a .nnc file: it begins with other bytes")
    if version != VERSION:
        raise BadFile(f"a .nnc file of version {version}, not {VERSION}")
    view = memoryview(data)
    if _checksum([view[HEADER.size :]]) != checksum:
        raise BadFile("a damaged .nnc file: its checksum is wrong")
    return _entries(view, count)


def _entries(view: memoryview, count: int) -> dict[str, memoryview]:
    found: dict[str, memoryview] = {}
    place = HEADER.size
    for _ in range(count):
        if place + SIZES.size > len(view):
            raise BadFile("a truncated .nnc file")
        name, size = SIZES.unpack_from(view, place)
        end = place + SIZES.size + name
        start = end + _gap(end)
        if start + size > len(view):
            raise BadFile("a truncated .nnc file")
        key = bytes(view[end - name : end]).decode(errors="replace")
        found[key] = view[start : start + size]
        place = start + size
    return found
