"""The search for a case on which we differ from the origin, and for the smallest such."""

from __future__ import annotations

import hashlib
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from hypothesis import Phase, Verbosity, find, reject, settings
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import HypothesisException

from nnir.errors import FAILURES, DeviceError, summary

from ..case import Case
from ..engines.engine import Answer
from ..judging.judge import Verdict, failure, judge
from ..judging.result import ERROR, PASS, REFUSED, WRONG
from ..oracles.oracle import Oracle
from ..processes.worker import Lost
from .changes import Choices, change_row, shrinking_row
from .conditions import not_finite
from .cuts import cuts
from .gaps import is_gap
from .nearness import problem_of, strict
from .rows import row_of
from .starts import Start
from .tree import arrays, is_modest
from .undefined import exclusion_of

TRIES = 5
"""So many times the wanted examples may be made to find as many that the origin takes."""

REPEATS = 25
"""So many times the wanted examples may be drawn: many are the same case."""

KEY = b"choices"
SHRINKS = 250
"""So many cases may be tried to find a smaller one."""

CUTS = 100
LARGEST = 1_000_000
DEATHS = 8
OUTSIDE = (
    *("out of bounds", "non-empty take", "out of range", "indices element out of data bounds"),
    *("in 32 bits: an input is beyond them", "in an axis of "),
    *("do not make up", "ValueError: k="),
    "num_input_elements != num_output_elements",
)
"""What devices say of positions outside (the origin that reads there has no better answer) and of
integers that they say not to have."""

ASKED = 10.0
"""Seconds that the origin has for one example."""


@dataclass
class Tally:
    """What became of the examples."""

    tried: int = 0
    refused: int = 0
    discarded: int = 0
    accepted: int = 0
    undefined: int = 0
    known: int = 0
    deaths: int = 0
    ended: str = ""

    def __str__(self) -> str:
        words = [f"{self.tried} examples"]
        counts = {
            "refused by us": self.refused,
            "of known gaps": self.known,
            "refused by the origin": self.discarded,
            "of these taken by us": self.accepted,
            "not defined": self.undefined,
            "killed the origin": self.deaths,
        }
        words += [f"{n} {what}" for what, n in counts.items() if n]
        return ", ".join(words) + (f"; {self.ended}" if self.ended else "")


@dataclass(frozen=True)
class Finding:
    """A case that fails, as a row, and how."""

    case: Case
    row: str
    verdict: Verdict

    @property
    def kind(self) -> str:
        """What a smaller case must have in common with it."""
        return f"{self.verdict.verdict} {_kind(self.verdict)}"

    @property
    def size(self) -> tuple[int, int]:
        return sum(a.size for a in arrays(self.case)), len(self.row)


Answers = dict[str, Answer | Exception]
"""What the origin says of examples, by their rows, or with what it refuses them or dies."""


class Search:
    """One search: the same seed, operator and rows give the same examples.

    So the `answers` of a search on one device are those of another one as well.
    """

    def __init__(
        self,
        start: Start,
        device: str,
        oracle: Oracle,
        *,
        seed: int,
        examples: int,
        seconds: float,
        answers: Answers | None = None,
    ) -> None:
        self.start, self.device, self.oracle = start, device, oracle
        self.answers: Answers = {} if answers is None else answers
        self.examples, self.tally = examples, Tally()
        self.best: Finding | None = None
        self._random = Random(seed_of(seed, start.frontend, start.op))
        self._deadline = time.monotonic() + seconds
        self._seen: dict[str, bool | None] = {}
        self._left = TRIES * examples

    def run(self) -> Finding | None:
        """The smallest case that fails, or None."""
        if not self.start.rows:
            return None
        patience, self.oracle.timeout = self.oracle.timeout, min(ASKED, self.oracle.timeout)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                bits = self._explore()
                if self.best is not None:
                    self._shrink(bits)
                    self._cut()
        finally:
            self.oracle.timeout = patience
        return self.best and self._with_tolerance(self.best)

    def _explore(self) -> list[bool]:
        """Try examples until one fails or there were enough; gives the choices of the last one."""
        for _ in range(REPEATS * self.examples):
            choices = Choices(self._random)
            case = change_row(choices.draw, self.start)
            row = row_of(case)
            if row not in self._seen:
                self._seen[row] = self._judge(case, row)
            if self._seen[row] or self.tally.tried >= self.examples or self._is_over():
                return choices.bits
        return []

    def _shrink(self, bits: Sequence[bool]) -> None:
        """Make fewer choices, and simpler ones."""
        kept = InMemoryExampleDatabase()
        kept.save(KEY + b".secondary", choices_to_bytes(bits))  # the others count as small already
        wanted = settings(
            database=kept,
            deadline=None,
            phases=(Phase.reuse, Phase.shrink),
            verbosity=Verbosity.quiet,
            print_blob=False,
        )
        strategy = shrinking_row(self.start)
        with suppress(HypothesisException):  # the time is up
            find(strategy, self._fails, settings=wanted, database_key=KEY)

    def _cut(self) -> None:
        """Take axes away from the best one."""
        self._left = CUTS
        is_new = self.best is not None
        while is_new and self.best is not None:
            before = self.best
            is_new = any(self._judge(c, row_of(c)) for c in cuts(before.case))
            is_new = is_new and self.best.size < before.size

    def _with_tolerance(self, best: Finding) -> Finding:
        """With the tolerance under which the row fails by itself."""
        for case in strict(best.case):
            found = judge(self.start.engine, case, self.device, (), self.oracle)
            if found.verdict not in (PASS, REFUSED):
                return Finding(case, row_of(case), found)
        return best

    def _fails(self, case: Case) -> bool:
        row = row_of(case)
        if row not in self._seen:
            self._seen[row] = self._judge(case, row)
        found = self._seen[row]
        if found is None:
            reject()
        return bool(found)

    def _judge(self, case: Case, row: str) -> bool | None:
        """Whether the case fails; None where it says nothing."""
        if self._is_over():
            return False
        self._left -= 1
        sys.stderr.write(f"{row}\n")  # the last words, should this process die over it
        answer = self._answer(case, row)
        if answer is None:
            return None
        found = self._verdict(case, answer)
        self.tally.tried += self.best is None
        if found.verdict == REFUSED:
            self.tally.refused += self.best is None
        if found.verdict not in (WRONG, ERROR):
            return False
        if self._is_known(case, answer, found):
            self.tally.known += self.best is None
            return False
        return self._is_better(Finding(case, row, found))

    def _is_over(self) -> bool:
        if time.monotonic() > self._deadline:
            self.tally.ended = "the time ran out"
        elif self.tally.deaths >= DEATHS:
            self.tally.ended = "the origin dies too often"
        elif self._left <= 0 and self.best is None:
            self.tally.ended = "the origin refuses too many"
        return bool(self.tally.ended) or self._left <= 0

    def _is_better(self, found: Finding) -> bool:
        """Whether it is a failure of the kind that was found first."""
        if self.best is None:
            self.best, self._left = found, SHRINKS
        elif found.kind != self.best.kind:
            return False
        self.best = min(found, self.best, key=lambda x: x.size)
        return True

    def _ask(self, case: Case, row: str) -> Answer:
        """What the origin says, or said before."""
        if row not in self.answers:
            try:
                self.answers[row] = self.start.engine.ask(case, self.oracle)
            except Exception as error:  # noqa: BLE001  it is raised below, each time
                self.answers[row] = error.with_traceback(None)
        known = self.answers[row]
        if isinstance(known, Exception):
            raise known
        return known

    def _answer(self, case: Case, row: str) -> Answer | None:
        """What the origin says, where that is defined."""
        try:
            answer = self._ask(case, row)
        except Lost:
            self.tally.deaths += 1
            return None
        except Exception:  # noqa: BLE001  what cannot even be asked is no example
            self.tally.discarded += self.best is None
            self.tally.accepted += self.best is None and self._is_accepted(case)
            return None
        if exclusion_of(self.start.frontend, self.start.op, case, answer) is not None:
            self.tally.undefined += self.best is None
            return None
        sizes = [n for r in answer.results for n in (r.size, *r.shape)]
        return None if max(sizes, default=0) > LARGEST else answer

    def _is_accepted(self, case: Case) -> bool:
        """Whether we run what the origin refuses."""
        if self.start.frontend in ("tflite", "paddle-legacy") or not is_modest(case):
            return False  # without the origin there is no file to read; or nothing bounds it
        if self.device != "builtin":  # a kernel may end the process over what is not valid
            return False
        try:
            self.start.engine.refused(case, self.device, self.oracle)
        except Exception:  # noqa: BLE001  how it is refused does not matter here
            return False
        return True

    def _verdict(self, case: Case, answer: Answer) -> Verdict:
        engine = self.start.engine
        try:
            outcome = engine.outcome(case, self.device, answer)
            problem = problem_of(engine, case, self.oracle, answer, outcome)
        except Lost as lost:
            return Verdict(PASS, str(lost))  # over the yardstick
        except MemoryError:
            return Verdict(REFUSED, "more memory than allowed")
        except DeviceError as error:  # what the origin can run is no failure of a device
            is_place = any(words in str(error) for words in OUTSIDE)
            return Verdict(REFUSED if is_place else ERROR, f"DeviceError: {summary(error)}")
        except FAILURES as error:
            return failure(error)
        except Exception as error:  # noqa: BLE001  any other exception is a bug as well
            return failure(error)
        return Verdict(PASS if problem is None else WRONG, problem or "", outcome)

    def _is_known(self, case: Case, answer: Answer, found: Verdict) -> bool:
        """Whether a limit says that results are wrong: where something is not finite, mostly."""
        if found.verdict == WRONG and is_gap(self.device, self.start.op, case, answer):
            return True
        known = [x for x in self.start.limits if issubclass(x.raises, AssertionError)]
        odd = not_finite(case)
        return found.verdict == WRONG and any(odd or x.case is None for x in known)


def _kind(found: Verdict) -> str:
    """The first words of a problem."""
    if found.verdict == ERROR:
        return found.reason.partition(":")[0]
    words = found.reason.split(": ")[-1 if found.reason.startswith("output") else 0].split()
    return next((w for w in words if w in ("inferred", "precision", "shape")), "values")


def seed_of(seed: int, frontend: str, op: str) -> int:
    """A seed for an operator, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed} {frontend} {op}".encode()).digest()[:8], "big")
