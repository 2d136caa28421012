"""What becomes of a case on a device, in words that are compared with and without a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hal.emission import decompositions

from ..judging.judge import judge
from ..judging.result import Result
from ..ledger import outcome
from ..oracles.kept import KeptOracle
from ..processes.answer_store import ORIGINS_FILE, AnswerStore
from ..processes.cache_folder import cache_folder
from ..running.versions import ORIGINS
from ..suites.operators import Asked, book

PATIENCE = 120.0
"""Seconds that an origin may take for one answer."""


@dataclass
class Bench:
    """Where cases are run, with the answers that are kept between runs of `conform`."""

    _oracles: dict[str, KeptOracle] = field(default_factory=dict)

    def case(self, frontend: str, name: str) -> Any:
        """A case by its name."""
        return book(frontend).cases[name][1]

    def names(self, frontend: str) -> list[str]:
        """The cases of a frontend."""
        return list(book(frontend).cases)

    def oracle(self, frontend: str) -> KeptOracle:
        """The origin of a frontend."""
        if frontend not in self._oracles:
            engine, _ = next(iter(book(frontend).cases.values()))
            store = AnswerStore(cache_folder("answers") / ORIGINS_FILE)
            packages = ORIGINS.get(frontend, ())
            self._oracles[frontend] = KeptOracle(engine.worker, store, packages, timeout=PATIENCE)
        return self._oracles[frontend]

    def ask(self, frontend: str, name: str) -> None:
        """Have everything answered that judging a case may ask."""
        engine, case = book(frontend).cases[name]
        oracle = self.oracle(frontend)
        if case.raises is not None and frontend != "tflite":
            return
        answer = engine.ask(case, oracle)
        tolerances = case.tol.values() if isinstance(case.tol, Mapping) else [case.tol]
        if any(t.multiple for t in tolerances):
            engine.truth(case, oracle, answer)

    def run(self, frontend: str, name: str, device: str) -> str:
        """What becomes of a case, as the ledger has it, and what it is converted to."""
        shelf = book(frontend)
        engine, case = shelf.cases[name]
        oracle = self.oracle(frontend)
        asked = Asked(engine, case, oracle)
        with decompositions() as found:
            verdict = judge(engine, case, device, shelf.limits, oracle, asked.answer, asked.convert)
        decomposed = tuple(sorted({n for _, n in found}))
        where = ("cases", frontend, case.op, name, device)
        made = Result(*where, verdict.verdict, verdict.reason, decomposed=decomposed)
        return " ".join(filter(None, [outcome(made), *asked.standard, asked.translation]))

    def close(self) -> None:
        """Stop the oracles."""
        for oracle in self._oracles.values():
            oracle.close()
