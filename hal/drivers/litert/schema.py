"""TFLite's operators, the tables of their options and its enumerations: see `make_schema.py`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nnir.types import Precision

VERSION = 3
IDENTIFIER = b"TFL3"
"""Bytes 4 to 7 of a file."""


@dataclass(frozen=True)
class Options:
    """A table of options: which union it is of, its number there, its fields by name.

    A field is (slot, kind, default).
    """

    union: int
    number: int
    fields: dict[str, tuple[int, str, Any]]


@cache
def _everything() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text())
    return found


def code(operator: str) -> int:
    """The number of a builtin operator."""
    return int(_everything()["operators"][operator])


def member(enum: str, name: str) -> int:
    """The number of a member of an enumeration."""
    return int(_everything()["enums"][enum][name])


def has_options(name: str) -> bool:
    """Whether there is a table of this name."""
    return name in _everything()["options"]


@cache
def options(name: str) -> Options:
    """A table of options."""
    row = _everything()["options"][name]
    return Options(row["union"], row["number"], {k: tuple(v) for k, v in row["fields"].items()})


TABLES = {
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "PADV2": "PadV2Options",
    "TOPK_V2": "TopKV2Options",
    "SELECT_V2": "SelectV2Options",
    "SPLIT_V": "SplitVOptions",
    "BATCH_MATMUL": "BatchMatMulOptions",
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "CONV_3D": "Conv3DOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "REVERSE_V2": "ReverseV2Options",
    **dict.fromkeys(
        ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL"),
        "ReducerOptions",
    ),
}
"""The tables of options that are not named like their operator."""


def table_of(name: str) -> str | None:
    """The table of an operator's options; None where it has none."""
    table = TABLES.get(name) or "".join(w.capitalize() for w in name.split("_")) + "Options"
    return table if has_options(table) else None


TYPES: dict[Precision, str] = {
    Precision.BOOL8: "BOOL",
    Precision.FLOAT16: "FLOAT16",
    Precision.BFLOAT16: "BFLOAT16",
    Precision.FLOAT32: "FLOAT32",
    Precision.FLOAT64: "FLOAT64",
    Precision.INT8: "INT8",
    Precision.UINT8: "UINT8",
    Precision.INT16: "INT16",
    Precision.UINT16: "UINT16",
    Precision.INT32: "INT32",
    Precision.UINT32: "UINT32",
    Precision.INT64: "INT64",
    Precision.UINT64: "UINT64",
    Precision.COMPLEX64: "COMPLEX64",
    Precision.COMPLEX128: "COMPLEX128",
}
"""What TFLite calls the element types."""
