"""The `.nnc` file: a container of named byte strings with a checksum.

Header (24 bytes, little-endian): magic `.nnc`, version, checksum, four bytes of zero, number of
entries. An entry: size of key and of value (64 bits each), key, value, zeros up to a multiple of
4. Keys are sorted. Version 1, with C structures of the machine as values, is what Paddle-Lite
writes; this is version 2, whose values are texts and numbers, and whose checksum over everything
after the header is the CRC-32 of zlib.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping

from nnir.errors import BadFile

MAGIC = (ord(".") << 24) | (ord("n") << 16) | (ord("n") << 8) | ord("c")
VERSION = 2
HEADER = struct.Struct("<III4xQ")
SIZES = struct.Struct("<QQ")
ALIGNMENT = 4


def pack(entries: Mapping[str, bytes]) -> list[bytes]:
    """The pieces of a file in order; large values are not copied."""
    pieces: list[bytes] = []
    for key, value in sorted(entries.items()):
        name = key.encode()
        gap = -(SIZES.size + len(name) + len(value)) % ALIGNMENT
        pieces += [SIZES.pack(len(name), len(value)) + name, value, b"\0" * gap]
    return [HEADER.pack(MAGIC, VERSION, _checksum(pieces), len(entries)), *pieces]


def _checksum(pieces: Iterable[bytes | memoryview]) -> int:
    found = 0
    for piece in pieces:
        found = zlib.crc32(piece, found)
    return found


def unpack(data: bytes) -> dict[str, memoryview]:
    """Keys and views of the values; BadFile says what is wrong with other data."""
    if len(data) < HEADER.size:
        raise BadFile(f"not a .nnc file, or truncated: {len(data)} bytes")
    magic, version, checksum, count = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise BadFile("not a .nnc file: it begins with other bytes")
    if version != VERSION:
        raise BadFile(f"a .nnc file of version {version}, not {VERSION}")
    body = memoryview(data)[HEADER.size :]
    if _checksum([body]) != checksum:
        raise BadFile("a damaged .nnc file: its checksum is wrong")
    return _entries(body, count)


def _entries(body: memoryview, count: int) -> dict[str, memoryview]:
    found: dict[str, memoryview] = {}
    place = 0
    for _ in range(count):
        if place + SIZES.size > len(body):
            raise BadFile("a truncated .nnc file")
        name, size = SIZES.unpack_from(body, place)
        start = place + SIZES.size + name
        if start + size > len(body):
            raise BadFile("a truncated .nnc file")
        key = bytes(body[start - name : start]).decode(errors="replace")
        found[key] = body[start : start + size]
        place = start + size
        place += -place % ALIGNMENT
    return found
