"""Asks a version every case, and writes a report as `nnadapter conform --json` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from nnir.errors import FAILURES, NNAdapterError, describe, summary

from ..judging.result import ERROR, PASS, SKIP, Result, Run
from ..oracles.oracle import Oracle, Refused
from ..processes.answer_store import AnswerStore
from ..processes.cache_folder import cache_folder
from ..processes.worker import GIGABYTE, Lost
from ..running.suite import Crew
from ..running.versions import list_installed, versions_in
from ..suites.operators import digest_of
from .programs import Written, write_program
from .tracks import ORIGIN, Question, Track, questions

TIMEOUT, MEMORY = 60.0, 8 * GIGABYTE
SUITE = "cases"
DEVICE_ORACLE = "conformance.oracles.device"
BESIDE = ("numpy", "ml_dtypes")
"""Packages that a version is reported with, beside its own."""

Say = Callable[[str], None]
Key = tuple[str, str]


@dataclass(frozen=True)
class Said:
    """What a version says to a case: arrays, or why there are none. `verdict` is that of a
    result."""

    arrays: tuple[np.ndarray, ...] = ()
    verdict: str = PASS
    reason: str = ""

    @property
    def digest(self) -> str:
        """A few digits that stand for the arrays; none where there is no answer."""
        return digest_of(self.arrays) if self.verdict == PASS else ""


@dataclass
class Programs:
    """The programs of cases for a device, each written once by the versions installed here."""

    device: str
    crew: Crew
    _written: dict[Key, Written | NNAdapterError] = field(default_factory=dict)

    def of(self, question: Question) -> Written:
        """The program of a case; our own error where it has none."""
        if question.key not in self._written:
            try:
                self._written[question.key] = write_program(question, self.device, self.crew)
            except NNAdapterError as error:
                self._written[question.key] = error
        found = self._written[question.key]
        if isinstance(found, NNAdapterError):
            raise found
        return found

    def has(self, question: Question) -> bool:
        """Whether a case has a program."""
        try:
            self.of(question)
        except NNAdapterError:
            return False
        return True

    @property
    def lacking(self) -> int:
        """How many cases were found to have none."""
        return sum(isinstance(w, NNAdapterError) for w in self._written.values())


@dataclass(frozen=True)
class Voice:
    """One version of a track, and the Python that has it."""

    track: Track
    version: str
    python: str
    programs: Programs

    def ask(self, question: Question, crew: Crew, *, is_kept: bool = True) -> Said:
        """What it says to a case; `is_kept`: it may have said so before."""
        try:
            return Said(tuple(self._ask(question, crew, is_kept=is_kept)))
        except Lost as lost:
            return Said(verdict=lost.kind, reason=summary(lost))
        except Refused as error:
            return Said(verdict=SKIP, reason=summary(error))
        except FAILURES as error:
            return Said(verdict=ERROR, reason=describe(error))

    def check(self) -> None:
        """DeviceError where what asks it does not open in its Python."""
        frontends = self.track.frontends_of(self.version)
        workers = [next(questions(self.track, f)).engine.worker for f in frontends]
        for module in [DEVICE_ORACLE] if self.track.device else workers:
            with Oracle(module, python=self.python, timeout=TIMEOUT) as oracle:
                oracle.call({}, [])  # it is open whatever it says to that

    def _ask(self, question: Question, crew: Crew, *, is_kept: bool) -> list[np.ndarray]:
        packages = self.track.packages(question.frontend) if is_kept else ()
        if self.track.device:
            oracle = crew.oracle(DEVICE_ORACLE, self.python, packages)
            found = self.programs.of(question).ask(self.track.device, oracle)
        else:
            oracle = crew.oracle(question.engine.worker, self.python, packages)
            found = question.engine.ask(question.case, oracle).results
        return found[: getattr(question.case, "read", None)]

    @property
    def questions(self) -> Iterator[Question]:
        """Every case that it can be asked: on a device, those that have a program."""
        for frontend in self.track.frontends_of(self.version):
            for question in questions(self.track, frontend):
                if not self.track.device or self.programs.has(question):
                    yield question

    @property
    def environment(self) -> dict[str, str]:
        """The versions of its packages, its Python's included."""
        return versions_in(self.python, (self.track.package, *BESIDE))


@contextmanager
def open_crew(*, is_kept: bool) -> Iterator[Crew]:
    """The workers of a run; `is_kept`: what they answer is kept and taken from what was kept."""
    store = AnswerStore(cache_folder("answers") / "origins.sqlite") if is_kept else None
    crew = Crew(TIMEOUT, MEMORY, store)
    try:
        yield crew
    finally:
        crew.close()


def ask_all(voice: Voice, say: Say) -> Run:
    """Every case, as the report of a run: an answer passes, what is refused is skipped."""
    started = time.perf_counter()
    results = []
    with open_crew(is_kept=True) as crew:
        for number, question in enumerate(voice.questions):
            if number and number % 500 == 0:
                say(f"{voice.track.name} {voice.version}: {number} cases")
            results.append(_record(voice, question, crew))
    return Run(
        results,
        options={"track": voice.track.name, "version": voice.version},
        environment={**list_installed(("nnadapter",)), **voice.environment},
        seconds=time.perf_counter() - started,
    )


def _record(voice: Voice, question: Question, crew: Crew) -> Result:
    started = time.perf_counter()
    said = voice.ask(question, crew)
    return Result(
        *(SUITE, question.frontend, question.op, question.name, voice.track.device or ORIGIN),
        said.verdict,
        said.reason[:500],
        seconds=round(time.perf_counter() - started, 5),
        answer=said.digest,
    )


def ask_again(voice: Voice, wanted: Collection[Key]) -> Mapping[Key, Said]:
    """What a version says to some cases now, in processes of their own."""
    with open_crew(is_kept=False) as crew:
        return {
            q.key: voice.ask(q, crew, is_kept=False) for q in voice.questions if q.key in wanted
        }
