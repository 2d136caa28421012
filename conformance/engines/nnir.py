"""Runs cases of the standard's own operators: no framework is asked, but another computation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Model

from ..oracles.oracle import Oracle
from .engine import Answer, Engine


class DirectEngine(Engine[Any]):
    """Cases of one operator, called directly."""

    worker = ""

    def ask(self, case: Any, oracle: Oracle) -> Answer:
        return Answer(case.wanted())

    def model(self, case: Any, answer: Answer) -> Model:
        return case.model()

    def inputs(self, case: Any, model: Model) -> list[np.ndarray]:
        return case.arrays()

    def refused(self, case: Any, device: str, oracle: Oracle) -> list[np.ndarray]:
        return self.results(case, device, Answer([]))


ENGINE = WHOLE = DirectEngine()
