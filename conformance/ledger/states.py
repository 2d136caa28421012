"""Of which state of the code the ledgers were written.

A ledger of the code that is here was written from all cases on all devices: whoever runs a part of
them again, another one for each state, learns whether this machine does the same. Where the code is
another one, nobody knows more than a whole run tells.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nnir.staging import replacing

ROOT = Path(__file__).parents[2]
PATH = Path(__file__).parent / "states.txt"
LENGTH = 16

SHARED = ("nnir", "hal", "frontends", "conformance")
ROOMS = ("cases", "engines", "judging", "oracles", "processes", "running", "suites")
"""Folders of `conformance` that what becomes of a case depends on."""

BY_FRONTEND = ("frontends", "conformance/cases")
FOLDERS = {"paddle-legacy": ("paddle", "paddle_legacy")}
"""The folders of frontends that have not one of their own name."""

SUFFIXES = (".py", ".json")


@cache
def state_of(frontend: str) -> str:
    """A digest of all that the outcomes of a frontend's cases depend on, but the machine: our code
    and the versions of the frameworks."""
    made = hashlib.sha256()
    for path in _files(frontend):
        made.update(path.relative_to(ROOT).as_posix().encode())
        made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()[:LENGTH]


def _files(frontend: str) -> Iterator[Path]:
    mine = FOLDERS.get(frontend, (frontend,))
    yield ROOT / "constraints.txt"
    for package in SHARED:
        for path in sorted((ROOT / package).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.suffix not in SUFFIXES or "__pycache__" in parts:
                continue
            is_elsewhere = package == "conformance" and len(parts) > 2 and parts[1] not in ROOMS
            if not is_elsewhere and _owner(path) in (None, *mine):
                yield path


def _owner(path: Path) -> str | None:
    """The frontend whose folder a file lies in; None for what all of them use."""
    for room in BY_FRONTEND:
        parts = path.relative_to(ROOT / room).parts if path.is_relative_to(ROOT / room) else ()
        if len(parts) > 1:
            return parts[0]
    return None


def is_written_of_this_state(frontend: str) -> bool:
    """Whether the ledger of a frontend was written by the code that is here."""
    return read().get(frontend) == state_of(frontend)


def note(frontend: str, state: str) -> None:
    """Note the state of the code that wrote the ledger of a frontend."""
    kept = read() | {frontend: state}
    with replacing(PATH) as file:
        file.write("".join(f"{name} {state}\n" for name, state in sorted(kept.items())).encode())


def read() -> dict[str, str]:
    """By frontend the state of the code that wrote its ledger."""
    lines = PATH.read_text().splitlines() if PATH.exists() else []
    return dict(line.split(" ", 1) for line in lines)
