"""Paddle's ProgramDesc, as `.pdmodel` and `__model__` files hold it.

Source: paddle/fluid/framework/framework.proto, whose field numbers these are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nnir.errors import BadFile, Unsupported
from nnir.formats.protobuf import Message, decode, inner, inners, many, one
from nnir.mapping import Buffer
from nnir.records import dataclass
from nnir.types import Precision

from .params import precision

SCALAR: Message = {
    1: one("type", "int"),
    2: one("b", "int"),
    3: one("i", "int"),
    4: one("r", "double"),
    5: inner("c", {1: one("r", "double"), 2: one("i", "double")}),
}
ATTRIBUTE: Message = {
    1: one("name"),
    2: one("type", "int"),
    3: one("i", "int"),
    4: one("f", "float"),
    5: one("s"),
    6: many("ints", "int"),
    7: many("floats", "float"),
    8: many("strings"),
    10: one("b", "int"),
    11: many("bools", "int"),
    12: one("block_idx", "int"),
    13: one("l", "int"),
    14: many("blocks_idx", "int"),
    15: many("longs", "int"),
    16: many("float64s", "double"),
    17: one("var_name"),
    18: many("vars_name"),
    19: one("float64", "double"),
    20: inner("scalar", SCALAR),
    21: inners("scalars", SCALAR),
}
SLOT: Message = {1: one("parameter"), 2: many("arguments")}
OP: Message = {
    1: inners("inputs", SLOT),
    2: inners("outputs", SLOT),
    3: one("type"),
    4: inners("attrs", ATTRIBUTE),
}
TENSOR: Message = {1: one("type", "int"), 2: many("dims", "int")}
LOD: Message = {1: inner("tensor", TENSOR), 2: one("lod_level", "int")}
TYPE: Message = {
    1: one("type", "int"),
    2: inner("selected_rows", TENSOR),
    3: inner("lod_tensor", LOD),
    4: inner("tensor_array", LOD),
}
VAR: Message = {1: one("name"), 2: inner("type", TYPE), 3: one("persistable", "int")}
BLOCK: Message = {
    1: one("idx", "int"),
    2: one("parent", "int"),
    3: inners("vars", VAR),
    4: inners("ops", OP),
}
PROGRAM: Message = {1: inners("blocks", BLOCK), 4: inner("version", {1: one("version", "int")})}

FIELDS: tuple[tuple[str, Any], ...] = (
    *(("i", 0), ("f", 0.0), ("s", ""), ("ints", ()), ("floats", ()), ("strings", ())),
    *(("b", 0), ("bools", ()), ("block_idx", 0), ("l", 0), ("blocks_idx", ()), ("longs", ())),
    *(("float64s", ()), ("var_name", ""), ("vars_name", ()), ("float64", 0.0)),
    *(("scalar", None), ("scalars", ())),
)
"""The field of an attribute by its type, and what it is when it is absent."""

NO_DATA = frozenset({9, 10, 15, 17})
"""Variables for feeding, fetching, reading files and raw things hold no parameters."""


class Name(str):
    """An attribute that is a variable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its type where it is a tensor, and whether it is stored with the program."""

    name: str
    kind: int
    precision: Precision | None
    sizes: tuple[int, ...]
    is_stored: bool


@dataclass(frozen=True, slots=True)
class Op:
    """An operator: names of variables by slot, attributes by name."""

    type: str
    inputs: Mapping[str, list[str]]
    outputs: Mapping[str, list[str]]
    attributes: Mapping[str, Any]


@dataclass(slots=True)
class Block:
    """A block: its variables by name, and operators that run one after the other."""

    parent: int
    variables: dict[str, Variable] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)


def program(b: Buffer) -> tuple[int, list[Block]]:
    """The version of Paddle that wrote a program, and its blocks."""
    message = decode(b, (0, len(b)), PROGRAM)
    blocks = [_block(m) for m in message.get("blocks", ())]
    if not blocks:
        raise BadFile("a program without blocks")
    return int(message.get("version", {}).get("version", 0)), blocks


def _block(message: Mapping[str, Any]) -> Block:
    variables = {v["name"]: _variable(v) for v in message.get("vars", ())}
    return Block(message.get("parent", -1), variables, [_op(o) for o in message.get("ops", ())])


def _variable(message: Mapping[str, Any]) -> Variable:
    kind = message.get("type", {})
    tensor = kind.get("lod_tensor", {}).get("tensor") or kind.get("selected_rows")
    number = kind.get("type", 0)
    is_stored = bool(message.get("persistable")) and number not in NO_DATA
    if tensor is None:
        return Variable(message["name"], number, None, (), is_stored)
    try:
        found = precision(tensor.get("type", 0))
    except Unsupported:
        if is_stored:
            raise
        found = None
    return Variable(message["name"], number, found, tuple(tensor.get("dims", ())), is_stored)


def _op(message: Mapping[str, Any]) -> Op:
    slots = [
        {s.get("parameter", ""): s.get("arguments", []) for s in message.get(part, ())}
        for part in ("inputs", "outputs")
    ]
    attributes = {a["name"]: _value(a) for a in message.get("attrs", ())}
    return Op(message.get("type", ""), slots[0], slots[1], attributes)


def _value(attribute: Mapping[str, Any]) -> Any:
    number = attribute.get("type", 0)
    if not 0 <= number < len(FIELDS):
        raise BadFile(f"the attribute {attribute['name']!r} is of type {number}")
    name, absent = FIELDS[number]
    found = attribute.get(name, absent)
    match name:
        case "b":
            return bool(found)
        case "bools":
            return [bool(v) for v in found]
        case "scalar":
            return _scalar(found or {})
        case "scalars":
            return [_scalar(v) for v in found]
        case "var_name":
            return Name(found)
        case "vars_name":
            return [Name(v) for v in found]
    return list(found) if isinstance(found, tuple) else found


def _scalar(message: Mapping[str, Any]) -> Any:
    if "c" in message:
        return complex(message["c"].get("r", 0.0), message["c"].get("i", 0.0))
    found = next((message[k] for k in ("b", "i", "r") if k in message), 0)
    return bool(found) if "b" in message else found
