"""Which case runs which lines: run every case once on every device, and write it down.

A change can be noticed only by a case that comes by the lines that it changes. What is written is
kept by device and frontend, and a case is run again where its row or a file that it runs differs.

Of cases that pass alike, by the ledger, not all are run: where some of them in a row run no new
line, the others are taken to run the same ones. Which cases are asked of a change is all that
depends on it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from nnir.errors import NNAdapterError

from ..judging.result import PASS
from ..ledger import DEVICES, digest_of, read
from ..suites.operators import book, operator_of
from .digest import digest
from .places import PLACES, ROOT, name_of
from .trial import Bench

FOLDER = ROOT / "build" / "mutants"
WATCHED = tuple(f"{ROOT / place.name}/" for place in PLACES)
SAYING = ("conformance/judging", "conformance/ledger", "conformance/mutants/trial.py")
"""The code that says in words what becomes of a case: where it differs, no word is comparable."""

ALIKE = 3
"""So many cases in a row run no new line before the others like them are taken to do so, too."""

OFTEN = 60.0
"""Seconds after which what is known so far is written: it may be interrupted."""

Lines = dict[str, list[int]]
"""The lines that ran, by file."""

Watcher = Callable[[FrameType, str, Any], Any]


@dataclass(frozen=True)
class Visit:
    """A case on a device: what becomes of it, how long it takes, the lines that it runs.

    `is_taken`: it was not run, and is taken to run the lines of cases like it.
    """

    frontend: str
    case: str
    device: str
    outcome: str
    seconds: float
    lines: Lines
    is_taken: bool = False

    @property
    def operator(self) -> str:
        """The name of its operator."""
        return self.case.removeprefix("model-").partition("-")[0]

    def touches(self, file: str, first: int, last: int) -> bool:
        """Whether it comes by one of these lines."""
        return any(first <= n <= last for n in self.lines.get(file, ()))


@dataclass
class Kept:
    """What is known of the cases of a frontend on a device: sets of lines by their number."""

    path: Path
    files: dict[str, str] = field(default_factory=dict)
    sets: list[list[int]] = field(default_factory=list)
    cases: dict[str, Any] = field(default_factory=dict)
    _numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Kept:
        """The file, or nothing; without the cases that run what has changed."""
        if not path.exists():
            return cls(path)
        data = json.loads(path.read_text())
        if data.get("words") != _digest_of_words():
            return cls(path)
        kept = cls(path, sets=data["sets"])
        kept._numbers = {tuple(lines): k for k, lines in enumerate(kept.sets)}
        kept.files = {f: d for f, d in data["files"].items() if d == _digest_of(f)}
        for name, row in data["cases"].items():
            if kept.files.keys() >= row[3].keys():
                kept.cases[name] = row
        return kept

    def add(
        self,
        name: str,
        row: str,
        outcome: str,
        seconds: float,
        lines: Lines,
        *,
        is_taken: bool = False,
    ) -> None:
        """Write down a case; `row` stands for its inputs and attributes."""
        numbers = {}
        for file, found in lines.items():
            key = tuple(found)
            if key not in self._numbers:
                self._numbers[key] = len(self.sets)
                self.sets.append(found)
            numbers[file] = self._numbers[key]
            self.files.setdefault(file, _digest_of(file))
        self.cases[name] = [row, outcome, round(seconds, 4), numbers, is_taken]

    def visits(self, frontend: str, device: str) -> Iterator[Visit]:
        """All cases."""
        for name, (_, outcome, seconds, numbers, is_taken) in self.cases.items():
            lines = {file: self.sets[k] for file, k in numbers.items()}
            yield Visit(frontend, name, device, outcome, seconds, lines, is_taken)

    def save(self) -> None:
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        words = _digest_of_words()
        data = {"words": words, "files": self.files, "sets": self.sets, "cases": self.cases}
        self.path.write_text(json.dumps(data))


def path_of(frontend: str, device: str) -> Path:
    """Where it is written."""
    return FOLDER / f"{frontend}-{device}.lines.json"


def survey(frontend: str, devices: Sequence[str]) -> None:
    """Run the cases of a frontend that are not known on some devices."""
    bench = Bench()
    try:
        for device in devices:
            _survey(bench, frontend, device)
    finally:
        bench.close()


def _survey(bench: Bench, frontend: str, device: str) -> None:
    kept = Kept.read(path_of(frontend, device))
    rows = {name: digest(bench.case(frontend, name)) for name in bench.names(frontend)}
    known = {n: row for n, row in kept.cases.items() if n in rows and row[0] == rows[n]}
    if known.keys() == rows.keys() == kept.cases.keys():
        return
    kept.cases = known
    kinds = _kinds(frontend, device)
    crowds: dict[tuple[str, str], Crowd] = {}
    saved = time.monotonic()
    for name in sorted(rows.keys() - known.keys(), key=digest):
        kind = kinds[name][0] if name in kinds else (name, "")
        row, crowd = rows[name], crowds.setdefault(kind, Crowd())
        if name in kinds and crowd.is_settled:
            kept.add(name, row, kinds[name][1], crowd.seconds, crowd.lines, is_taken=True)
            continue
        if time.monotonic() > saved + OFTEN:
            kept.save()
            saved = time.monotonic()
        with contextlib.suppress(NNAdapterError):  # the verdict says so
            bench.ask(frontend, name)
        forget()
        started = time.perf_counter()
        with watching() as lines:
            found = bench.run(frontend, name, device)
        seconds, ran = time.perf_counter() - started, lines()
        kept.add(name, row, found, seconds, ran)
        crowd.add(seconds, ran)
    kept.save()


@dataclass
class Crowd:
    """Cases that are alike: the lines that they run, and how many of the last ran no new one."""

    seconds: float = 0.0
    _lines: dict[str, set[int]] = field(default_factory=dict)
    _settled: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether those that come are taken to run the lines that are known."""
        return self._settled >= ALIKE

    @property
    def lines(self) -> Lines:
        """The lines of all of them."""
        return {file: sorted(numbers) for file, numbers in self._lines.items()}

    def add(self, seconds: float, lines: Lines) -> None:
        """Write down one that was run."""
        is_new = any(not self._lines.get(f, set()).issuperset(n) for f, n in lines.items())
        self._settled = 0 if is_new else self._settled + 1
        self.seconds = max(self.seconds, seconds)
        for file, numbers in lines.items():
            self._lines.setdefault(file, set()).update(numbers)


def _kinds(frontend: str, device: str) -> dict[str, tuple[tuple[str, str], str]]:
    """Of cases that pass by the ledger what they have in common with those that are alike, and what
    becomes of them; none of operators whose cases are others by now."""
    if device not in DEVICES:
        return {}
    cases: dict[str, dict[str, Any]] = {}
    for name, (_, case) in book(frontend).cases.items():
        op = operator_of(case) if frontend == "onnx" else case.op
        cases.setdefault(op, {})[name] = case
    kinds = {}
    for op, rows in read(frontend).items():
        named = cases.get(op, {})
        if digest_of(named) != rows.digest:
            continue
        for name, case in named.items():
            kind = " ".join([rows.of(name, device), *rows.standard(name)])
            if kind.startswith(PASS) and case.raises is None:
                found = " ".join(filter(None, [kind, rows.translation(name)]))
                kinds[name] = (op if device == "builtin" else "", kind), found
    return kinds


def forget() -> None:
    """Empty the caches of functions that are watched: a case is to run what it needs."""
    for wrapper in _caches():
        wrapper.cache_clear()


_CACHED: dict[int, list[Any]] = {}


def _caches() -> list[Any]:
    """The cached functions in the modules that are imported by now."""
    count = len(sys.modules)
    if count not in _CACHED:
        _CACHED.clear()
        wrapper = type(functools.lru_cache(int))
        found = [o for o in gc.get_objects() if isinstance(o, wrapper)]
        codes = [(w, getattr(w.__wrapped__, "__code__", None)) for w in found]
        _CACHED[count] = [w for w, code in codes if code is not None and _is_watched(code)]
    return _CACHED[count]


def _is_watched(code: CodeType) -> bool:
    is_function = code.co_name != "<module>" and code.co_filename.startswith(WATCHED)
    return is_function and bool(code.co_flags & 0x2)  # CO_NEWLOCALS: no body of a class


@contextlib.contextmanager
def watching() -> Iterator[Callable[[], Lines]]:
    """Write down the lines that run meanwhile, in functions of the places."""
    ran: dict[CodeType, set[int]] = {}
    watchers: dict[CodeType, Watcher | None] = {}

    def start(frame: FrameType, event: str, argument: Any) -> Watcher | None:
        code = frame.f_code
        if code not in watchers:
            watchers[code] = _watcher(ran.setdefault(code, set())) if _is_watched(code) else None
        return watchers[code]

    def result() -> Lines:
        lines: dict[str, set[int]] = {}
        for code, numbers in ran.items():
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            lines.setdefault(file, set()).update(numbers)
        return {file: sorted(numbers) for file, numbers in lines.items()}

    before = sys.gettrace()
    sys.settrace(start)
    try:
        yield result
    finally:
        sys.settrace(before)


def _watcher(numbers: set[int]) -> Watcher:
    add = numbers.add

    def step(frame: FrameType, event: str, argument: Any) -> Watcher:
        add(frame.f_lineno)
        return step

    return step


@functools.cache
def _digest_of(file: str) -> str:
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


@functools.cache
def _digest_of_words() -> str:
    named = [ROOT / part for part in SAYING]
    files = [f for path in named for f in (sorted(path.rglob("*.py")) or [path])]
    return digest([_digest_of(name_of(f)) for f in files])


def visits(frontend: str, device: str) -> Iterator[Visit]:
    """What is known of the cases of a frontend on a device."""
    return Kept.read(path_of(frontend, device)).visits(frontend, device)


if __name__ == "__main__":
    survey(sys.argv[1], sys.argv[2:])
