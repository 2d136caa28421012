"""Of which nodes the files of rows are made: what costs a node more shows in no result.

`forms.json` has of each device and operator every form of its files, and by digests of their names
the rows that have it, with digits that stand for what the nodes read. `make_forms` writes it: its
difference is what a change of a lowering or of a decomposition did.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("forms.json")
WRITERS = {
    "litert": ".tflite",
    "nnapi": ".nnapi",
    "nnrt": ".nnrt",
    "onnxruntime": ".onnx",
    "openvino": ".xml",
    "torch": ".pt2",
}
"""The devices whose nodes are told, and how their files are called."""


def form_of(device: str, name: str) -> tuple[str, str] | None:
    """The nodes of a row's file and what they read, as `conformance.engines.forms` tells them; None
    where it has none."""
    op, _, row = name.partition("-")
    return _forms().get(device, {}).get(op, {}).get(digest(row))


def digest(row: str) -> str:
    """What stands for a row of an operator."""
    return f"{zlib.crc32(row.encode()) & 0xFFFFFF:06x}"


@cache
def _forms() -> Mapping[str, Mapping[str, Mapping[str, tuple[str, str]]]]:
    """The nodes and what they read, by device, operator and row."""
    found: dict[str, dict[str, dict[str, str]]] = json.loads(FILE.read_text())
    return {
        device: {
            op: {
                row: (form, wires)
                for form, rows in forms.items()
                for row, _, wires in (r.partition(":") for r in rows.split())
            }
            for op, forms in operators.items()
        }
        for device, operators in found.items()
    }
