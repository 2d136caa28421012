"""Our own cases: rows of one operator each, of every frontend."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np

from hal.emission import decompositions
from nnir.errors import FAILURES
from nnir.model import Model
from nnir.passes import CLEAN, FUSIONS, apply

from ..case import Case, Limit
from ..cases.paddle_legacy import older
from ..engines.engine import Answer, Engine
from ..judging.judge import Verdict, judge, yardstick
from ..judging.record import record
from ..judging.result import REFUSED, SKIP, Result
from ..oracles.oracle import Oracle, Refused
from ..running.suite import NEEDS, PADDLE2, Crew, Item, Options, Suite, command

TABLES = {"paddle-legacy": "paddle_legacy", "paddle-2.6": "paddle_legacy"}
KEPT = 64
"""So many cases are run on all devices at a time; the origin is asked once of each."""

OLDER = "paddle-2.6"
"""A framework that is older than the cases: what it has not yet is no failure."""


@dataclass(frozen=True)
class Book:
    """The cases of a frontend by name, its engines and limits."""

    cases: dict[str, tuple[Engine[Any], Any]]
    limits: Sequence[Limit]


@cache
def book(frontend: str) -> Book:
    """The cases of a frontend."""
    name = TABLES.get(frontend, frontend)
    table = import_module(f"conformance.cases.{name}")
    engines = import_module(f"conformance.engines.{name}")
    cases = {str(c): (engines.ENGINE, c) for c in table.CASES}
    for model in getattr(table, "MODELS", ()):
        cases[f"model-{model}"] = (engines.WHOLE, model)
    limits = [*older.OLDER, *table.LIMITS] if frontend == OLDER else table.LIMITS
    return Book(cases, limits)


class Operators(Suite):
    """The rows of `conformance/cases`, against the origin framework's own output."""

    name = "cases"
    frontends = tuple(NEEDS)

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._asked: dict[Item, Asked] = {}

    def items(self, frontend: str) -> Iterable[Item]:
        for name, (_, case) in book(frontend).cases.items():
            op = operator_of(case) if frontend == "onnx" else case.op
            yield Item(self.name, frontend, op, name)

    def run(self, item: Item, device: str) -> Iterator[Result]:
        shelf = book(item.frontend)
        engine, case = shelf.cases[item.name]
        asked = self._of(item)
        started = time.perf_counter()
        prepare = optimize if self.options.optimize else None
        with decompositions() as decomposed:
            found = judge(engine, case, device, shelf.limits, asked.oracle, asked.answer, prepare)
        if item.frontend == OLDER and found.verdict == REFUSED and asked.is_refused:
            found = Verdict(SKIP, found.reason)
        seconds = time.perf_counter() - started
        made = record(
            item,
            device,
            found,
            seconds=seconds,
            inputs=case.inputs,
            measured=self._measure(found, asked),
            command=command(item, device, self.options),
        )
        yield replace(made, decomposed=tuple(sorted({name for _, name in decomposed})))

    def can_wait(self, item: Item) -> bool:
        """Whether the origin has answered, and the case is not one that must fail."""
        asked = self._of(item)
        return asked.case.raises is None and asked.has_answer

    def _of(self, item: Item) -> Asked:
        """What the origin says of a case: of the last few it is kept."""
        if item not in self._asked:
            if len(self._asked) >= KEPT:
                self._asked.clear()
            engine, case = book(item.frontend).cases[item.name]
            python = os.environ[PADDLE2] if item.frontend == OLDER else sys.executable
            oracle = self.crew.oracle(engine.worker, python)
            self._asked[item] = Asked(item, engine, case, oracle)
        return self._asked[item]

    def _measure(self, found: Verdict, asked: Asked) -> tuple[float, float] | None:
        """Our own and the origin's distance from its float64 results, where something rounds."""
        rounds = any(d.max_ulp for d in found.outcome.differences)
        if not rounds or not self.options.yardstick:
            return None
        truth = asked.truth
        return None if truth is None else yardstick(found.outcome, truth)


@dataclass
class Asked:
    """What the origin says of a case: asked once, for all devices, and only when needed."""

    item: Item
    engine: Engine[Any]
    case: Any
    oracle: Oracle

    def answer(self) -> Answer:
        """The origin's results, or what it raised."""
        if isinstance(self._said, Answer):
            return self._said
        raise self._said

    @cached_property
    def _said(self) -> Answer | BaseException:
        try:
            return self.engine.ask(self.case, self.oracle)
        except FAILURES as error:
            return error

    @property
    def has_answer(self) -> bool:
        """Whether the origin gives results."""
        return isinstance(self._said, Answer)

    @property
    def is_refused(self) -> bool:
        """Whether the origin itself refuses the case."""
        return isinstance(self._said, Refused)

    @cached_property
    def truth(self) -> list[np.ndarray] | None:
        """The origin's results in float64, where it has such."""
        try:
            return self.engine.truth(self.case, self.oracle, self.answer())
        except FAILURES:  # what float64 does to it says nothing of the case
            return None


def optimize(model: Model) -> None:
    """The passes of `nnadapter.load` and `nnadapter.optimize`."""
    apply(model, (*CLEAN, *FUSIONS, *CLEAN))


def operator_of(case: Any) -> str:
    """The operator's name in its framework, with its domain."""
    domain = case.domain if isinstance(case, Case) else ""
    return f"{domain}::{case.op}" if domain and domain != case.op else case.op
