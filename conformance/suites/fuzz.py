"""Operators on changed rows of our own cases, against the origin: see `conformance/fuzzing`."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..judging.judge import Verdict
from ..judging.record import record
from ..judging.result import PASS, SKIP, Result
from ..running.suite import Crew, Item, Options, Suite, command

if TYPE_CHECKING:  # it needs Hypothesis
    from ..fuzzing.search import Answers

SHARE = 0.5
"""Of the time that an item has, so much is for the search."""

FRONTENDS = ("onnx", "torch", "tensorflow", "tflite", "paddle", "paddle-legacy")


class Fuzz(Suite):
    """One item is an operator of a frontend; its one result is the smallest case that fails."""

    name = "fuzz"
    frontends = FRONTENDS

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._answers: tuple[str, Answers] = ("", {})

    def missing(self, frontend: str) -> str | None:
        if importlib.util.find_spec("hypothesis") is None:
            return "not installed: hypothesis"
        return super().missing(frontend)

    def items(self, frontend: str) -> Iterable[Item]:
        from ..fuzzing.starts import rows_of

        for op in rows_of(frontend):
            yield Item(self.name, frontend, op, op)

    def run(self, item: Item, device: str) -> Iterator[Result]:
        from ..fuzzing.search import Search
        from ..fuzzing.starts import start

        options, started = self.options, time.perf_counter()
        begin = start(item.frontend, item.op, device)
        search = Search(
            begin,
            device,
            self.crew.oracle(begin.engine.worker),
            seed=options.seed,
            examples=options.examples,
            seconds=SHARE * options.timeout,
            answers=self._answers_of(item),
        )
        found = search.run()
        seconds = time.perf_counter() - started
        words = command(item, device, options)
        if found is None:
            kind = PASS if search.tally.tried else SKIP
            reason = str(search.tally) if begin.rows else "no row passes on this device"
            yield record(item, device, Verdict(kind, reason), seconds=seconds, command=words)
            return
        yield record(
            item,
            device,
            found.verdict,
            seconds=seconds,
            inputs=found.case.inputs,
            row=found.row,
            command=words,
        )

    def _answers_of(self, item: Item) -> Answers:
        """The origin's answers on an operator: its devices are tried one after the other."""
        op = f"{item.frontend} {item.op}"
        if self._answers[0] != op:
            self._answers = op, {}
        return self._answers[1]
