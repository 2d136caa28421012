"""Flatbuffers: tables of numbered fields, read and built; what is read is never copied.

Source: flatbuffers.dev/internals. Every place is checked against the ends of the buffer, and all
that is read is counted, so that a small file whose lists share their bytes cannot become large.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadFile
from nnir.mapping import Buffer, Span

SPARE = 1 << 20
REPEATS = 16
"""A file may be read so often, and `SPARE` bytes more."""


PACKED = {kind: struct.Struct("<" + kind) for kind in "?bBhHiIqQfd"}
UNPACK = {kind: (packed.unpack_from, packed.size) for kind, packed in PACKED.items()}
unpack_uint32, pack_uint32 = PACKED["I"].unpack_from, PACKED["I"].pack
FEW = 16
"""So many numbers are read faster one by one than as an array."""

ROWS = {
    "<i4": [struct.Struct(f"<{count}i") for count in range(FEW + 1)],
    "<i8": [struct.Struct(f"<{count}q") for count in range(FEW + 1)],
}
"""How few numbers are read, by how many they are."""


class Bytes:
    """The bytes of a file with checked access."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.size = len(data)
        self._left = SPARE + REPEATS * self.size
        self._layouts: dict[int, tuple[int, ...]] = {}

    def number(self, kind: str, place: int) -> Any:
        """A scalar of a `struct` kind."""
        unpack, size = UNPACK[kind]
        self.require(place, size)
        return unpack(self.data, place)[0]

    def numbers(self, kind: str, place: int, count: int) -> tuple[Any, ...]:
        """So many scalars in a row."""
        self.require(place, count * UNPACK[kind][1])
        return struct.unpack_from(f"<{count}{kind}", self.data, place)

    def layout(self, place: int) -> tuple[int, ...]:
        """Where the fields of tables lie, by the layout at `place` which these share; 0: absent."""
        found = self._layouts.get(place)
        if found is None:
            count = (self.number("H", place) - 4) // 2
            found = self._layouts[place] = self.numbers("H", place + 4, max(count, 0))
        return found

    def require(self, place: int, size: int) -> None:
        """BadFile unless so many bytes are there."""
        if not 0 <= place <= place + size <= self.size:
            raise BadFile(f"damaged or truncated flatbuffer: {size} bytes at {place}")
        self.spend(size)

    def spend(self, size: int) -> None:
        """Count so many bytes that are read; BadFile where these are many more than there are."""
        self._left -= size
        if self._left < 0:
            raise BadFile("damaged flatbuffer: its lists are larger than the file")

    def follow(self, place: int) -> int:
        """Where an offset that lies at `place` points to."""
        self.require(place, 4)
        offset: int = unpack_uint32(self.data, place)[0]
        return place + offset

    def vector(self, place: int) -> tuple[int, int]:
        """(start, count) of the vector that the offset at `place` points to."""
        start = self.follow(place)
        self.require(start, 4)
        return start + 4, unpack_uint32(self.data, start)[0]

    def root(self) -> Table:
        """The outermost table."""
        return Table(self, self.follow(0))


class Table:
    """A table: its fields by their slot, absent ones by their default."""

    __slots__ = ("_bytes", "_layout", "_place")

    def __init__(self, data: Bytes, place: int) -> None:
        self._bytes = data
        self._place = place
        self._layout = data.layout(place - data.number("i", place))

    def place(self, slot: int) -> int | None:
        """Where a field lies; None when it is absent."""
        layout = self._layout
        if slot >= len(layout) or not layout[slot]:
            return None
        return self._place + layout[slot]

    def number(self, slot: int, kind: str, default: Any = 0) -> Any:
        """A scalar field of a `struct` kind."""
        place = self.place(slot)
        return default if place is None else self._bytes.number(kind, place)

    def table(self, slot: int) -> Table | None:
        """A field that is a table."""
        place = self.place(slot)
        return None if place is None else Table(self._bytes, self._bytes.follow(place))

    def span(self, slot: int, width: int = 1) -> Span:
        """(start, count) of a vector whose elements have `width` bytes."""
        place = self.place(slot)
        if place is None:
            return 0, 0
        start, count = self._bytes.vector(place)
        self._bytes.require(start, 0 if width == 1 else count * width)
        return start, count

    def array(self, slot: int, dtype: str) -> np.ndarray:
        """A vector of numbers, as a view."""
        width = np.dtype(dtype).itemsize
        start, count = self.span(slot, width)
        self._bytes.require(start, count * width)
        return np.frombuffer(self._bytes.data, dtype, count, start) if count else np.empty(0, dtype)

    def integers(self, slot: int, dtype: str = "<i4") -> list[int]:
        """A vector of integers as a list."""
        place = self.place(slot)
        if place is None:
            return []
        start, count = self._bytes.vector(place)
        if count > FEW:
            found: list[int] = self.array(slot, dtype).tolist()
            return found
        row = ROWS[dtype][count]
        self._bytes.require(start, row.size)
        return list(row.unpack_from(self._bytes.data, start))

    def text(self, slot: int) -> str:
        """A string; what is no UTF-8 shows as question marks."""
        start, count = self.span(slot)
        self._bytes.require(start, count)
        return bytes(self._bytes.data[start : start + count]).decode("utf-8", "replace")

    def tables(self, slot: int) -> Sequence[Table]:
        """A vector of tables."""
        start, count = self.span(slot, 4)
        return [Table(self._bytes, self._bytes.follow(start + 4 * k)) for k in range(count)]


class Builder:
    """Builds a flatbuffer from its end to its beginning.

    What a method returns says where the thing lies, as its distance from the end: what refers to
    it is built after it. Equal layouts of tables are stored once.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._widest = 1
        self._layouts: dict[tuple[int, ...], int] = {}

    def text(self, value: str) -> int:
        """A string, which ends with a zero byte."""
        data = value.encode()
        self._align(4, len(data) + 1)
        return self._put(struct.pack("<I", len(data)) + data + b"\0")

    def array(self, values: np.ndarray) -> int:
        """A vector of numbers."""
        self._align(4, values.nbytes)
        self._align(values.dtype.alignment, values.nbytes)
        return self._put(struct.pack("<I", values.size) + values.tobytes())

    def tables(self, places: Sequence[int]) -> int:
        """A vector of tables."""
        count = len(places)
        self._align(4, 4 * count)
        distances = self._size + 4 * np.arange(count, 0, -1) - np.array(places, np.int64)
        return self._put(struct.pack("<I", count) + distances.astype("<u4").tobytes())

    def table(
        self, offsets: Mapping[int, int], numbers: Mapping[int, tuple[str, Any]] | None = None
    ) -> int:
        """A table: by slot what was built before, and scalars with their `struct` kind."""
        end = self._size
        fields = {slot: self._offset(place) for slot, place in offsets.items()}
        for slot, (kind, value) in (numbers or {}).items():
            data = struct.pack("<" + kind, value)
            self._align(len(data))
            fields[slot] = self._put(data)
        self._align(4)
        start = self._put(bytes(4))
        position = len(self._parts) - 1
        slots = range(max(fields, default=-1) + 1)
        layout = (start - end, *[start - fields[k] if k in fields else 0 for k in slots])
        place = self._layouts.get(layout)
        if place is None:
            words = 2 * (len(layout) + 1), *layout
            place = self._layouts[layout] = self._put(struct.pack(f"<{len(words)}H", *words))
        self._parts[position] = struct.pack("<i", place - start)
        return start

    def finish(self, root: int, identifier: bytes) -> bytearray:
        """The whole buffer; `identifier` are its bytes 4 to 7."""
        self._align(self._widest, 4 + len(identifier))
        self._put(identifier)
        self._offset(root)
        return bytearray().join(reversed(self._parts))

    def _put(self, data: bytes) -> int:
        self._parts.append(data)
        self._size += len(data)
        return self._size

    def _align(self, width: int, size: int = 0) -> None:
        """Pad so that what begins `size` bytes further on lies at a multiple of `width`."""
        if width > self._widest:
            self._widest = width
        padding = -(self._size + size) % width
        if padding:
            self._parts.append(bytes(padding))
            self._size += padding

    def _offset(self, place: int) -> int:
        self._align(4)
        return self._put(pack_uint32(self._size - place + 4))
