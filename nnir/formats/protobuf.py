"""Protobuf messages as dictionaries, by schemas of the fields that matter.

A schema maps field numbers to names and kinds; fields that it does not name are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from nnir.errors import BadFile
from nnir.mapping import Buffer, Span

from ..records import dataclass
from . import wire

DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Field:
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
        field = message.get(number)
        if field is None:
            continue
        if not field.many:
            found[field.name] = _value(b, value, field, depth)
        elif field.kind in PACKED:
            found.setdefault(field.name, []).extend(PACKED[field.kind](b, value))
        else:
            found.setdefault(field.name, []).append(_value(b, value, field, depth))
    return found


def _value(b: Buffer, value: int | Span, field: Field, depth: int) -> Any:
    if field.message is not None:
        return decode(b, wire.span(value), field.message, depth + 1)
    match field.kind:
        case "text":
            return wire.text(b, value)
        case "int":
            return wire.number(value)
        case "float":
            return wire.float32(b, value)
        case "double":
            return wire.float64(b, value)
        case "bytes":
            start, end = wire.span(value)
            return bytes(b[start:end])
        case "span":
            return wire.span(value)
        case "fixed":
            start, end = wire.span(value)
            return int.from_bytes(b[start:end], "little")
    raise ValueError(f"a field of kind {field.kind!r}")


PACKED: dict[str, Callable[[Buffer, int | Span], list[Any]]] = {
    "int": lambda b, value: wire.integers(b, value),
    "float": lambda b, value: wire.packed_floats(b, value, "<f4").tolist(),
    "double": lambda b, value: wire.packed_floats(b, value, "<f8").tolist(),
}
