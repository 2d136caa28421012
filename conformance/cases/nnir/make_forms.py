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

from ...engines.forms import nodes_of
from . import CASES, MODELS, OPEN
from .forms import FILE, WRITERS, digest


def find_forms(device: Device[Any, Any], path: Path) -> Iterator[tuple[str, str, str]]:
    """The operator of a row, the digest of its name and the nodes of its file."""
    known: dict[tuple[str, str], str] = {}
    cases: list[Any] = [*CASES, *MODELS, *OPEN]
    for case in cases:
        op, _, row = str(case).partition("-")
        key = op, digest(row)
        if known.setdefault(key, row) != row:
            raise ValueError(f"{row!r} and {known[key]!r} of {op} have the digest {key[1]}")
        if case.raises is None and (form := _form(device, case, path)) is not None:
            yield *key, form


def _form(device: Device[Any, Any], case: Any, path: Path) -> str | None:
    """The nodes of a row's file; None where it cannot be written."""
    try:
        device.export(case.model(), path)
    except NNAdapterError:
        return None
    return nodes_of(path)


if __name__ == "__main__":
    found: dict[str, dict[str, dict[str, str]]] = {}
    for kind, suffix in WRITERS.items():
        forms: dict[str, dict[str, list[str]]] = {}
        with temporary_folder() as folder:
            for op, row, form in find_forms(manager.find(kind)(), folder / f"model{suffix}"):
                forms.setdefault(op, {}).setdefault(form, []).append(row)
        found[kind] = {
            op: {f: " ".join(sorted({*r})) for f, r in rows.items()} for op, rows in forms.items()
        }
    FILE.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
