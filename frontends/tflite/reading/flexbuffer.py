"""FlexBuffers, in which custom operators keep their options: values that know their types.

Source: flatbuffers.dev/flexbuffers. Every place is checked, and all that is read is counted, so
that a few bytes whose lists share what they hold cannot become large.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from nnir.errors import BadFile

DEEPEST = 20
MOST = 100_000
NULL, INT, UINT, FLOAT, KEY, STRING = range(6)
INDIRECT = {6: INT, 7: UINT, 8: FLOAT}
MAP, VECTOR = 9, 10
TYPED = {11: INT, 12: UINT, 13: FLOAT, 14: KEY, 15: STRING, 36: 26}
FIXED = {16 + k: ((INT, UINT, FLOAT)[k % 3], 2 + k // 3) for k in range(9)}
BLOB, BOOL = 25, 26
LETTERS = {INT: "bhiq", UINT: "BHIQ", BOOL: "BHIQ"}
REALS = {2: "e", 4: "f", 8: "d"}


class Item(NamedTuple):
    """A value: where it or its offset lies, how wide that is, and its packed type."""

    place: int
    width: int
    packed: int


def decode(data: bytes) -> Any:
    """The value that a flexbuffer holds; BadFile for damaged ones."""
    return Flexbuffer(data).value(None)


class Flexbuffer:
    """The bytes of a flexbuffer with checked access."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = MOST

    def value(self, item: Item | None, depth: int = 0) -> Any:
        """What an item stands for: None, a number, text, bytes, a list or a dictionary.

        Text that is no UTF-8 becomes bytes again when it is encoded with `surrogateescape`.
        """
        if item is None:
            item = self._root()
        if depth > DEEPEST:
            raise BadFile(f"a flexbuffer {DEEPEST} deep or without end")
        kind, inner = item.packed >> 2, 1 << (item.packed & 3)
        if kind == NULL:
            return None
        if kind in (INT, UINT, FLOAT, BOOL):
            return self._number(kind, item.place, item.width)
        start = self._follow(item.place, item.width)
        if kind in INDIRECT:
            return self._number(INDIRECT[kind], start, inner)
        if kind == KEY:
            return self._key(start)
        if kind in FIXED:
            element, count = FIXED[kind]
            return [self._number(element, start + k * inner, inner) for k in range(count)]
        count = self._number(UINT, start - inner, inner)
        if kind in (STRING, BLOB):
            content = self._bytes(start, count)
            return content if kind == BLOB else content.decode("utf-8", "surrogateescape")
        if kind in (MAP, VECTOR) or kind in TYPED:
            return self._many(kind, start, count, inner, depth)
        raise BadFile(f"a flexbuffer with a value of type {kind}")

    def _root(self) -> Item:
        if len(self.data) < 3:
            raise BadFile(f"a flexbuffer of {len(self.data)} bytes")
        width = self.data[-1]
        return Item(len(self.data) - 2 - width, width, self.data[-2])

    def _many(self, kind: int, start: int, count: int, width: int, depth: int) -> Any:
        """The elements of a list, or what a map has for its keys."""
        self._bytes(start, count * width)
        if kind in TYPED:
            types = [TYPED[kind] << 2] * count
        else:
            types = list(self._bytes(start + count * width, count))
        items = [Item(start + k * width, width, t) for k, t in enumerate(types)]
        values = [self.value(item, depth + 1) for item in items]
        if kind != MAP:
            return values
        keys = self._follow(start - 3 * width, width)
        each = self._number(UINT, start - 2 * width, width)
        self._bytes(keys, count * each)
        names = [self._key(self._follow(keys + k * each, each)) for k in range(count)]
        return dict(zip(names, values, strict=True))

    def _bytes(self, place: int, size: int) -> bytes:
        if place < 0 or size < 0 or place + size > len(self.data):
            raise BadFile(f"damaged flexbuffer: {size} bytes at {place} of {len(self.data)}")
        self.left -= size + 1
        if self.left < 0:
            raise BadFile("damaged flexbuffer: its lists are larger than it is")
        return self.data[place : place + size]

    def _number(self, kind: int, place: int, width: int) -> Any:
        letters = LETTERS.get(kind)
        if width not in (1, 2, 4, 8) or (letters is None and width == 1):
            raise BadFile(f"damaged flexbuffer: a number of {width} bytes")
        letter = REALS[width] if letters is None else letters[width.bit_length() - 1]
        found = struct.unpack("<" + letter, self._bytes(place, width))[0]
        return bool(found) if kind == BOOL else found

    def _follow(self, place: int, width: int) -> int:
        return place - int(self._number(UINT, place, width))

    def _key(self, place: int) -> str:
        end = self.data.find(b"\0", max(place, 0))
        return self._bytes(place, end - place).decode("utf-8", "replace")
