"""Note the nodes of files of rows: `python -m conformance.cases.nnir.make_forms`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hal.device import Device
from hal.runtime import manager
from nnir.errors import NNAdapterError
from nnir.staging import temporary_folder

from ...engines.forms import form_of
from . import CASES, MODELS, OPEN
from .forms import FILE, WRITERS


def find_forms(device: Device[Any, Any], path: Path) -> Iterator[tuple[str, str, str]]:
    """The operator of a row, the rest of its name and its nodes, where another row has not them."""
    known: set[tuple[str, str]] = set()
    for case in (*CASES, *MODELS, *OPEN):
        if case.raises is None and (form := find_form(device, case, path)) is not None:
            op, _, name = str(case).partition("-")
            if (op, form) not in known:
                known.add((op, form))
                yield op, name, form


def find_form(device: Device[Any, Any], case: Any, path: Path) -> str | None:
    """The nodes of a row's file; None where it cannot be written."""
    try:
        device.export(case.model(), path)
    except NNAdapterError:
        return None
    return form_of(path)


if __name__ == "__main__":
    found: dict[str, dict[str, str]] = {}
    for kind, suffix in WRITERS.items():
        with temporary_folder() as folder:
            forms = find_forms(manager.find(kind)(), folder / f"model{suffix}")
            for op, name, form in forms:
                found.setdefault(op, {})[name] = form
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
