"""Which source operators become which standard operator: found by converting all cases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from nnir.errors import FAILURES

from ..case import Case
from ..engines.engine import Engine
from ..judging.judge import judge
from ..judging.result import PASS
from ..oracles.oracle import Oracle
from ..suites.operators import Book, book, operator_of
from .ask import DEVICES
from .question import FRAMEWORKS

SHARES = 4
"""Parts into which the cases of a framework are cut, so that processes end together."""


@dataclass(frozen=True)
class Row:
    """One case: its source operator, the operators of its model, and the devices that agree.

    `alone`: the model is one operation, so that the source operator is that operator.
    """

    framework: str
    source: str
    operators: tuple[str, ...]
    alone: bool
    agreeing: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A standard operator: cases of source operators that are it, and others that use it."""

    maps: Mapping[str, Counter[str]]
    uses: Mapping[str, Counter[str]]
    cases: int
    agreeing: Counter[str]


def rows(processes: int = 2) -> list[Row]:
    """Every case of every frontend that converts."""
    tasks = [(fw, k) for fw in FRAMEWORKS for k in range(SHARES)]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return [row for found in pool.map(_share, tasks) for row in found]


def _share(task: tuple[str, int]) -> list[Row]:
    framework, part = task
    shelf = book(framework)
    known = [(e, c) for e, c in shelf.cases.values() if isinstance(c, Case) and c.raises is None]
    engine: Engine[Any] = import_module(f"conformance.engines.{framework}").ENGINE
    with Oracle(engine.worker, timeout=120) as oracle:
        found = (row(framework, e, c, shelf, oracle) for e, c in known[part::SHARES])
        return [r for r in found if r is not None]


def row(framework: str, engine: Engine[Any], case: Any, shelf: Book, oracle: Oracle) -> Row | None:
    """A case that converts; None for one that does not, or whose origin refuses."""
    try:
        answer = engine.ask(case, oracle)
        names = [o.operator.name for o in engine.model(case, answer).operations]
    except FAILURES:
        return None
    agreeing = tuple(
        d
        for d in DEVICES
        if judge(engine, case, d, shelf.limits, oracle, lambda: answer).verdict == PASS
    )
    return Row(framework, operator_of(case), tuple(sorted(set(names))), len(names) == 1, agreeing)


def entries(found: Iterable[Row]) -> dict[str, Entry]:
    """The cases by standard operator."""
    maps: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    uses: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    cases: Counter[str] = Counter()
    agreeing: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        place = maps if one.alone else uses
        for operator in one.operators:
            place[operator][one.framework][one.source] += 1
            cases[operator] += 1
            agreeing[operator].update(one.agreeing)
    return {
        name: Entry(maps[name], uses[name], count, agreeing[name])
        for name, count in sorted(cases.items())
    }
