"""Our own cases: rows of one operator each, of every frontend."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hal.emission import decompositions
from nnir.errors import FAILURES, BadInput
from nnir.model import Model
from nnir.passes import CLEAN, FUSIONS, apply
from nnir.plugins import REGISTRY

from ..case import Case, Limit
from ..cases.paddle_legacy import older
from ..engines.engine import Answer, Engine
from ..engines.outside import OutsideOrigin, find_origin, origin_names, outside_limits
from ..engines.runs import keeping
from ..judging.judge import Verdict, judge, yardstick
from ..judging.record import record
from ..judging.result import REFUSED, SKIP, Result
from ..oracles.oracle import Oracle, Refused
from ..running import translation
from ..running.subject import operators_of
from ..running.suite import NEEDS, PADDLE2, Crew, Item, Options, Suite, command
from ..running.versions import interpreters
from .processors import lacking

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
    brought = REGISTRY.cases_of(frontend)
    outside = [*outside_limits(), *(x for p in REGISTRY.plugins() for x in p.limits)]
    if frontend not in NEEDS:
        found = require_origin(frontend)
        own = {str(c): (found.engine, c) for c in (*found.cases, *brought)}
        return Book(own, [*found.limits, *outside])
    name = TABLES.get(frontend, frontend)
    table = import_module(f"conformance.cases.{name}")
    engines = import_module(f"conformance.engines.{name}")
    rows = [*table.CASES, *getattr(table, "OPEN", ()), *brought]
    cases = {str(c): (engines.ENGINE, c) for c in rows}
    for model in getattr(table, "MODELS", ()):
        cases[f"model-{model}"] = (engines.WHOLE, model)
    limits = [*older.OLDER, *table.LIMITS] if frontend == OLDER else table.LIMITS
    return Book(cases, [*limits, *outside])


def require_origin(frontend: str) -> OutsideOrigin:
    """The origin from outside that is called so."""
    found = find_origin(frontend)
    if found is None:
        raise BadInput(f"no frontend {frontend!r}: there are {', '.join(all_frontends())}")
    return found


def all_frontends() -> tuple[str, ...]:
    """The frontends that have cases, those of other packages included."""
    return (*NEEDS, *(n for n in origin_names() if n not in NEEDS))


class Operators(Suite):
    """The rows of `conformance/cases`, against the origin framework's own output."""

    name = "cases"
    frontends = tuple(NEEDS)

    @classmethod
    def list_frontends(cls) -> tuple[str, ...]:
        return all_frontends()

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._asked: dict[Item, Asked] = {}
        self._interpreters = interpreters(options.origins)

    def asked(self, frontend: str) -> tuple[str, tuple[str, ...]]:
        python, packages = super().asked(frontend)
        if frontend in self._interpreters:
            return python, packages
        if frontend == OLDER:
            return os.environ[PADDLE2], packages
        outside = None if frontend in NEEDS else require_origin(frontend)
        return (outside.python or python, outside.packages) if outside else (python, packages)

    def missing(self, frontend: str) -> str | None:
        if frontend in NEEDS:
            return super().missing(frontend)
        python, _ = self.asked(frontend)
        return None if Path(python).is_file() else f"its interpreter {python!r} is not there"

    def items(self, frontend: str) -> Iterable[Item]:
        for name, (_, case) in book(frontend).cases.items():
            op = operator_of(case) if frontend == "onnx" else case.op
            yield Item(self.name, frontend, op, name)

    def run(self, item: Item, device: str) -> Iterator[Result]:
        shelf = book(item.frontend)
        if why := lacking(item.frontend, item.op, item.name, device):
            yield record(item, device, Verdict(SKIP, why))
            return
        engine, case = shelf.cases[item.name]
        asked = self._of(item)
        started = time.perf_counter()
        with decompositions() as decomposed, keeping(self.crew.runs):
            found = judge(
                engine, case, device, shelf.limits, asked.oracle, asked.answer, asked.convert
            )
        is_elsewhere = item.frontend == OLDER or item.frontend in self._interpreters
        if is_elsewhere and found.verdict == REFUSED and asked.is_refused:
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
        names = tuple(sorted({name for _, name in decomposed}))
        yield replace(
            made,
            decomposed=names,
            standard=asked.standard,
            translation=asked.translation,
            answer=asked.digest,
        )

    def can_wait(self, item: Item, device: str) -> bool:
        """Whether the origin has answered, the case is neither one that must fail nor one with
        threads of its own, and the device was not asked before."""
        asked = self._of(item)
        if asked.case.raises is not None or not asked.engine.may_wait(asked.case):
            return False
        return asked.has_answer and not self._is_kept(asked, device)

    def _is_kept(self, asked: Asked, device: str) -> bool:
        runs = self.crew.runs
        if runs is None or not asked.is_convertible:
            return False
        model = asked.convert()
        return runs.has(model, device, asked.engine.inputs(asked.case, model))

    def _of(self, item: Item) -> Asked:
        """What the origin says of a case: of the last few it is kept."""
        if item not in self._asked:
            if len(self._asked) >= KEPT:
                self._asked.clear()
            engine, case = book(item.frontend).cases[item.name]
            oracle = self.crew.oracle(engine.worker, *self.asked(item.frontend))
            self._asked[item] = Asked(engine, case, oracle, is_optimized=self.options.optimize)
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
    """What the origin says of a case, and our model of it: asked and converted once, for all
    devices, and only when needed."""

    engine: Engine[Any]
    case: Any
    oracle: Oracle
    is_optimized: bool = False
    standard: tuple[str, ...] = ()
    translation: str = ""

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

    def convert(self) -> Model:
        """The model, after the passes where they are wanted; or what the converter raised."""
        if isinstance(self._converted, Model):
            return self._converted
        raise self._converted

    @cached_property
    def _converted(self) -> Model | BaseException:
        try:
            model = self.engine.model(self.case, self.answer())
            self.standard = operators_of(self.case.op, model)
            made = self.engine.translations(self.case, model)
            self.translation = translation.digest(made)
            if self.is_optimized:
                optimize(model)
        except Exception as error:  # noqa: BLE001  whatever it is, it is the verdict of all devices
            return error
        return model

    @property
    def is_convertible(self) -> bool:
        """Whether there is a model."""
        return isinstance(self._converted, Model)

    @property
    def has_answer(self) -> bool:
        """Whether the origin gives results."""
        return isinstance(self._said, Answer)

    @property
    def digest(self) -> str:
        """A few digits that stand for the results, where it was asked and its results are not
        random."""
        said = vars(self).get("_said")
        if not isinstance(said, Answer) or getattr(self.case, "random", False):
            return ""
        return digest_of(said.results)

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


def digest_of(arrays: Iterable[np.ndarray]) -> str:
    """A few digits that stand for arrays: their types and elements; a NaN is a NaN."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        is_nan = np.asarray(array != array)
        digest.update(np.where(is_nan, np.zeros((), array.dtype), array).tobytes())
        digest.update(is_nan.tobytes())
    return digest.hexdigest()[:12]


def optimize(model: Model) -> None:
    """The passes of `nnadapter.load` and `nnadapter.optimize`."""
    apply(model, (*CLEAN, *FUSIONS, *CLEAN))


def operator_of(case: Any) -> str:
    """The operator's name in its framework, with its domain."""
    domain = case.domain if isinstance(case, Case) else ""
    return f"{domain}::{case.op}" if domain and domain != case.op else case.op
