"""Which overload of an operator a call means: TorchScript's code does not name it.

The kinds of the arguments decide, by the signatures in `schemas.json`, as in
torch/csrc/jit/frontend/schema_matching.cpp.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnir.errors import Unsupported
from nnir.types import Precision

from ..reading import schema
from ..reading.schema import Argument, Schema
from .things import Device, Number, Tensor

Kind = Callable[[Any], str]
"""What a value is to a signature: "Tensor", "int", "float", "bool", "str", "None", "list", ..."""

LATE = ("prim_", "hacked_twin", "dimname", "Dimname", "names", "Tensor_hacked_twin", "deprecated")
"""Overloads that are only meant where no other one fits."""

TYPES: dict[int, Precision] = {
    0: Precision.UINT8,
    1: Precision.INT8,
    2: Precision.INT16,
    3: Precision.INT32,
    4: Precision.INT64,
    5: Precision.FLOAT16,
    6: Precision.FLOAT32,
    7: Precision.FLOAT64,
    9: Precision.COMPLEX64,
    10: Precision.COMPLEX128,
    11: Precision.BOOL8,
    15: Precision.BFLOAT16,
    23: Precision.FLOAT8E5M2,
    24: Precision.FLOAT8E4M3FN,
    25: Precision.FLOAT8E5M2FNUZ,
    26: Precision.FLOAT8E4M3FNUZ,
    27: Precision.UINT16,
    28: Precision.UINT32,
    29: Precision.UINT64,
}
"""The numbers of c10::ScalarType, which TorchScript writes for types."""

CODES = {precision: code for code, precision in TYPES.items()}
SCALARS = frozenset({"int", "float", "bool", "complex"})
ACCEPTED: dict[str, frozenset[str]] = {
    "Tensor": frozenset({"Tensor"}),
    "Scalar": SCALARS,
    "int": frozenset({"int"}),
    "SymInt": frozenset({"int"}),
    "float": frozenset({"float"}),
    "bool": frozenset({"bool"}),
    "complex": frozenset({"complex", "float", "int"}),
    "str": frozenset({"str"}),
    "ScalarType": frozenset({"int"}),
    "Layout": frozenset({"int"}),
    "MemoryFormat": frozenset({"int"}),
    "QScheme": frozenset({"int"}),
    "Device": frozenset({"Device", "str"}),
    "Generator": frozenset(),
}
LOOSE = {"float": SCALARS, "int": frozenset({"int", "bool"}), "SymInt": frozenset({"int", "bool"})}
"""What is accepted beside, where nothing fits exactly."""


@functools.cache
def packets() -> dict[str, list[str]]:
    """The overloads of every operator, those that are meant last at the end."""
    found: dict[str, list[str]] = {}
    for name in schema.names():
        packet, _, _ = name.rpartition(".")
        found.setdefault(packet, []).append(name)
    return {p: sorted(names, key=_order) for p, names in found.items()}


def _order(name: str) -> tuple[bool, bool, str]:
    overload = name.rpartition(".")[2]
    return any(word in overload for word in LATE), overload != "default", name


def resolve(
    packet: str, args: Sequence[Any], keywords: Mapping[str, Any], kind: Kind
) -> tuple[str, Schema, list[tuple[str, Any]]]:
    """The overload of `aten.add` and the like, its signature, and the arguments by name.

    Unsupported where none takes such arguments, with what they are.
    """
    names = packets().get(packet)
    if names is None:
        raise Unsupported(f"no converter for {packet}")
    for loose in (False, True):
        for name in names:
            found = schema.find(name)
            if found is None:
                continue
            bound = _bind(found, args, keywords, kind, loose=loose)
            if bound is not None:
                return name, found, bound
    given = ", ".join([*map(kind, args), *(f"{k}={kind(v)}" for k, v in keywords.items())])
    raise Unsupported(f"{packet} of ({given}), which none of its signatures takes")


def _bind(
    found: Schema, args: Sequence[Any], keywords: Mapping[str, Any], kind: Kind, *, loose: bool
) -> list[tuple[str, Any]] | None:
    names, needed = found.positional, found.needed
    if len(args) > len(names) or not needed.issubset((*names[: len(args)], *keywords)):
        return None
    given = dict(zip(names, args, strict=False))
    if given.keys() & keywords.keys():
        return None
    given.update(keywords)
    bound = []
    for argument in found.arguments:
        if argument.name not in given:
            continue
        value = given.pop(argument.name)
        if not fits(value, argument.type, kind, loose=loose, length=argument.length):
            return None
        bound.append((argument.name, as_declared(value, argument)))
    return None if given else bound


def fits(value: Any, wanted: str, kind: Kind, *, loose: bool, length: int | None = None) -> bool:
    """Whether a value is one of a type of a signature."""
    accepted = ACCEPTED.get(wanted)
    if accepted is not None:
        found = kind(value)
        return found in accepted or (loose and found in LOOSE.get(wanted, ()))
    if wanted.endswith("?"):
        return value is None or fits(value, wanted[:-1], kind, loose=loose, length=length)
    if wanted.endswith("]"):
        element = wanted[: wanted.rindex("[")]
        if isinstance(value, (list, tuple)):
            return all(fits(v, element, kind, loose=loose) for v in value)
        return length is not None and fits(value, element, kind, loose=loose)
    return False


def as_declared(value: Any, argument: Argument) -> Any:
    """An argument as converters take it: types for their codes, lists for tuples."""
    if argument.type.startswith("ScalarType") and isinstance(value, int):
        return precision_of_code(value)
    if argument.type.startswith("Layout") and isinstance(value, int):
        return None if value == 0 else value
    if isinstance(value, Device):
        return value.name
    if isinstance(value, (list, tuple)):
        return [as_declared(v, argument) for v in value]
    return value


def precision_of_code(code: int) -> Precision:
    """The precision of a c10::ScalarType; Unsupported for another."""
    if code not in TYPES:
        raise Unsupported(
            f"elements of PyTorch's type {code}, which is none of plain numbers: export the "
            "original module with torch.export.save"
        )
    return TYPES[code]


def kind_of(value: Any, kind_of_number: Callable[[Number], str]) -> str:
    """What a value is to a signature."""
    match value:
        case Tensor():
            return "Tensor"
        case Number():
            return kind_of_number(value)
        case None:
            return "None"
        case bool():
            return "bool"
        case int() | float() | complex() | str():
            return type(value).__name__
        case Device():
            return "Device"
        case list() | tuple():
            return f"list of {kind_of(value[0], kind_of_number) if value else 'nothing'}"
    return type(value).__name__
