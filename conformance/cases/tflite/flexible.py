"""FlexBuffers as custom operators keep their options in them: flatbuffers.dev/flexbuffers."""

from __future__ import annotations

import struct
from typing import Any

SIGNED, UNSIGNED, REAL = "bhiq", "BHIQ", "eefd"
INT, UINT, FLOAT, NULL, MAP, VECTOR, BOOL = 1, 2, 3, 0, 9, 10, 26
FAR = {INT: 6, UINT: 7, FLOAT: 8}
"""The kind of a number that stands somewhere else."""


def flexible(
    *, width: int = 4, far: bool = False, unsigned: bool = False, depth: int = 0, **given: Any
) -> dict[str, Any]:
    """The options of a custom operator: a map, every value of which has so many bytes.

    `far`: numbers stand outside of the map, as floats of a narrow map must. `unsigned`: whole
    numbers have no sign. `depth`: beside them, what nobody reads is a list in a list, so deep.
    """
    values = dict(sorted(given.items() if not depth else (given | {"zzz": None}).items()))
    buffer, size = bytearray(), width.bit_length() - 1
    places, kinds = {}, {}
    for name, value in values.items():
        kind = {bool: BOOL, int: UINT if unsigned else INT, float: FLOAT}.get(type(value), VECTOR)
        kinds[name] = kind << 2 | size
        if kind == VECTOR:
            places[name], kinds[name] = _nest(buffer, depth, width), VECTOR << 2 | size
        elif kind in FAR and (far or (kind == FLOAT and width < 4)):
            places[name], kinds[name] = len(buffer), FAR[kind] << 2 | 2
            buffer += _number(value, kind, 4)
    starts = []
    for name in values:
        starts.append(len(buffer))
        buffer += name.encode() + b"\0"
    buffer += b"\0" * (-len(buffer) % 8) + struct.pack("<I", len(values))
    keys = len(buffer)
    for start in starts:
        buffer += struct.pack("<I", len(buffer) - start)
    buffer += _number(len(buffer) - keys, UINT, width) + _number(4, UINT, width)
    buffer += _number(len(values), UINT, width)
    first = len(buffer)
    for name, value in values.items():
        if name in places:
            buffer += _number(len(buffer) - places[name], UINT, width)
        else:
            buffer += _number(value, kinds[name] >> 2, width)
    buffer += bytes(kinds.values())
    buffer += bytes([len(buffer) - first, MAP << 2 | size, 1])
    return {"custom_options": list(buffer)}


def _nest(buffer: bytearray, depth: int, width: int) -> int:
    """Lists of one list each, the last of which is empty; where the outermost begins."""
    place = 0
    for level in range(depth):
        buffer += _number(min(level, 1), UINT, width)
        start = len(buffer)
        if level:
            buffer += _number(start - place, UINT, width)
            buffer += bytes([VECTOR << 2 | width.bit_length() - 1])
            buffer += b"\0" * (-len(buffer) % width)
        place = start
    return place


def _number(value: float, kind: int, width: int) -> bytes:
    letters = {INT: SIGNED, FLOAT: REAL}.get(kind, UNSIGNED)
    return struct.pack("<" + letters[width.bit_length() - 1], value)
