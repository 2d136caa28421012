"""Note the nodes of files of rows: `python -m conformance.cases.nnir.make_forms`.

Of some operators alone where they are named: `... make_forms ABS RELU`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Container, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from hal.device import Device
from hal.runtime import manager
from nnir.errors import NNAdapterError
from nnir.staging import temporary_folder

from ...engines.forms import form_of_model
from . import CASES, MODELS, OPEN
from .forms import FILE, WRITERS, digest


def find_forms(
    device: Device[Any, Any], path: Path, wanted: Container[str] = ()
) -> dict[str, dict[str, str]]:
    """The rows by their nodes, by operator: of all where none is wanted."""
    known: dict[tuple[str, str], str] = {}
    found: dict[str, dict[str, set[str]]] = {}
    cases: list[Any] = [*CASES, *MODELS, *OPEN]
    for case in cases:
        if wanted and case.op not in wanted:
            continue
        op, _, row = str(case).partition("-")
        key = op, digest(row)
        if known.setdefault(key, row) != row:
            raise ValueError(f"{row!r} and {known[key]!r} of {op} have the digest {key[1]}")
        if case.raises is None and (form := find_form(device, case, path)) is not None:
            nodes, wires = form
            found.setdefault(op, {}).setdefault(nodes, set()).add(f"{key[1]}:{wires}")
    return {op: {f: " ".join(sorted(r)) for f, r in rows.items()} for op, rows in found.items()}


def find_form(device: Device[Any, Any], case: Any, path: Path) -> tuple[str, str] | None:
    """The nodes of a row's file and what they read; None where it cannot be written."""
    try:
        return form_of_model(device, case.model(), path)
    except NNAdapterError:
        return None


def find_all(kind: str, wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """The rows of a device that writes files, by its name."""
    with temporary_folder() as folder:
        path = folder / f"model{WRITERS[kind]}"
        return find_forms(manager.acquire(kind), path, wanted)


def main(wanted: Sequence[str]) -> None:
    """Write the file, of some operators where they are named."""
    kept = json.loads(FILE.read_text()) if wanted else {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        made = pool.map(find_all, WRITERS, repeat(wanted))
        for kind, found in zip(WRITERS, made, strict=True):
            others = {op: rows for op, rows in kept.get(kind, {}).items() if op not in wanted}
            kept[kind] = others | found
    FILE.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
