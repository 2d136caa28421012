"""Which cases `--op` names: by standard operator, or as a source spells it."""

from __future__ import annotations

import difflib
import fnmatch
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from .. import ledger
from .subject import simplify, spellings, standard_names
from .suite import Item

NEAR, MOST = 0.6, 5
OLDER = {"paddle-2.6": "paddle-legacy"}
"""Frontends that have the cases of another one."""

WILD = frozenset("*?[")


@cache
def kept(frontend: str) -> ledger.Ledger:
    """The ledger of a frontend, which says what its cases are converted to; empty without one."""
    name = OLDER.get(frontend, frontend)
    return ledger.read(name) if name in ledger.FRONTENDS else {}


def sources_of(operator: str, frontend: str) -> ledger.Ledger:
    """The operators of a source that are converted to a standard one, or mostly to it."""
    return {op: rows for op, rows in kept(frontend).items() if rows.standard("")[:1] == (operator,)}


@cache
def _subjects() -> dict[str, str]:
    """The standard operator that each spelling is mostly about, in any frontend."""
    found: dict[str, str] = {}
    for frontend in reversed(ledger.FRONTENDS):
        for op, rows in kept(frontend).items():
            subject = rows.standard("")[:1]
            found |= dict.fromkeys(spellings(op), subject[0]) if subject else {}
    return found


def standard_of(item: Item) -> tuple[str, ...]:
    """The standard operators that a case was converted to when the ledger was written, the one that
    it is about first. Cases of other suites have those of the operator that they name."""
    rows = kept(item.frontend).get(item.op)
    if rows is not None:
        return rows.standard(item.name)
    names = spellings(item.op)
    standard = standard_names()
    exact = [standard[name] for name in names if name in standard]
    return tuple((exact or [_subjects()[n] for n in names if n in _subjects()])[:1])


def choose(items: Iterable[Item], op: str, using: str = "") -> list[Item]:
    """The items that patterns with commas name. `op`: by the standard operator that a case is
    about or the source's spelling, without regard to case, dots and underscores; `using`: by any
    standard operator that it was converted to."""
    found = list(items)
    if op:
        wanted = [simplify(p) for p in op.split(",")]
        found = [i for i in found if any(_is_named(i, pattern) for pattern in wanted)]
    if using:
        wanted = [simplify(p) for p in using.split(",")]
        names = {i: set(map(simplify, standard_of(i))) for i in found}
        found = [i for i in found if any(_fits(n, p) for n in names[i] for p in wanted)]
    return found


def _is_named(item: Item, pattern: str) -> bool:
    names = {*spellings(item.op), *map(simplify, standard_of(item)[:1])}
    return any(_fits(name, pattern) for name in names)


def _fits(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern) if WILD & set(pattern) else name == pattern


def draw(items: Sequence[Item], one_in: int, seed: int) -> list[Item]:
    """One item in so many, by its name and the seed, whatever others there are."""
    return [i for i in items if zlib.crc32(f"{seed} {i}".encode()) % one_in == 0]


def find_unknown(items: Iterable[Item], op: str) -> str | None:
    """What to say of the first pattern that names none of the items, with names that are near."""
    names: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for name in standard_of(item)[:1]:
            names[simplify(name)].add(name)
        for name in spellings(item.op):
            names[name].add(item.op)
    for pattern in filter(None, (p.strip() for p in op.split(","))):
        if any(_fits(name, simplify(pattern)) for name in names):
            continue
        near = difflib.get_close_matches(simplify(pattern), names, MOST, NEAR)
        known = list(dict.fromkeys(n for name in near for n in sorted(names[name])))[:MOST]
        hint = f": did you mean {', '.join(known)}?" if known else ""
        return f"no case is about an operator {pattern!r}{hint}"
    return None
