"""Write down what the rules refuse: `python -m conformance.cases.nnir.make_misfits`."""

from __future__ import annotations

import json
from collections.abc import Iterable

from nnir.errors import BadType, NNAdapterError

from . import CASES, misfits
from .direct import DirectCase


def find_refused(rows: Iterable[DirectCase]) -> dict[str, list[str]]:
    """By operator the changes that are refused."""
    found: dict[str, list[str]] = {}
    for row in misfits.first_rows(rows):
        for case in misfits.change(row):
            try:
                case.model()
            except NNAdapterError as error:
                if isinstance(error, BadType):
                    found.setdefault(case.op, []).append(case.why)
    return found


if __name__ == "__main__":
    known = find_refused(CASES)
    lines = ",\n".join(f"{json.dumps(op)}: {json.dumps(known[op])}" for op in sorted(known))
    misfits.FILE.write_text("{\n" + lines + "\n}\n")
