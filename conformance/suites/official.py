"""The official ONNX backend suite as a suite of ours, with what is known not to pass."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from frontends import onnx as frontend
from hal.runtime.classes import program_class
from nnir.errors import FAILURES
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..engines.engine import Outcome
from ..judging.compare import compare
from ..judging.judge import Verdict, failure
from ..judging.record import record, with_gap
from ..judging.result import PASS, WRONG, Result
from ..running.suite import Crew, Item, Options, Suite, command
from .onnx_backend import SuiteCase, agree, cases
from .onnx_gaps import gap

Sets = list[tuple[list[Any], list[Any]]]


class OnnxBackend(Suite):
    """Models, inputs and expected outputs that come with the onnx package."""

    name = "onnx-backend"
    frontends = ("onnx",)

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._loaded: tuple[str, tuple[bytes, Sets]] | None = None

    def items(self, frontend: str) -> Iterable[Item]:
        for case in cases().values():
            yield Item(self.name, frontend, case.kind, case.name)

    def run(self, item: Item, device: str) -> Iterator[Result]:
        case = cases()[item.name]
        data, sets = self._load(case)
        started = time.perf_counter()
        known = gap(case.name, device)
        must_fail = known is None or not known.by_chance
        found = with_gap(_judge(case, device, data, sets), known, must_fail=must_fail)
        yield record(
            item,
            device,
            found,
            seconds=time.perf_counter() - started,
            inputs=[a for inputs, _ in sets for a in inputs],
            command=command(item, device, self.options),
        )

    def _load(self, case: SuiteCase) -> tuple[bytes, Sets]:
        if self._loaded is None or self._loaded[0] != case.name:
            self._loaded = case.name, case.load()
        return self._loaded[1]


def _judge(case: SuiteCase, device: str, data: bytes, sets: Sets) -> Verdict:
    outcome = Outcome()
    try:
        model = frontend.load(data)
        apply(model, CLEAN)
        with program_class(model)(model, device) as program:
            for inputs, want in sets:
                got = program(*inputs)
                outcome = _outcome(case, got, want)
                problem = agree(case, want, got)
                if problem is not None:
                    return Verdict(WRONG, problem, outcome)
    except FAILURES as error:
        return failure(error)
    return Verdict(PASS, outcome=outcome)


def _outcome(case: SuiteCase, got: list[Any], want: list[Any]) -> Outcome:
    """The distances, for what is not a sequence."""
    tolerance = Tolerance(case.relative, case.absolute)
    pairs = [p for p in zip(got, want, strict=False) if isinstance(p[1], np.ndarray)]
    differences = [compare(a, b, tolerance) for a, b in pairs]
    return Outcome([a for a, _ in pairs], [b for _, b in pairs], differences)
