"""The one door: every path of a user's file to its framework goes through `admit`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from nnir.staging import temporary_folder


@contextmanager
def admit(framework: str, source: Any, **about: Any) -> Iterator[Path]:
    """What a framework may be given of `source` (a path or bytes), as a path, for a while.

    Unsupported, with what it is, for a file that would run something or write somewhere; BadFile
    for one that is damaged. `about`: what the format's gate asks for beside.
    """
    gate = import_module(f".{framework}", __package__)
    with temporary_folder() as folder:
        admitted: Path = gate.admit(source, folder, **about)
        yield admitted.resolve()
