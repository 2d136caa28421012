"""Random models in every way that a device runs them: see `conformance/fuzzing/models`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import numpy as np

from nnir.model import Model

from ..judging.judge import Verdict
from ..judging.record import record
from ..judging.result import GOOD, SKIP, Result
from ..running.suite import Item, Suite, command

SHARE = 0.4
"""Of the time that an item has, so much is for making a failure small."""

KEPT = "kept "
"""Begins the name of a case that an earlier run found."""


class RandomModels(Suite):
    """One item is a model; it has a result for each way in which a device runs it."""

    name = "random-models"
    frontends = ("nnir",)

    def items(self, frontend: str) -> Iterable[Item]:
        from ..cases.nnir.found import FOUND

        for case in FOUND:
            yield Item(self.name, frontend, "model", f"{KEPT}{case}")
        for number in range(self.options.examples):
            yield Item(self.name, frontend, "model", f"{self.options.seed}-{number}")

    def run(self, item: Item, device: str) -> Iterator[Result]:
        from ..fuzzing.models.trial import some_ways_of, subject_of, try_model

        started = time.monotonic()
        model, arrays = model_of(item.name)
        words = command(item, device, self.options)
        if not model.operations:
            yield record(item, device, Verdict(SKIP, "nothing that is valid grew"), command=words)
            return
        ways = some_ways_of(device, number_of(item.name))
        for trial in try_model(subject_of(model, arrays), device, self.crew.oracle, ways):
            row = ""
            if trial.verdict.verdict not in GOOD:
                until = started + SHARE * self.options.timeout
                row = smallest(model, arrays, device, trial.way, trial.verdict, until)
            yield record(
                Item(item.suite, item.frontend, item.op, f"{item.name} {trial.way}"),
                device,
                trial.verdict,
                seconds=trial.seconds,
                inputs=arrays,
                row=row,
                command=words,
            )


def model_of(name: str) -> tuple[Model, list[np.ndarray]]:
    """The model of an item."""
    from ..cases.nnir.found import FOUND
    from ..fuzzing.models.generate import generate

    if name.startswith(KEPT):
        case = next(c for c in FOUND if str(c) == name.removeprefix(KEPT))
        return case.model(), case.arrays()
    seed, _, number = name.partition("-")
    return generate(int(seed), int(number))


def number_of(name: str) -> int:
    """The number of an item; 0 for one that is kept."""
    return 0 if name.startswith(KEPT) else int(name.rpartition("-")[2])


def smallest(
    model: Model, arrays: list[np.ndarray], device: str, way: str, found: Verdict, until: float
) -> str:
    """The row of the smallest model that fails in the same way, tried in a process of its own."""
    from ..fuzzing.models.process import Process, kind_of
    from ..fuzzing.models.rows import case_of, row_of
    from ..fuzzing.models.shrink import Shrinker

    process, kind = Process(device, way), kind_of(found)
    try:
        shrinker = Shrinker(
            model, arrays, lambda m, a: kind_of(process.verdict(m, a)) == kind, until
        )
        shrinker.run()
    finally:
        process.close()
    return row_of(case_of(shrinker.model, shrinker.arrays, f"{device} {way}: {kind}"))
