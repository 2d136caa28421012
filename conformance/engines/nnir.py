"""Runs cases of the standard's own operators: no framework is asked, but another computation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnir.model import Model

from ..cases.nnir.direct import DirectCase
from ..cases.nnir.written import Written
from ..oracles.oracle import Oracle
from .engine import Answer, Convert, Engine, Outcome
from .written import find_problem


class DirectEngine(Engine[Any]):
    """Cases of one operator, called directly."""

    worker = ""

    def ask(self, case: Any, oracle: Oracle) -> Answer:
        return Answer(case.wanted())

    def model(self, case: Any, answer: Answer) -> Model:
        return case.model()

    def inputs(self, case: Any, model: Model) -> list[np.ndarray]:
        return case.arrays()

    def outcome(
        self, case: Any, device: str, answer: Answer, convert: Convert | None = None
    ) -> Outcome:
        """What comes of a case, and of its files where it is about them."""
        if isinstance(case, DirectCase) and case.raises is None:
            lost = case.find_lost_size()
            if lost is not None:
                return Outcome(problem=lost)
        found = super().outcome(case, device, answer, convert)
        if found.problem is not None or not isinstance(case, Written):
            return found
        return replace(found, problem=find_problem(case, device, answer.results))

    def refused(self, case: Any, device: str, oracle: Oracle) -> list[np.ndarray]:
        return self.results(case, device, Answer([]))


ENGINE = WHOLE = DirectEngine()
