"""Write down what the rules refuse: `python -m conformance.cases.nnir.make_misfits`."""

from __future__ import annotations

import json
from collections.abc import Iterable

from nnir.errors import BadType, NNAdapterError

from . import CASES, alone, misfits
from .direct import DirectCase


def find_refused(rows: Iterable[DirectCase]) -> dict[str, dict[str, list[int]]]:
    """By operator the changes that are refused, each with the sizes that may be open."""
    found: dict[str, dict[str, list[int]]] = {}
    for case in misfits.changes(rows):
        if is_refused(case):
            found.setdefault(case.op, {})[case.why] = find_open(case)
    return found


def is_refused(case: DirectCase) -> bool:
    """Whether it is the operands' or the attributes' fault that there is no such operation."""
    try:
        case.model()
    except NNAdapterError as error:
        return isinstance(error, BadType)
    return False


def find_open(case: DirectCase) -> list[int]:
    """As many sizes as can be open, where the row must stay refused."""
    sizes: list[int] = []
    for size in case.sizes:
        if is_refused(misfits.open_sizes(case, [*sizes, size])):
            sizes.append(size)
    return sizes


if __name__ == "__main__":
    known = find_refused([*CASES, *alone.ROWS])
    lines = ",\n".join(f"{json.dumps(op)}: {json.dumps(known[op])}" for op in sorted(known))
    misfits.FILE.write_text("{\n" + lines + "\n}\n")
