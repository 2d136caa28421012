"""Plant changes place by place and keep the score: who noticed which."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from .changes import Change, changes_of, is_another
from .coverage import Visit, visits
from .defaults import says_the_default
from .places import ROOT, Place, module_of, name_of

BY_CASES, BY_TESTS, SURVIVED, EQUIVALENT = "cases", "tests", "survived", "equivalent"
SECONDS = 60.0
"""For the cases of one change."""

PATIENCE = 240.0
"""For the tests."""

MOST = 4000
"""So many cases are run of one change at most."""

GUESSED = 300
"""So many cases that are taken to come by nothing of a change are run of it, too."""

MOST_BROKEN = 50
"""So many cases may do otherwise without a change than was written down."""

KNOWN = Path(__file__).with_name("equivalent.txt")
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


@dataclass
class Mutant:
    """A change of a file, and what became of it: `by` whom it was noticed, or that it was not.

    `visits` cases come by the changed lines, `ran` were run before one noticed.
    """

    place: str
    file: str
    function: str
    kind: str
    line: int
    before: str
    after: str
    visits: int = 0
    ran: int = 0
    by: str = SURVIVED
    case: str = ""
    found: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.before}  ->  {self.after}"


@dataclass
class Score:
    """The mutants of a place."""

    place: str
    seed: int
    mutants: list[Mutant] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        return Counter(m.by for m in self.mutants)

    def share(self, *by: str) -> float:
        """The share that was noticed by some, of those that can be noticed."""
        real = [m for m in self.mutants if m.by != EQUIVALENT]
        return sum(m.by in by for m in real) / len(real) if real else 1.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Host:
    """A process that plants changes of one place; see `host`."""

    def __init__(self, place: str) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "conformance.mutants.host", place]
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(
        self, path: Path, text: str | None, cases: Sequence[Visit], tests: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Plant a text in the place of a file (None: nothing) and run cases or tests."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a host is asked through pipes")
        rows = [[v.frontend, v.case, v.device, v.outcome, v.seconds] for v in cases]
        where = {"module": module_of(path), "path": str(path), "text": text}
        seconds = PATIENCE if tests else SECONDS
        job = {**where, "cases": rows, "tests": list(tests), "seconds": seconds}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


class Round:
    """The changes of one place: which are drawn, and which cases are run of each."""

    def __init__(self, place: Place, seed: int, *, tests: bool = False) -> None:
        self.place, self.seed, self._tests = place, seed, tests
        parts = [(f, d) for f in place.frontends for d in place.devices]
        self._visits = [v for part in parts for v in visits(*part)]
        self._files: dict[str, list[Visit]] = {}
        for visit in self._visits:
            for file in visit.lines:
                if file.startswith(place.name + "/"):
                    self._files.setdefault(file, []).append(visit)
        self._equivalent = set(read_equivalent())
        self._broken: set[tuple[str, str, str]] = set()
        self._spans: dict[tuple[Path, str], tuple[int, int]] = {}

    def draw(self, count: int) -> list[tuple[Path, Change, Mutant]]:
        """So many changes, in functions that some case enters (of the passes in any)."""
        texts = {path: path.read_bytes() for path in self.place.files}
        offers = [(p, c) for p, text in texts.items() for c in changes_of(text)]
        draw = random.Random(f"{self.seed} {self.place.name}")
        draw.shuffle(offers)
        entered: dict[tuple[Path, str], bool] = {}
        self._spans = _spans(offers)
        found: list[tuple[Path, Change, Mutant]] = []
        for path, change in offers:
            if len(found) == count:
                break
            key = path, change.function
            if key not in entered:
                entered[key] = self.place.name == "nnir/passes" or any(
                    v.touches(name_of(path), *self._spans[key])
                    for v in self._files.get(name_of(path), ())
                )
            text = texts[path]
            if not entered[key] or says_the_default(module_of(path), change.left_out):
                continue
            if is_another(change.apply(text), text):
                words = self.place.name, name_of(path), change.function, change.kind
                found.append((path, change, Mutant(*words, *change.shown(text))))
        return found

    def judge(self, host: Host, path: Path, change: Change, mutant: Mutant) -> Mutant:
        """Find who notices a change."""
        if (mutant.file, mutant.function, mutant.before, mutant.after) in self._equivalent:
            mutant.by = EQUIVALENT
            return mutant
        text = change.apply(path.read_bytes()).decode()
        chosen = self._chosen(path, change)
        mutant.visits = len(chosen)
        while chosen:
            chosen = [v for v in chosen if (v.frontend, v.case, v.device) not in self._broken]
            answer = host.run(path, text, chosen[:MOST])
            mutant.ran = answer["ran"]
            if answer["verdict"] != "noticed":
                break
            case = answer.get("case")
            if case is not None and host.run(path, None, [chosen[case]])["verdict"] == "noticed":
                visit = chosen[case]  # it does otherwise without the change too
                self._broken.add((visit.frontend, visit.case, visit.device))
                if len(self._broken) > MOST_BROKEN:
                    raise RuntimeError(
                        f"{len(self._broken)} cases do otherwise without a change, such as "
                        f"{visit.case} on {visit.device}: remove build/mutants"
                    )
                continue
            mutant.by, mutant.found = BY_CASES, answer["found"]
            mutant.case = "" if case is None else f"{chosen[case].case} on {chosen[case].device}"
            return mutant
        if self._tests and self.place.tests:
            answer = host.run(path, text, [], self.place.tests)
            if answer["verdict"] == "noticed":
                mutant.by, mutant.found = BY_TESTS, answer["found"]
        return mutant

    def _chosen(self, path: Path, change: Change) -> list[Visit]:
        """The cases that come by a change, the quick ones first.

        Those that were not run, but are taken to come by another line of the function, are behind
        them, and some of the same operators that are taken to come by none: what they are taken for
        is a guess. Where a function is registered otherwise, other cases of the same operators may
        come by. Operators and types come by turns, and so do the ways through the file: of those
        that go alike through it one is as good as another.
        """
        file = name_of(path)
        visits = self._files.get(file, ())
        found = [v for v in visits if v.touches(file, *change.lines)]
        if change.registers:
            names = {(v.frontend, v.operator) for v in found}
            found = [v for v in self._visits if (v.frontend, v.operator) in names]
        span = self._spans.get((path, change.function), change.lines)
        seen = {id(v) for v in found}
        others = [v for v in visits if v.is_taken and id(v) not in seen and v.touches(file, *span)]
        seen |= {id(v) for v in others}
        names = {(v.frontend, v.operator) for v in found}
        rest = [v for v in self._visits if v.is_taken and id(v) not in seen]
        rest = [v for v in rest if (v.frontend, v.operator) in names]
        guessed = self._in_turns(rest, file)[:GUESSED]
        return [*self._in_turns(found, file), *self._in_turns(others, file), *guessed]

    @staticmethod
    def _in_turns(found: list[Visit], file: str) -> list[Visit]:
        """Cases in the order in which they are run."""
        found.sort(key=lambda v: v.seconds)
        kinds = _by_turns(found, lambda v: (v.frontend, *v.case.split("-")[:2], v.device))
        ways = _by_turns(kinds, lambda v: tuple(v.lines.get(file, ())))
        both = (visit for pair in zip(kinds, ways, strict=True) for visit in pair)
        return list({id(v): v for v in both}.values())


def _by_turns(found: Sequence[Visit], kind: Callable[[Visit], Hashable]) -> list[Visit]:
    """The first one of each kind, then the second ones, and so on."""
    turns: Counter[Hashable] = Counter()
    order = []
    for visit in found:
        key = kind(visit)
        order.append((turns[key], visit))
        turns[key] += 1
    return [visit for _, visit in sorted(order, key=lambda row: row[0])]


def _spans(offers: Iterable[tuple[Path, Change]]) -> dict[tuple[Path, str], tuple[int, int]]:
    """The lines of each function that changes are in."""
    spans: dict[tuple[Path, str], tuple[int, int]] = {}
    for path, change in offers:
        first, last = change.lines
        low, high = spans.get((path, change.function), (first, last))
        spans[path, change.function] = min(low, first), max(high, last)
    return spans


def read_equivalent() -> Iterator[tuple[str, str, str, str]]:
    """File, function, line before and after of changes that nothing can notice."""
    if not KNOWN.exists():
        return
    rows = [r for r in KNOWN.read_text().split("\n\n") if r and not r.startswith("#")]
    for row in rows:
        where, before, after, _ = row.strip().split("\n", 3)
        file, _, function = where.partition(" ")
        yield file, function, before.removeprefix("- "), after.removeprefix("+ ")


def score(
    place: Place, seed: int, count: int, *, jobs: int = 1, tests: bool = False
) -> Iterator[Mutant]:
    """Draw changes and judge each, as they come."""
    turn = Round(place, seed, tests=tests)
    drawn = turn.draw(count)
    with ExitStack() as stack:
        hosts: Queue[Host] = Queue()
        for _ in range(min(jobs, len(drawn))):
            hosts.put(stack.enter_context(Host(place.name)))

        def judge(row: tuple[Path, Change, Mutant]) -> Mutant:
            host = hosts.get()
            try:
                return turn.judge(host, *row)
            finally:
                hosts.put(host)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        yield from pool.map(judge, drawn)
