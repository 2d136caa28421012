"""TensorFlow's protobuf messages, as far as graphs, functions and variables need them.

Field numbers are those of tensorflow/core/framework and tensorflow/core/protobuf. Fields that are
not named here are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from nnir.errors import BadFile

from .. import wire
from ..wire import Buffer, Span

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


SHAPE: Message = {2: inners("dim", {1: one("size", "int")}), 3: one("unknown_rank", "int")}
TENSOR: Message = {
    1: one("dtype", "int"),
    2: inner("shape", SHAPE),
    4: one("content", "span"),
    5: many("float_val", "float"),
    6: many("double_val", "double"),
    7: many("int_val", "int"),
    8: many("string_val", "bytes"),
    9: many("scomplex_val", "float"),
    10: many("int64_val", "int"),
    11: many("bool_val", "int"),
    12: many("dcomplex_val", "double"),
    13: many("half_val", "int"),
    16: many("uint32_val", "int"),
    17: many("uint64_val", "int"),
}
ATTRIBUTE: dict[int, Field] = {}
ATTRIBUTES: Message = {1: one("key"), 2: inner("value", ATTRIBUTE)}
FUNCTION_NAME: Message = {1: one("name"), 2: inners("attr", ATTRIBUTES)}
LIST: Message = {
    2: many("s", "bytes"),
    3: many("i", "int"),
    4: many("f", "float"),
    5: many("b", "int"),
    6: many("type", "int"),
    7: inners("shape", SHAPE),
    8: inners("tensor", TENSOR),
    9: inners("func", FUNCTION_NAME),
}
ATTRIBUTE.update(
    {
        1: inner("list", LIST),
        2: one("s", "bytes"),
        3: one("i", "int"),
        4: one("f", "float"),
        5: one("b", "int"),
        6: one("type", "int"),
        7: inner("shape", SHAPE),
        8: inner("tensor", TENSOR),
        9: one("placeholder"),
        10: inner("func", FUNCTION_NAME),
    }
)
NODE: Message = {
    1: one("name"),
    2: one("op"),
    3: many("input"),
    5: many("attr", "span"),
}
PAIR: Message = {1: one("key"), 2: one("value", "span")}
ARGUMENT: Message = {1: one("name"), 3: one("type", "int")}
SIGNATURE: Message = {
    1: one("name"),
    2: inners("input_arg", ARGUMENT),
    3: inners("output_arg", ARGUMENT),
}
TEXTS: Message = {1: one("key"), 2: one("value")}
FUNCTION: Message = {
    1: inner("signature", SIGNATURE),
    3: many("node_def", "span"),
    4: inners("ret", TEXTS),
    6: inners("control_ret", TEXTS),
}
GRAPH: Message = {
    1: inners("node", NODE),
    2: inner("library", {1: inners("function", FUNCTION)}),
    4: inner("versions", {1: one("producer", "int")}),
}
TENSOR_INFO: Message = {1: one("name"), 2: one("dtype", "int"), 3: inner("shape", SHAPE)}
TENSOR_INFOS: Message = {1: one("key"), 2: inner("value", TENSOR_INFO)}
SIGNATURE_DEF: Message = {1: inners("inputs", TENSOR_INFOS), 2: inners("outputs", TENSOR_INFOS)}
META_GRAPH: Message = {
    1: inner("meta_info", {4: many("tags"), 5: one("tensorflow_version")}),
    2: inner("graph", GRAPH),
    5: inners("signature", {1: one("key"), 2: inner("value", SIGNATURE_DEF)}),
}
SAVED_MODEL: Message = {1: one("version", "int"), 2: inners("meta_graph", META_GRAPH)}
BUNDLE_HEADER: Message = {1: one("num_shards", "int"), 2: one("endianness", "int")}
BUNDLE_ENTRY: Message = {
    1: one("dtype", "int"),
    2: inner("shape", SHAPE),
    3: one("shard", "int"),
    4: one("offset", "int"),
    5: one("size", "int"),
    6: one("crc32c", "fixed"),
    7: many("slices", "span"),
}


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
    match field.kind:
        case "text":
            return wire.text(b, value)
        case "int":
            return wire.number(value)
        case "float":
            return wire.float32(b, value)
        case "bytes":
            start, end = wire.span(value)
            return bytes(b[start:end])
        case "span":
            return wire.span(value)
        case "fixed":
            start, end = wire.span(value)
            return int.from_bytes(b[start:end], "little")
        case "message" if field.message is not None:
            return decode(b, wire.span(value), field.message, depth + 1)
    raise ValueError(f"a field of kind {field.kind!r}")


PACKED: dict[str, Callable[[Buffer, int | Span], list[Any]]] = {
    "int": lambda b, value: wire.integers(b, value),
    "float": lambda b, value: wire.packed_floats(b, value, "<f4").tolist(),
    "double": lambda b, value: wire.packed_floats(b, value, "<f8").tolist(),
}
