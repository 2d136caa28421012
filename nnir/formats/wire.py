"""Protobuf's wire format, read and written: fields as numbers and spans, nothing copied.

Source: protobuf.dev/programming-guides/encoding. Every length is checked against the end of the
enclosing message, so a damaged file raises BadFile and never reads past it. What `encode_*` gives
is read back by the functions above it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import numpy as np

from nnir.errors import BadFile
from nnir.mapping import Buffer, Span

VARINT, FIXED64, BLOCK, FIXED32 = 0, 1, 2, 5
"""Wire types: how a value is stored, the three lowest bits of a field's tag."""

SHORT = 32
"""Bytes below which arrays cost more than they save."""


def varint(b: Buffer, i: int, end: int) -> tuple[int, int]:
    """A base-128 integer at `i` and the position after it."""
    result = shift = 0
    while i < end and shift < 70:
        byte = b[i]
        i += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, i
        shift += 7
    raise BadFile(f"damaged or truncated protobuf: an integer at byte {i} does not end")


def to_signed(value: int) -> int:
    """An int64 from its unsigned 64 bits."""
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


def fields(b: Buffer, i: int, end: int) -> Iterator[tuple[int, int | Span]]:
    """(field number, value) of a message; length-delimited values as (start, end)."""
    while i < end:
        tag = b[i]  # most tags and sizes are one byte
        i += 1
        if tag > 127:
            tag, i = varint(b, i - 1, end)
        if tag < 8:
            raise BadFile(f"damaged protobuf: a field 0 before byte {i}")
        match tag & 7:
            case 0:
                value, i = varint(b, i, end)
                yield tag >> 3, value
                continue
            case 2:
                if i < end and b[i] < 128:
                    size = b[i]
                    i += 1
                else:
                    size, i = varint(b, i, end)
            case 5:
                size = 4
            case 1:
                size = 8
            case kind:
                raise BadFile(f"damaged protobuf: wire type {kind} before byte {i}")
        if i + size > end:
            raise BadFile(
                f"damaged or truncated protobuf: {size} bytes at {i}, only {end - i} left"
            )
        yield tag >> 3, (i, i + size)
        i += size


def span(value: int | Span) -> Span:
    """A value that must be length-delimited."""
    if isinstance(value, int):
        raise BadFile("damaged protobuf: a number where a message belongs")
    return value


def number(value: int | Span) -> int:
    """A value that must be an integer."""
    if not isinstance(value, int):
        raise BadFile("damaged protobuf: a message where a number belongs")
    return to_signed(value)


def text(b: Buffer, value: int | Span) -> str:
    """A string field."""
    start, end = span(value)
    return b[start:end].decode()


def float32(b: Buffer, value: int | Span) -> float:
    """A float field."""
    start, end = span(value)
    if end - start != 4:
        raise BadFile("damaged protobuf: a float that is not 4 bytes")
    return float(struct.unpack("<f", b[start:end])[0])


def float64(b: Buffer, value: int | Span) -> float:
    """A double field."""
    start, end = span(value)
    if end - start != 8:
        raise BadFile("damaged protobuf: a double that is not 8 bytes")
    return float(struct.unpack("<d", b[start:end])[0])


def packed_integers(b: Buffer, value: int | Span) -> np.ndarray:
    """A repeated integer field as int64, packed or one unpacked element."""
    if isinstance(value, int):
        return np.array([to_signed(value)], np.int64)
    raw = np.frombuffer(b, np.uint8, value[1] - value[0], value[0])
    last = np.flatnonzero(raw < 128)
    if len(raw) and (not len(last) or last[-1] != len(raw) - 1):
        raise BadFile("damaged protobuf: a packed integer does not end")
    first = np.concatenate([np.zeros(1, last.dtype), last[:-1] + 1])[: len(last)]
    length = last - first + 1
    if len(length) and length.max() > 10:
        raise BadFile("damaged protobuf: a packed integer of more than 64 bits")
    result = np.zeros(len(last), np.uint64)
    for k in range(int(length.max()) if len(length) else 0):
        more = length > k
        bits = (raw[first[more] + k] & np.uint8(127)).astype(np.uint64)
        result[more] |= bits << np.uint64(7 * k)
    return result.view(np.int64)


def integers(b: Buffer, value: int | Span) -> list[int]:
    """As `packed_integers`, a list."""
    if isinstance(value, int):
        return [to_signed(value)]
    start, end = value
    if end - start > SHORT:
        found: list[int] = packed_integers(b, value).tolist()
        return found
    short = []
    while start < end:
        number, start = varint(b, start, end)
        short.append(to_signed(number))
    return short


def packed_floats(b: Buffer, value: int | Span, dtype: str) -> np.ndarray:
    """A repeated fixed-width field as a view into the buffer."""
    start, end = span(value)
    size = np.dtype(dtype).itemsize
    if (end - start) % size:
        raise BadFile(f"damaged protobuf: {end - start} bytes are no whole number of {dtype}")
    return np.frombuffer(b, dtype, (end - start) // size, start)


def encode_varint(value: int) -> bytes:
    """A base-128 integer; a negative one as its 64 bits."""
    value &= 0xFFFFFFFFFFFFFFFF
    if value < 128:
        return bytes((value,))
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_integer(field: int, value: int) -> bytes:
    """A field that is an integer."""
    return encode_varint(field << 3 | VARINT) + encode_varint(value)


def encode_float(field: int, value: float) -> bytes:
    """A field that is a float."""
    return encode_varint(field << 3 | FIXED32) + struct.pack("<f", value)


def encode_head(field: int, size: int) -> bytes:
    """What stands before the `size` bytes of a length-delimited field."""
    return encode_varint(field << 3 | BLOCK) + encode_varint(size)


def encode_block(field: int, data: bytes | str) -> bytes:
    """A length-delimited field: bytes, a string or an encoded message."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    return encode_head(field, len(data)) + data


def encode_integers(field: int, values: Iterable[int]) -> bytes:
    """A repeated integer field, packed."""
    return encode_block(field, b"".join(map(encode_varint, values)))


def encode_floats(field: int, values: Iterable[float]) -> bytes:
    """A repeated float field, packed."""
    return encode_block(field, b"".join(struct.pack("<f", value) for value in values))
