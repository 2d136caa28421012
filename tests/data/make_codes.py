"""Note the codes of new extensions, by `python -m tests.data.make_codes`; noted ones stay."""

from __future__ import annotations

import json
from pathlib import Path

from nnir.ops import OPERATORS

FILE = Path(__file__).with_name("extension_codes.json")


def note() -> None:
    """Add operators that are not noted yet."""
    known: dict[str, int] = json.loads(FILE.read_text()) if FILE.exists() else {}
    found = {name: o.code for name, o in OPERATORS.items() if o.code >= 1000}
    FILE.write_text(json.dumps(found | known, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    note()
