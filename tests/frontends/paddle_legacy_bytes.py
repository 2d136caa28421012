"""Legacy programs byte by byte, for files that Paddle itself would not write."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FEED, FETCH, TENSOR, FLOAT32 = 9, 10, 7, 5


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(place: int, value: int) -> bytes:
    return varint(place << 3) + varint(value)


def inner(place: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return varint(place << 3 | 2) + varint(len(data)) + data


@dataclass
class Op:
    """An operator; an attribute `sub_block` is a block."""

    type: str
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def encoded(self) -> bytes:
        found = b""
        for place, slots in ((1, self.inputs), (2, self.outputs)):
            for slot, names in slots.items():
                body = inner(1, slot) + b"".join(inner(2, n) for n in names)
                found += inner(place, body)
        found += inner(3, self.type)
        return found + b"".join(inner(4, attribute(k, v)) for k, v in self.attributes.items())


def attribute(name: str, value: Any) -> bytes:
    if name == "sub_block":
        return inner(1, name) + number(2, 8) + number(12, value)
    match value:
        case bool():
            return inner(1, name) + number(2, 6) + number(10, value)
        case int():
            return inner(1, name) + number(2, 0) + number(3, value)
        case float():
            return inner(1, name) + number(2, 1) + varint(4 << 3 | 5) + struct.pack("<f", value)
        case str():
            return inner(1, name) + number(2, 2) + inner(5, value)
    return inner(1, name) + number(2, 3) + b"".join(number(6, v) for v in value)


def tensor(sizes: Iterable[int], kind: int = FLOAT32) -> bytes:
    return number(1, kind) + b"".join(number(2, s) for s in sizes)


def variable(
    name: str, sizes: Iterable[int], *, stored: bool = False, kind: int = FLOAT32
) -> bytes:
    described = number(1, TENSOR) + inner(3, inner(1, tensor(sizes, kind)))
    return inner(1, name) + inner(2, described) + number(3, stored)


def program(
    *blocks: Sequence[Op], variables: Sequence[bytes] = (), version: int | None = 2006002
) -> bytes:
    """Blocks of operators; the first one declares the variables."""
    found = b""
    for k, ops in enumerate(blocks):
        body = number(1, k) + number(2, -1 if not k else 0)
        body += b"".join(inner(3, v) for v in variables if not k)
        found += inner(1, body + b"".join(inner(4, o.encoded()) for o in ops))
    return found if version is None else found + inner(4, number(1, version))


def parameter(values: bytes, sizes: Sequence[int], kind: int = FLOAT32) -> bytes:
    """A tensor in a file of parameters."""
    described = tensor(sizes, kind)
    return struct.pack("<IQIi", 0, 0, 0, len(described)) + described + values


def around(*ops: Op, read: str = "y") -> list[Op]:
    """Operators between the input `x` and an output."""
    feed = Op("feed", {"X": ["feed"]}, {"Out": ["x"]}, {"col": 0})
    return [feed, *ops, Op("fetch", {"X": [read]}, {"Out": ["fetch"]}, {"col": 0})]


X = variable("x", [-1, 3])
