"""Our own cases: rows of one operator each, of every frontend."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from nnir.errors import FAILURES, summary

from ..case import Case, Limit
from ..engine import Answer, Engine
from ..judge import Verdict, judge, yardstick
from ..oracle import Oracle
from ..record import record
from ..result import Result
from ..suite import NEEDS, PADDLE2, Crew, Item, Options, Suite, command
from ..worker import Lost

TABLES = {"paddle-legacy": "paddle_legacy", "paddle-2.6": "paddle_legacy"}
ENGINES = {"paddle_legacy": "legacy"}


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
    engines = import_module(f"conformance.{ENGINES.get(name, name)}_engine")
    cases = {str(c): (engines.ENGINE, c) for c in table.CASES}
    for model in getattr(table, "MODELS", ()):
        cases[f"model-{model}"] = (engines.WHOLE, model)
    return Book(cases, table.LIMITS)


class Operators(Suite):
    """The rows of `conformance/cases`, against the origin framework's own output."""

    name = "cases"
    frontends = tuple(NEEDS)

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._asked: Asked | None = None

    def items(self, frontend: str) -> Iterable[Item]:
        for name, (_, case) in book(frontend).cases.items():
            op = operator_of(case) if frontend == "onnx" else case.op
            yield Item(self.name, frontend, op, name)

    def run(self, item: Item, device: str) -> Iterator[Result]:
        shelf = book(item.frontend)
        engine, case = shelf.cases[item.name]
        python = os.environ[PADDLE2] if item.frontend == "paddle-2.6" else sys.executable
        oracle = self.crew.oracle(engine.worker, python)
        started = time.perf_counter()
        try:
            answer = self._answer(item, engine, case, oracle)
            found = judge(engine, case, device, shelf.limits, oracle, answer)
        except Lost as lost:
            found = Verdict(lost.kind, summary(lost))
        seconds = time.perf_counter() - started
        yield record(
            item,
            device,
            found,
            seconds=seconds,
            inputs=case.inputs,
            measured=self._measured(engine, case, found, oracle),
            command=command(item, device, self.options),
        )

    def _answer(self, item: Item, engine: Engine[Any], case: Any, oracle: Oracle) -> Answer | None:
        """What the origin says, asked once for all devices; None where the judge is to ask."""
        if self._asked is None or self._asked.item != item:
            self._asked = None
            if case.raises is not None:
                return None
            try:
                self._asked = Asked(item, engine.ask(case, oracle))
            except Lost:
                raise
            except FAILURES:  # a limit may say so
                return None
        return self._asked.answer

    def _measured(
        self, engine: Engine[Any], case: Any, found: Verdict, oracle: Oracle
    ) -> tuple[float, float] | None:
        """Our own and the origin's distance from its float64 results, where something rounds."""
        asked, outcome = self._asked, found.outcome
        rounds = any(d.max_ulp for d in outcome.differences)
        if asked is None or not rounds or not self.options.yardstick:
            return None
        if not asked.is_measured:
            asked.is_measured = True
            try:
                asked.truth = engine.truth(case, oracle, asked.answer)
            except FAILURES:  # what float64 does to it says nothing of the case
                asked.truth = None
        return None if asked.truth is None else yardstick(outcome, asked.truth)


@dataclass
class Asked:
    """What the origin said of the item that was asked last, for the next device."""

    item: Item
    answer: Answer
    truth: list[np.ndarray] | None = None
    is_measured: bool = False


def operator_of(case: Any) -> str:
    """The operator's name in its framework, with its domain."""
    domain = case.domain if isinstance(case, Case) else ""
    return f"{domain}::{case.op}" if domain and domain != case.op else case.op
