"""Runs cases of the standard's own operators: no framework is asked, but another computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nnir.model import Model
from nnir.passes import CLEAN, FUSIONS, apply

from ..cases.nnir.chains import Chain
from ..cases.nnir.direct import DirectCase, find_lost_size
from ..cases.nnir.used import Used
from ..cases.nnir.written import Written
from ..oracles.oracle import Oracle
from .engine import Answer, Convert, Engine, Outcome
from .uses import find_use
from .ways import find_wrong_way, list_ways
from .written import find_other_form, find_problem


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
        """What comes of a case, and of its files or its program where it is about those."""
        if isinstance(case, (Chain, DirectCase)) and case.raises is None:
            lost = find_lost_size(case.model())
            if lost is not None:
                return Outcome(problem=lost)
        found = super().outcome(case, device, answer, convert)
        problem = found.problem or find_other_form(case, device)
        if problem is None and device == "builtin" and isinstance(case, (Chain, DirectCase)):
            problem = find_wrong_way(case, answer.results)
        if problem is None and isinstance(case, Written):
            problem = find_problem(case, device, answer.results)
        if problem is None and isinstance(case, Used):
            problem = find_use(case, device, answer.results)
        return replace(found, problem=problem)

    def translations(self, case: Any, model: Model) -> Iterator[Model]:
        """The model, what the decompositions make of its operation, and what passes make of it."""
        yield model
        if case.raises is not None:
            return
        if isinstance(case, (Chain, DirectCase)):
            yield from (made for _, made in list_ways(case))
        optimized = case.model()
        apply(optimized, (*CLEAN, *FUSIONS, *CLEAN))
        yield optimized

    def may_wait(self, case: Any) -> bool:
        return not isinstance(case, Used)

    def refused(self, case: Any, device: str, oracle: Oracle) -> list[np.ndarray]:
        return self.results(case, device, Answer([]))


ENGINE = WHOLE = DirectEngine()
