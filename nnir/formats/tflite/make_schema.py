"""Write `schema.json`: TFLite's operators and their options, from an installed LiteRT.

    python -m nnir.formats.tflite.make_schema

A flatbuffer holds no names and leaves out fields that have their default: the schema says both.
"""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

from ai_edge_litert import schema_py_generated as generated

from nnir.staging import replacing

from .schema import FILE

UNIONS = {1: "BuiltinOptions", 2: "BuiltinOptions2"}
ENUMS = (
    *("TensorType", "Padding", "ActivationFunctionType", "MirrorPadMode", "ReduceWindowFunction"),
    *("FullyConnectedOptionsWeightsFormat", "LSTMKernelType", "CombinerType"),
    *("StablehloComparisonDirection", "StablehloComparisonType"),
)
GETTER = re.compile(r"def (\w+)\(self(, j)?\):\n(.*?)(?=\n    # |\Z)", re.S)
HELPERS = ("AsNumpy", "Length", "IsNone", "Init")


def members(enum: str) -> dict[str, int]:
    """Names and numbers of an enumeration."""
    found = vars(getattr(generated, enum))
    return {name: number for name, number in found.items() if isinstance(number, int)}


def snake(name: str) -> str:
    """`DilationWFactor` as the schema itself writes it: `dilation_w_factor`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def fields(table: str) -> list[list[Any]]:
    """[name, slot, kind, default] of every field; the kind of a vector ends with []."""
    found = []
    for name, vector, body in GETTER.findall(inspect.getsource(getattr(generated, table))):
        slot = re.search(r"_tab\.Offset\((\d+)\)", body)
        if name.endswith(HELPERS) or slot is None:
            continue
        kind = re.search(r"number_types\.(\w+)Flags, (?:o|a) \+", body)
        default = re.findall(r"return (\S+)$", body, re.M)[-1]
        what = kind[1].lower() if kind else "string" if "_tab.String" in body else "table"
        place = (int(slot[1]) - 4) // 2
        plain = None if vector or default == "None" else json.loads(default.lower())
        found.append([snake(name), place, what + ("[]" if vector else ""), plain])
    return found


def everything() -> dict[str, Any]:
    """All of it."""
    operators = {number: name for name, number in members("BuiltinOperator").items()}
    options = {
        name: [union, number, fields(name)]
        for union, enum in UNIONS.items()
        for name, number in members(enum).items()
        if name != "NONE" and hasattr(generated, name)
    }
    enums = {e: {n: name for name, n in members(e).items()} for e in ENUMS}
    return {"operators": operators, "enums": enums, "options": options}


def main() -> None:
    """Write the file."""
    parts = []
    for part, content in everything().items():
        rows = ",\n".join(f"{json.dumps(str(k))}: {json.dumps(v)}" for k, v in content.items())
        parts.append(f"{json.dumps(part)}: {{\n{rows}\n}}")
    with replacing(FILE) as file:
        file.write(("{\n" + ",\n".join(parts) + "\n}\n").encode())


if __name__ == "__main__":
    main()
