"""Protobuf: what is encoded is decoded to the same, by the wire and by the messages' schemas."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontends.paddle.reading import desc
from frontends.tensorflow.reading import messages
from nnir.errors import BadFile
from nnir.formats import wire
from nnir.formats.protobuf import Field, Message, decode

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
FIELD = st.integers(1, (1 << 29) - 1)


@given(st.integers(0, (1 << 64) - 1))
def test_varints(value: int) -> None:
    data = wire.encode_varint(value)
    assert wire.varint(data, 0, len(data)) == (value, len(data))
    with pytest.raises(BadFile):
        wire.varint(data, 0, len(data) - 1)


@given(FIELD, INT64)
def test_integers(field: int, value: int) -> None:
    data = wire.encode_integer(field, value)
    ((number, found),) = wire.fields(data, 0, len(data))
    assert (number, wire.number(found)) == (field, value)


@given(FIELD, st.floats(width=32, allow_nan=False))
def test_floats(field: int, value: float) -> None:
    data = wire.encode_float(field, value)
    ((number, found),) = wire.fields(data, 0, len(data))
    assert (number, wire.float32(data, found)) == (field, value)


@given(FIELD, st.text())
def test_texts(field: int, value: str) -> None:
    data = wire.encode_block(field, value)
    ((number, found),) = wire.fields(data, 0, len(data))
    assert (number, wire.text(data, found)) == (field, value)


@given(st.lists(INT64, max_size=40))
def test_packed_integers(values: list[int]) -> None:
    data = wire.encode_integers(3, values)
    ((_, found),) = wire.fields(data, 0, len(data))
    assert wire.integers(data, found) == values
    assert wire.packed_integers(data, found).tolist() == values


@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_packed_floats(values: list[float]) -> None:
    data = wire.encode_floats(3, values)
    ((_, found),) = wire.fields(data, 0, len(data))
    assert wire.packed_floats(data, found, "<f4").tolist() == values


@given(FIELD, st.binary(max_size=300))
def test_a_head_and_its_bytes_are_a_block(field: int, data: bytes) -> None:
    assert wire.encode_head(field, len(data)) + data == wire.encode_block(field, data)


MESSAGES: dict[str, Message] = {
    f"{module.__name__}.{name}": message
    for module in (messages, desc)
    for name, message in vars(module).items()
    if isinstance(message, dict) and all(isinstance(f, Field) for f in message.values())
}


class Example:
    """A message of a schema with every field at random: its bytes and what they decode to."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def message(self, schema: Message, depth: int) -> tuple[bytes, dict[str, Any]]:
        data, meaning = b"", {}
        for number, field in schema.items():
            if field.message is not None and depth > 4:
                continue
            rows = [self.value(number, field, depth) for _ in range(2 if field.many else 1)]
            data += b"".join(encoded for encoded, _ in rows)
            values = [value for _, value in rows]
            meaning[field.name] = values if field.many else values[0]
        return data, meaning

    def value(self, number: int, field: Field, depth: int) -> tuple[bytes, Any]:
        r = self.r
        if field.message is not None:
            data, meaning = self.message(field.message, depth + 1)
            return wire.encode_block(number, data), meaning
        match field.kind:
            case "int":
                whole = r.randrange(-(1 << 63), 1 << 63)
                return wire.encode_integer(number, whole), whole
            case "text":
                text = "ä" * r.randrange(200)
                return wire.encode_block(number, text), text
            case "bytes" | "span":
                raw = r.randbytes(r.randrange(200))
                return wire.encode_block(number, raw), raw
            case "float":
                half = r.randrange(1000) / 2
                return wire.encode_float(number, half), half
            case "double":
                real = r.random()
                tag = wire.encode_varint(number << 3 | wire.FIXED64)
                return tag + struct.pack("<d", real), real
            case "fixed":
                bits = r.randrange(1 << 32)
                tag = wire.encode_varint(number << 3 | wire.FIXED32)
                return tag + struct.pack("<I", bits), bits
        raise AssertionError(field.kind)


def cut(data: bytes, schema: Message, meaning: dict[str, Any]) -> dict[str, Any]:
    """A decoded message with the bytes of its spans in place of where they lie."""
    result = {}
    for field in schema.values():
        if field.name not in meaning:
            continue
        values = meaning[field.name] if field.many else [meaning[field.name]]
        if field.message is not None:
            values = [cut(data, field.message, v) for v in values]
        elif field.kind == "span":
            values = [data[start:end] for start, end in values]
        result[field.name] = values if field.many else values[0]
    return result


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("seed", range(3))
def test_messages(name: str, seed: int) -> None:
    schema = MESSAGES[name]
    data, meaning = Example(seed).message(schema, 0)
    found = decode(data, (0, len(data)), schema)
    assert cut(data, schema, found) == meaning


def test_every_module_has_messages() -> None:
    assert len(MESSAGES) > 20
