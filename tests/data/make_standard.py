"""Make `standard_operators.json` of the standard's operator table:

python tests/data/make_standard.py nnadapter_ops.yaml
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml

SINCE = {"seed000": "v1", "seed003": "v1", "header-latest": "v1.1"}


def operand(row: dict[str, Any]) -> dict[str, Any]:
    made = {"name": row["name"], "kind": row["kind"], "variadic": bool(row.get("variadic"))}
    if row.get("optional"):
        made["optional"] = True
    if "default" in row:
        made["default"] = row["default"]
    return made


def main() -> None:
    table = yaml.safe_load(Path(sys.argv[1]).read_text())
    rows = [
        {
            "code": op["code"],
            "name": op["name"],
            "since": SINCE[op["since"]],
            "inputs": [operand(i) for i in op["inputs"]],
            "outputs": [operand(o) for o in op["outputs"]],
        }
        for op in table["ops"]
    ]
    enums = {k: v for k, v in table["enums"].items() if k.endswith(("_codes", "_modes"))}
    text = json.dumps({"operators": rows, "enums": enums}, indent=1)
    Path(__file__).with_name("standard_operators.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
