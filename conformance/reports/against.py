"""What changed between two runs."""

from __future__ import annotations

import json
import types
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from nnir.errors import FAILURES, BadFile, describe
from nnir.mapping import map_file

from ..judging.result import FORMAT, LIMIT, PASS, SKIP, VERDICTS, Result, Run

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


@dataclass
class Comparison:
    """A newer run against an older one; the results are the newer run's, but for `gone`.

    `new_failures`: fails now and did not fail then, or was not there. `fixed`: failed then, passes
    now. `excused`: neither fails nor passes any more, but is now a listed limit or not run.
    `slower`: at least 2 times slower and at least 50 ms slower, and run both times.
    `added` and `gone`: what only the newer, only the older run has.
    """

    new_failures: list[Result] = field(default_factory=list)
    fixed: list[Result] = field(default_factory=list)
    excused: list[Result] = field(default_factory=list)
    slower: list[Slower] = field(default_factory=list)
    added: list[Result] = field(default_factory=list)
    gone: list[Result] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        slower = [{**_short(s.result), "seconds_before": s.seconds_before} for s in self.slower]
        return {
            "new_failures": [r.as_dict() for r in self.new_failures],
            "fixed": [_short(r) for r in self.fixed],
            "excused": [_short(r) for r in self.excused],
            "slower": slower,
            "added": [_short(r) for r in self.added],
            "gone": [_short(r) for r in self.gone],
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
        if was is None:
            found.added.append(r)
        if not r.is_good and (was is None or was.is_good):
            found.new_failures.append(r)
        if was is not None:
            _sort(found, was, r)
    found.gone = sorted(before.values(), key=lambda r: r.key)
    found.slower.sort(key=lambda s: s.seconds_before - s.result.seconds)
    return found


def _sort(found: Comparison, was: Result, now: Result) -> None:
    if now.verdict == PASS and not was.is_good:
        found.fixed.append(now)
    if now.verdict in (LIMIT, SKIP) and was.verdict not in (LIMIT, SKIP):
        found.excused.append(now)
    if _is_slower(was, now):
        found.slower.append(Slower(now, was.seconds))


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
