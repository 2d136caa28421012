"""Of which nodes the files of rows are made: what costs a node more shows in no result.

`forms.json` has of each operator the first row of every form of its `.tflite` file. `make_forms`
writes it: its difference is what a change of a lowering or of a decomposition did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("forms.json")
WRITERS = {"litert": ".tflite"}
"""The devices whose files are told, and how those are called."""


@cache
def read() -> Mapping[str, str]:
    """The nodes, by row; see `conformance.engines.forms`."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return {f"{op}-{row}": form for op, rows in found.items() for row, form in rows.items()}
