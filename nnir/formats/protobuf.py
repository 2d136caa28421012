"""Protobuf messages as dictionaries, by schemas of the fields that matter.

A schema maps field numbers to names and kinds; fields that it does not name are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from nnir.errors import BadFile
from nnir.mapping import Buffer, Span

from . import wire

DEEPEST = 60


class Field(NamedTuple):
    """A field: its name, how it is read, and whether it is repeated."""

    name: str
    kind: str
    many: bool = False
    message: Message | None = None


Message: TypeAlias = Mapping[int, Field]


def one(name: str, kind: str = "text") -> Field:
    """A field that is there once."""
    return Field(name, kind)


def many(name: str, kind: str = "text") -> Field:
    """A repeated field."""
    return Field(name, kind, many=True)


def inner(name: str, message: Message) -> Field:
    """A message in a message."""
    return Field(name, "message", message=message)


def inners(name: str, message: Message) -> Field:
    """Repeated messages."""
    return Field(name, "message", many=True, message=message)


def decode(b: Buffer, place: Span, message: Message, depth: int = 0) -> dict[str, Any]:
    """A message as a dictionary; repeated fields as lists, absent ones absent."""
    if depth > DEEPEST:
        raise BadFile(f"messages in messages, more than {DEEPEST} deep")
    found: dict[str, Any] = {}
    for number, value in wire.fields(b, *place):
        if number not in message:
            continue
        name, kind, is_many, inside = message[number]
        if is_many and kind in PACKED:
            found.setdefault(name, []).extend(PACKED[kind](b, value))
            continue
        if kind == "text" and type(value) is tuple:  # as most
            given: Any = b[value[0] : value[1]].decode()
        elif inside is None:
            given = READERS[kind](b, value)
        else:
            given = decode(b, wire.span(value), inside, depth + 1)
        if is_many:
            found.setdefault(name, []).append(given)
        else:
            found[name] = given
    return found


def _bytes(b: Buffer, value: int | Span) -> bytes:
    start, end = wire.span(value)
    return bytes(b[start:end])


READERS: dict[str, Callable[[Buffer, int | Span], Any]] = {
    "text": wire.text,
    "int": lambda b, value: wire.number(value),
    "float": wire.float32,
    "double": wire.float64,
    "bytes": _bytes,
    "span": lambda b, value: wire.span(value),
    "fixed": lambda b, value: int.from_bytes(_bytes(b, value), "little"),
}
"""How a value is read by the kind of its field."""

PACKED: dict[str, Callable[[Buffer, int | Span], list[Any]]] = {
    "int": lambda b, value: wire.integers(b, value),
    "float": lambda b, value: wire.packed_floats(b, value, "<f4").tolist(),
    "double": lambda b, value: wire.packed_floats(b, value, "<f8").tolist(),
}
