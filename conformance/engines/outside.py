"""Origins from outside: frameworks that another package brings, with cases of their own.

An entry point of the group `nnadapter.origins` names an `OutsideOrigin`, one of `nnadapter.limits`
a sequence of limits of an outside device. A module under development calls `add_origin` and
`add_limits` instead, and `--preload` imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from nnir.errors import BadInput, describe

from ..case import Case, Limit
from .engine import Engine

ORIGINS, LIMITS = "nnadapter.origins", "nnadapter.limits"


@dataclass(frozen=True)
class OutsideOrigin:
    """A framework: how its cases are asked of it and converted (`engine`, whose `worker` runs in a
    process of its own), the cases and the gaps that are known.

    `packages` are those whose versions its answers depend on, `python` the interpreter that has
    them, where it is not this one.
    """

    name: str
    engine: Engine[Any]
    cases: Sequence[Case]
    limits: Sequence[Limit] = ()
    packages: tuple[str, ...] = ()
    python: str | None = None


_ADDED: dict[str, OutsideOrigin] = {}
_ADDED_LIMITS: list[Limit] = []


def add_origin(origin: OutsideOrigin) -> None:
    """Let an origin take part in the runs of this process, and of those that preload it."""
    _ADDED[origin.name] = origin


def add_limits(limits: Sequence[Limit]) -> None:
    """The same for known gaps, such as those of a device."""
    _ADDED_LIMITS.extend(limits)


def origin_names() -> tuple[str, ...]:
    """The names of the origins from outside; nothing of theirs is imported."""
    return tuple(sorted({*(e.name for e in entry_points(group=ORIGINS)), *_ADDED}))


def find_origin(name: str) -> OutsideOrigin | None:
    """The origin of a name; BadInput for one that cannot be imported or is none."""
    if name in _ADDED:
        return _ADDED[name]
    entry = next((e for e in entry_points(group=ORIGINS) if e.name == name), None)
    if entry is None:
        return None
    found = _load(entry)
    if not isinstance(found, OutsideOrigin) or found.name != name:
        raise BadInput(
            f"{_describe(entry)} is no OutsideOrigin of the name {name!r}: {found!r:.80}"
        )
    return found


@cache
def _installed_limits() -> tuple[Limit, ...]:
    found: list[Limit] = []
    for entry in entry_points(group=LIMITS):
        rows = _load(entry)
        if not isinstance(rows, Sequence) or not all(isinstance(r, Limit) for r in rows):
            raise BadInput(f"{_describe(entry)} is no sequence of limits: {rows!r:.80}")
        found += rows
    return tuple(found)


def outside_limits() -> tuple[Limit, ...]:
    """The gaps that other packages declare for their devices."""
    return (*_installed_limits(), *_ADDED_LIMITS)


@cache
def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise BadInput(f"{_describe(entry)} cannot be imported: {describe(error)}") from error


def _describe(entry: EntryPoint) -> str:
    package = f" of {entry.dist.name}" if entry.dist else ""
    return f"the entry point {entry.name} = {entry.value}{package}"
