"""Write `types.json`: the operator sets that let ONNX operators take element types.

    python -m hal.drivers.onnxruntime.make_types

For every operator a row per input, in order: the types that the oldest set which is written does
not take there, each with the first set that does. An operator without such types is left out.
"""

from __future__ import annotations

import json
from pathlib import Path

import onnx
from onnx import TensorProto
from onnx.defs import OpSchema

from nnir.formats.onnx import CODES
from nnir.staging import replacing

from .older import NEWEST, OLDEST

FILE = Path(__file__).with_name("types.json")
WORDS = {f"tensor({TensorProto.DataType.Name(code).lower()})": p.name for p, code in CODES.items()}


def schemas(op: str) -> dict[int, OpSchema]:
    """The definitions of an operator in the sets that have it."""
    found = {}
    for opset in range(OLDEST, NEWEST + 1):
        try:
            found[opset] = onnx.defs.get_schema(op, opset)
        except onnx.defs.SchemaError:
            continue  # newer than this set
    return found


def names(schema: OpSchema, position: int) -> set[str]:
    """The element types of one input."""
    return {WORDS[t] for t in schema.inputs[position].types if t in WORDS}


def newer(op: str) -> list[dict[str, int]]:
    """By input, the types that were added and the set that added them."""
    found = schemas(op)
    rows: list[dict[str, int]] = []
    for position in range(len(found[max(found)].inputs) if found else 0):
        sets = {v: names(s, position) for v, s in found.items() if position < len(s.inputs)}
        oldest = sets[min(sets)]
        late = sorted(set().union(*sets.values()) - oldest)
        rows.append({t: min(v for v, types in sets.items() if t in types) for t in late})
    return rows if any(rows) else []


def main() -> None:
    """Write the table beside this file."""
    table = {op: newer(op) for op in sorted({s.name for s in onnx.defs.get_all_schemas()})}
    rows = (f"{json.dumps(op)}: {json.dumps(row)}" for op, row in table.items() if row)
    head = f'"onnx": {json.dumps(onnx.__version__)}'
    with replacing(FILE) as file:
        file.write((f"{{\n{head},\n" + '"since": {\n' + ",\n".join(rows) + "\n}\n}\n").encode())


if __name__ == "__main__":
    main()
