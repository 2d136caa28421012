"""TFLite's operators and their options, as data: see `make_schema.py`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

from nnir.errors import BadFile, Unsupported
from nnir.types import Precision

from .flatbuffer import Table

FILE = Path(__file__).with_name("schema.json")
KINDS = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
}
VECTORS = {
    "int32[]": "<i4",
    "int64[]": "<i8",
    "uint32[]": "<u4",
    "float32[]": "<f4",
    "uint8[]": "u1",
    "bool[]": "?",
}
ENUMS = {
    "padding": "Padding",
    "fused_activation_function": "ActivationFunctionType",
    "mode": "MirrorPadMode",
    "reduce_function": "ReduceWindowFunction",
    "weights_format": "FullyConnectedOptionsWeightsFormat",
    "kernel_type": "LSTMKernelType",
    "combiner": "CombinerType",
    "comparison_direction": "StablehloComparisonDirection",
    "compare_type": "StablehloComparisonType",
}
"""Fields that are numbers of an enumeration; they are read as its names."""

TYPES = frozenset({"out_type", "output_type", "idx_out_type", "in_data_type", "out_data_type"})
"""Fields that are element types."""

PRECISIONS = {
    "BOOL": Precision.BOOL8,
    "FLOAT8_E4M3FN": Precision.FLOAT8E4M3FN,
    "FLOAT8_E5M2": Precision.FLOAT8E5M2,
} | {p.name: p for p in Precision if not p.is_quantized}


class Field(NamedTuple):
    """A field of an options table."""

    name: str
    slot: int
    kind: str
    default: Any


@functools.cache
def _everything() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def operator(code: int) -> str:
    """The name of a builtin operator."""
    found = _everything()["operators"].get(str(code))
    return str(found) if found else f"BUILTIN_{code}"


def operators() -> list[str]:
    """The names of all builtin operators."""
    return list(_everything()["operators"].values())


def member(enum: str, number: int) -> str:
    """The name of a number of an enumeration; a number as text where it has none."""
    return str(_everything()["enums"][enum].get(str(number), number))


def precision(number: int) -> Precision:
    """The precision of an element type; Unsupported for strings, resources and the like."""
    name = member("TensorType", number)
    if name not in PRECISIONS:
        raise Unsupported(f"a tensor of type {name}")
    return PRECISIONS[name]


@functools.cache
def tables() -> dict[str, tuple[Field, ...]]:
    """The fields of every table of options by its name."""
    found = _everything()["options"].items()
    return {name: tuple(Field(*f) for f in fields) for name, (_, _, fields) in found}


@functools.cache
def _kinds() -> dict[tuple[int, int], str]:
    found = _everything()["options"].items()
    return {(union, number): name for name, (union, number, _) in found}


def options(union: int, kind: int, table: Table | None) -> dict[str, Any]:
    """All fields of an operator's options, absent ones with their default.

    `union` and `kind` say which table it is; there are two unions of options.
    """
    if not kind:
        return {}
    name = _kinds().get((union, kind))
    if name is None:
        raise BadFile(f"options of kind {kind}, which TFLite does not have")
    found = {f.name: _value(f, table) for f in tables()[name]}
    return {name: _meaning(name, value) for name, value in found.items()}


def _value(field: Field, table: Table | None) -> Any:
    if table is None or table.place(field.slot) is None:
        return () if field.kind.endswith("[]") else field.default
    if field.kind in VECTORS:
        return tuple(table.array(field.slot, VECTORS[field.kind]).tolist())
    if field.kind in KINDS:
        return table.number(field.slot, KINDS[field.kind])
    if field.kind == "string":
        return table.text(field.slot)
    return table.table(field.slot)


def _meaning(name: str, value: Any) -> Any:
    if name in ENUMS and isinstance(value, int):
        return member(ENUMS[name], value)
    return precision(value) if name in TYPES else value
