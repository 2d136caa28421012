"""Write `schema.json`: the operators that are emitted and their options, from an installed LiteRT.

    python -m hal.drivers.litert.make_schema

A table of a flatbuffer has numbered fields without names; the schema says which is which.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

from ai_edge_litert import schema_py_generated as generated

from nnir.staging import replacing

FILE = Path(__file__).with_name("schema.json")
UNIONS = {1: "BuiltinOptions", 2: "BuiltinOptions2"}
ENUMS = ("TensorType", "Padding", "ActivationFunctionType", "MirrorPadMode")
GETTER = re.compile(r"def (\w+)\(self(, j)?\):\n(.*?)(?=\n    # |\Z)", re.S)
HELPERS = ("AsNumpy", "Length", "IsNone", "Init")


def members(enum: str) -> dict[str, int]:
    """Names and numbers of an enumeration."""
    found = vars(getattr(generated, enum))
    return {name: number for name, number in found.items() if isinstance(number, int)}


def snake(name: str) -> str:
    """`DilationWFactor` as the schema itself writes it: `dilation_w_factor`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def fields(table: str) -> dict[str, list[Any]]:
    """(slot, kind, default) of every field of a table of options; vectors end with []."""
    found = {}
    for name, vector, body in GETTER.findall(inspect.getsource(getattr(generated, table))):
        slot = re.search(r"_tab\.Offset\((\d+)\)", body)
        kind = re.search(r"number_types\.(\w+)Flags, (?:o|a) \+", body)
        if name.endswith(HELPERS) or slot is None or kind is None:
            continue
        default = re.findall(r"return (\S+)$", body, re.M)[-1]
        plain = None if vector else json.loads(default.lower())
        place = (int(slot[1]) - 4) // 2
        found[snake(name)] = [place, kind[1] + ("[]" if vector else ""), plain]
    return found


def everything() -> dict[str, dict[str, Any]]:
    """All of it."""
    options = {
        name: {"union": union, "number": number, "fields": fields(name)}
        for union, enum in UNIONS.items()
        for name, number in members(enum).items()
        if name != "NONE" and not name.startswith("Stablehlo") and hasattr(generated, name)
    }
    operators = {n: k for n, k in members("BuiltinOperator").items() if "STABLEHLO" not in n}
    return {
        "operators": operators,
        "options": options,
        "enums": {e: members(e) for e in ENUMS},
    }


def main() -> None:
    """Write the file."""
    parts = []
    for part, content in everything().items():
        rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in content.items())
        parts.append(f"{json.dumps(part)}: {{\n{rows}\n}}")
    with replacing(FILE) as file:
        file.write(("{\n" + ",\n".join(parts) + "\n}\n").encode())


if __name__ == "__main__":
    main()
