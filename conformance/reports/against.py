"""What changed between two runs."""

from __future__ import annotations

import json
import types
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from nnir.errors import FAILURES, BadFile, describe
from nnir.mapping import map_file

from ..judging.result import FORMAT, PASS, SKIP, VERDICTS, Result, Run

TIMES_SLOWER, SECONDS_SLOWER = 2.0, 0.05
TYPES = get_type_hints(Result)
LARGEST = 2**63
NEEDED = ("suite", "frontend", "op", "case", "device", "verdict")


@dataclass(frozen=True)
class Slower:
    """A case that takes longer than it took."""

    result: Result
    seconds_before: float

    @property
    def times(self) -> float:
        return self.result.seconds / self.seconds_before


@dataclass(frozen=True)
class Change:
    """A result that is otherwise than it was; `was` is None where it was not there."""

    kind: str
    now: Result
    was: Result | None = None

    @property
    def text(self) -> str:
        """The change in a line."""
        name = f"{self.kind}: {self.now.frontend} {self.now.case} on {self.now.device}"
        before = "not there" if self.was is None else _in_words(self.was)
        return f"{name}: {before} -> {_in_words(self.now)}"


def _in_words(result: Result) -> str:
    """What became of a result, how far from its origin it was and why."""
    far = "" if result.max_ulp is None else f" ({result.max_ulp:.4g} units in the last place)"
    why = f": {result.reason[:120]}" if result.reason else ""
    return f"{result.verdict}{far}{why}"


@dataclass
class Comparison:
    """A newer run against an older one; the results are the newer run's, but for `gone`.

    `new_failures`: fails now and did not fail then, or was not there. `lost`: passed then, and is
    refused, limited or not run now. `fixed`: failed then, passes now. `gained`: was refused,
    limited or not run, and passes now. `excused`: failed then, and neither fails nor passes now.
    `answers`: the origin says something else than it did. `slower`: at least 2 times slower and at
    least 50 ms slower, and run both times. `added` and `gone`: what only the newer, only the older
    run has. `changes` are the first six, one by one.
    """

    new_failures: list[Result] = field(default_factory=list)
    lost: list[Result] = field(default_factory=list)
    fixed: list[Result] = field(default_factory=list)
    gained: list[Result] = field(default_factory=list)
    excused: list[Result] = field(default_factory=list)
    answers: list[Result] = field(default_factory=list)
    slower: list[Slower] = field(default_factory=list)
    added: list[Result] = field(default_factory=list)
    gone: list[Result] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    @property
    def is_worse(self) -> bool:
        """Whether something fails newly, or is lost."""
        return bool(self.new_failures or self.lost)

    def lists(self) -> dict[str, list[Any]]:
        """What changed by what is said of it."""
        return {
            "new failures": self.new_failures,
            "lost": self.lost,
            "fixed": self.fixed,
            "gained": self.gained,
            "excused": self.excused,
            "other answers": self.answers,
            "slower": self.slower,
            "new": self.added,
            "gone": self.gone,
        }

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        slower = [{**_short(s.result), "seconds_before": s.seconds_before} for s in self.slower]
        names = ("lost", "fixed", "gained", "excused", "answers", "added", "gone")
        return {
            "new_failures": [r.as_dict() for r in self.new_failures],
            **{name: [_short(r) for r in getattr(self, name)] for name in names},
            "slower": slower,
        }


def _short(result: Result) -> dict[str, Any]:
    names = {name: getattr(result, name) for name in NEEDED}
    return {**names, "reason": result.reason, "seconds": result.seconds}


def compare(old: Run, new: Run) -> Comparison:
    """What changed from `old` to `new`; cases are known by their keys."""
    before = {r.key: r for r in old.results}
    found = Comparison()
    for r in sorted(new.results, key=lambda r: r.key):
        was = before.pop(r.key, None)
        kind = _kind(was, r, new.failing)
        if was is None:
            found.added.append(r)
        if kind is not None:
            getattr(found, kind).append(r)
            found.changes.append(Change(kind.replace("_", " "), r, was))
        if was is not None and was.answer and r.answer and was.answer != r.answer:
            found.answers.append(r)
            found.changes.append(Change("other answer", r, was))
        if was is not None and _is_slower(was, r):
            found.slower.append(Slower(r, was.seconds))
    found.gone = sorted(before.values(), key=lambda r: r.key)
    found.slower.sort(key=lambda s: s.seconds_before - s.result.seconds)
    return found


def _kind(was: Result | None, now: Result, failing: frozenset[str]) -> str | None:
    """The list of a comparison that a result belongs to."""
    if now.verdict in failing:
        return "new_failures" if was is None or was.verdict not in failing else None
    if was is None or now.verdict == was.verdict:
        return None
    if now.verdict == PASS:
        return "fixed" if was.verdict in failing else "gained"
    if was.verdict == PASS:
        return "lost"
    return "excused" if was.verdict in failing else None


def _is_slower(was: Result, now: Result) -> bool:
    return (
        SKIP not in (was.verdict, now.verdict)
        and was.seconds > 0
        and now.seconds >= TIMES_SLOWER * was.seconds
        and now.seconds - was.seconds >= SECONDS_SLOWER
    )


def load(path: Path) -> Run:
    """Read the JSON report of a run; BadFile for a file that is damaged or something else."""
    try:
        data = json.loads(bytes(map_file(path)))
        if not isinstance(data, dict) or "format" not in data or "results" not in data:
            raise BadFile(f"{path.name!r} is no report of nnadapter conform: it names no results")
        if data["format"] != FORMAT:
            raise BadFile(f"{path.name!r} has format {data['format']!r}; format {FORMAT} is read")
        for number, given in enumerate(data["results"]):
            _check(given, number)
        if not all(isinstance(v, str) for v in dict(data.get("environment", {})).values()):
            raise BadFile(f"{path.name!r} says versions in another form")
        if not all(isinstance(s, dict) for s in data.get("skipped", [])):
            raise BadFile(f"{path.name!r} says what was skipped in another form")
        return Run.of(data)
    except FAILURES as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"damaged report {path.name!r}: {describe(error)}") from None


def _check(given: Any, number: int) -> None:
    """BadFile unless this is the dictionary of a result."""
    if not isinstance(given, dict):
        raise BadFile(f"result {number} is no object but {type(given).__name__}")
    for name in NEEDED:
        if name not in given:
            raise BadFile(f"result {number} has no {name!r}")
    for f in fields(Result):
        if f.name in given and not _fits(given[f.name], TYPES[f.name]):
            raise BadFile(f"result {number} has {f.name}={given[f.name]!r:.60}")
    if given["verdict"] not in VERDICTS:
        raise BadFile(f"result {number} has verdict {given['verdict']!r:.60}")


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) in (Union, types.UnionType):
        return any(_fits(value, k) for k in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_fits(v, get_args(kind)[0]) for v in value)
    if kind is float:
        return isinstance(value, float) or (_fits(value, int) and abs(value) < LARGEST)
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))
