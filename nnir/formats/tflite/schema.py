"""TFLite's tables, operators and their options: `schema.json` is made by `make_schema.py`.

Source: `tensorflow/compiler/mlir/lite/schema/schema.fbs`, whose fields are numbered in the order in
which it lists them. The classes here hold the slots of a table's fields; those that nothing reads
or writes are left out.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, NamedTuple

from nnir.errors import BadFile, Unsupported
from nnir.types import Precision

from ..flatbuffer import Table

FILE = Path(__file__).with_name("schema.json")
VERSION = 3
"""The version of the schema that a file names."""


class ModelTable:
    """A file."""

    VERSION = 0
    OPERATOR_CODES = 1
    SUBGRAPHS = 2
    DESCRIPTION = 3
    BUFFERS = 4
    METADATA = 6
    SIGNATURE_DEFS = 7


class MetadataTable:
    """What a file says beside its graphs: a name, and the buffer with what it says."""

    NAME = 0
    BUFFER = 1


class OperatorCodeTable:
    """An operator that the file uses; a number above 127 stands in the second field of it."""

    DEPRECATED_BUILTIN_CODE = 0
    CUSTOM_CODE = 1
    VERSION = 2
    BUILTIN_CODE = 3


class SubGraphTable:
    """A graph; its ends are positions among its tensors."""

    TENSORS = 0
    INPUTS = 1
    OUTPUTS = 2
    OPERATORS = 3
    NAME = 4


class TensorTable:
    """A tensor; `BUFFER` is a position among the file's buffers, whose first one is empty."""

    SHAPE = 0
    TYPE = 1
    BUFFER = 2
    NAME = 3
    QUANTIZATION = 4
    IS_VARIABLE = 5
    SPARSITY = 6
    SHAPE_SIGNATURE = 7
    HAS_RANK = 8


class SparsityTable:
    """Which elements of a tensor a file holds (`SparsityParameters`)."""

    TRAVERSAL_ORDER = 0
    BLOCK_MAP = 1
    DIM_METADATA = 2


class SparseAxisTable:
    """An axis of a sparse tensor (`DimensionMetadata`); the lists follow their types."""

    FORMAT = 0
    DENSE_SIZE = 1
    ARRAY_SEGMENTS_TYPE = 2
    ARRAY_INDICES_TYPE = 4


class BlocksTable:
    """Scales for blocks along an axis (`BlockwiseQuantization`), which are tensors."""

    SCALES = 0
    ZERO_POINTS = 1
    BLOCK_SIZE = 2


class QuantizationTable:
    """Scales and zero points (`QuantizationParameters`)."""

    SCALE = 2
    ZERO_POINT = 3
    DETAILS_TYPE = 4
    DETAILS = 5
    QUANTIZED_DIMENSION = 6


class OperatorTable:
    """An operation; of the two unions of options, the type lies before the table."""

    OPCODE_INDEX = 0
    INPUTS = 1
    OUTPUTS = 2
    BUILTIN_OPTIONS_TYPE = 3
    BUILTIN_OPTIONS = 4
    CUSTOM_OPTIONS = 5
    INTERMEDIATES = 8
    BUILTIN_OPTIONS_2_TYPE = 11
    BUILTIN_OPTIONS_2 = 12


class BufferTable:
    """The data of a tensor; that of a file over 2 GB lies behind the flatbuffer."""

    DATA = 0
    OFFSET = 1
    SIZE = 2


class SignatureTable:
    """What users call the ends of a graph (`SignatureDef`)."""

    INPUTS = 0
    OUTPUTS = 1
    SIGNATURE_KEY = 2
    SUBGRAPH_INDEX = 4


class TensorMapTable:
    """A name and a position among the tensors."""

    NAME = 0
    TENSOR_INDEX = 1


UNIONS = {
    1: (OperatorTable.BUILTIN_OPTIONS_TYPE, OperatorTable.BUILTIN_OPTIONS),
    2: (OperatorTable.BUILTIN_OPTIONS_2_TYPE, OperatorTable.BUILTIN_OPTIONS_2),
}
"""The slots of an operation in which the type and the table of its options lie, by union."""

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
"""Kinds of scalar fields as `struct` knows them."""

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

TYPE_FIELDS = frozenset(
    {"out_type", "output_type", "idx_out_type", "in_data_type", "out_data_type"}
)
"""Fields that are element types."""

TYPE_NAMES = {p: p.name for p in Precision if not p.is_quantized} | {
    Precision.BOOL8: "BOOL",
    Precision.FLOAT8E4M3FN: "FLOAT8_E4M3FN",
    Precision.FLOAT8E5M2: "FLOAT8_E5M2",
}
"""What TFLite calls an element type; some of these it does not have."""

_PRECISIONS = {name: precision for precision, name in TYPE_NAMES.items()}


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


@functools.cache
def _numbers() -> dict[str, dict[str, int]]:
    """The numbers of operators and of the members of enumerations, by their names."""
    parts = _everything()["enums"] | {"operators": _everything()["operators"]}
    return {e: {name: int(n) for n, name in rows.items()} for e, rows in parts.items()}


def code(operator: str) -> int:
    """The number of a builtin operator, the inverse of `operator`."""
    return _numbers()["operators"][operator]


def number_of(enum: str, name: str) -> int:
    """The number of a member of an enumeration, the inverse of `member`."""
    return _numbers()[enum][name]


def precision(number: int) -> Precision:
    """The precision of an element type; Unsupported for strings, resources and the like."""
    name = member("TensorType", number)
    if name not in _PRECISIONS:
        raise Unsupported(f"a tensor of type {name}")
    return _PRECISIONS[name]


def type_number(precision: Precision) -> int:
    """The number of an element type, the inverse of `precision`; KeyError where TFLite has none."""
    return number_of("TensorType", TYPE_NAMES[precision])


@functools.cache
def tables() -> dict[str, tuple[Field, ...]]:
    """The fields of every table of options by its name."""
    found = _everything()["options"].items()
    return {name: tuple(Field(*f) for f in fields) for name, (_, _, fields) in found}


@functools.cache
def _kinds() -> dict[tuple[int, int], str]:
    found = _everything()["options"].items()
    return {(union, number): name for name, (union, number, _) in found}


def union_of(table: str) -> tuple[int, int]:
    """The union that a table of options is of, and its number there."""
    union, number, _ = _everything()["options"][table]
    return union, number


TABLES = {
    **dict.fromkeys(("MAXIMUM", "MINIMUM"), "MaximumMinimumOptions"),
    **dict.fromkeys(("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"), "Pool2DOptions"),
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    **dict.fromkeys(("MULTINOMIAL", "RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"), "RandomOptions"),
    **dict.fromkeys(
        ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"),
        "ReducerOptions",
    ),
}
"""The tables of options that are not named like their operator."""


@functools.cache
def _spelling() -> dict[str, str]:
    return {name.lower(): name for name in tables()}


def table_of(name: str) -> str | None:
    """The table of an operator's options; None where it has none."""
    return TABLES.get(name) or _spelling().get(name.replace("_", "").lower() + "options")


def defaults_of(name: str) -> dict[str, Any]:
    """All fields of an operator's options with their defaults."""
    return dict(_defaults_of(name))


@functools.cache
def _defaults_of(name: str) -> dict[str, Any]:
    table = table_of(name)
    return {} if table is None else _fields(table, None)


def options(union: int, kind: int, table: Table | None) -> dict[str, Any]:
    """All fields of an operator's options, absent ones with their default.

    `union` and `kind` say which table it is; there are two unions of options.
    """
    if not kind:
        return {}
    name = _kinds().get((union, kind))
    if name is None:
        raise BadFile(f"options of kind {kind}, which TFLite does not have")
    return _fields(name, table)


def _fields(name: str, table: Table | None) -> dict[str, Any]:
    return {f.name: _meaning(f.name, read_field(f, table)) for f in tables()[name]}


def read_field(field: Field, table: Table | None) -> Any:
    """A field of a table of options, its default where it is absent."""
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
    return precision(value) if name in TYPE_FIELDS else value
