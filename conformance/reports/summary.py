"""What the results of a run come to: pure functions from results to counts, bins and lists."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..judging.result import (
    CRASH,
    ERROR,
    LIMIT,
    MEMORY,
    PASS,
    REFUSED,
    SKIP,
    STALE,
    TIMEOUT,
    WRONG,
    Result,
    Run,
)

EDGES = (0.0, 0.5, *(2.0**k for k in range(21)))
"""The upper ends of the bins of a histogram; what is above the last one, or NaN, is one more."""


def _label(edge: float) -> str:
    if edge <= 1024:
        return f"≤{edge:g}" if edge else "0"
    return "≤2" + str(round(math.log2(edge))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


LABELS = (*map(_label, EDGES), f">{_label(EDGES[-1])[1:]}")
"""What the bins are called."""

SLOWEST = 50
ORDER = (WRONG, CRASH, ERROR, REFUSED, MEMORY, TIMEOUT, STALE, LIMIT, SKIP, PASS)
"""Verdicts as they are listed: what is wrong without a word comes first."""


class Cell(NamedTuple):
    """Where results are counted together."""

    op: str
    frontend: str
    device: str
    suite: str


class Group(NamedTuple):
    """Whose distances are drawn together."""

    suite: str
    frontend: str
    device: str
    dtype: str


@dataclass
class Histogram:
    """How many passing and how many failing results fall into each bin."""

    passing: Counter[int] = field(default_factory=Counter)
    failing: Counter[int] = field(default_factory=Counter)


def matrix(results: Iterable[Result]) -> dict[Cell, Counter[str]]:
    """How many results of each verdict every operator has, by framework, device and suite."""
    cells: dict[Cell, Counter[str]] = defaultdict(Counter)
    for r in results:
        cells[Cell(r.op, r.frontend, r.device, r.suite)][r.verdict] += 1
    return dict(sorted(cells.items()))


def totals(results: Iterable[Result]) -> dict[tuple[str, str], Counter[str]]:
    """How many results of each verdict every framework has on every device."""
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for r in results:
        found[r.frontend, r.device][r.verdict] += 1
    return dict(sorted(found.items()))


def bin_of(value: float) -> int:
    """The bin that a distance belongs to."""
    return next((k for k, edge in enumerate(EDGES) if value <= edge), len(EDGES))


def ulp(result: Result) -> float | None:
    """How far a result is from its origin's, in units in the last place."""
    return result.max_ulp


def ratio(result: Result) -> float | None:
    """Our error as a multiple of the origin's own; exact results of an inexact origin are 0."""
    if result.error is None or result.yardstick is None:
        return None
    if result.yardstick == 0:
        return 0.0 if result.error == 0 else math.inf
    return result.error / result.yardstick


def histograms(
    results: Iterable[Result], measure: Callable[[Result], float | None]
) -> dict[Group, Histogram]:
    """How `measure` is distributed; limits and what was not run are no part of it."""
    found: dict[Group, Histogram] = defaultdict(Histogram)
    for r in results:
        value = measure(r)
        if value is None or (r.is_good and r.verdict != PASS):
            continue
        histogram = found[Group(r.suite, r.frontend, r.device, r.dtype)]
        bins = histogram.passing if r.is_good else histogram.failing
        bins[bin_of(value)] += 1
    return dict(sorted(found.items()))


def slowest(results: Iterable[Result], most: int = SLOWEST) -> list[Result]:
    """The results that took longest, the slowest first."""
    timed = [r for r in results if r.seconds > 0]
    return sorted(timed, key=lambda r: (-r.seconds, r.key))[:most]


def by_severity(results: Iterable[Result]) -> list[Result]:
    """All results that are no plain passes, failures first."""
    found = [r for r in results if r.verdict != PASS]
    return sorted(found, key=lambda r: (ORDER.index(r.verdict), r.frontend, r.op, r.case, r.device))


def failures(results: Iterable[Result]) -> list[Result]:
    """All results that fail the run, the worst kind first."""
    return [r for r in by_severity(results) if not r.is_good]


def by_reason(results: Iterable[Result], verdict: str) -> dict[str, list[Result]]:
    """The results of one verdict under the reasons they give, the most frequent reason first."""
    found: dict[str, list[Result]] = defaultdict(list)
    for r in by_severity(results):
        if r.verdict == verdict:
            found[r.reason].append(r)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def headline(run: Run) -> str:
    """The run in one sentence."""
    total, failing = len(run.results), len(failures(run.results))
    if not total:
        return "Nothing was run"
    if failing:
        return f"{failing:,} of {total:,} results {'fails' if failing == 1 else 'fail'}"
    if not run.counts[PASS]:
        return "Nothing failed, but nothing passed either"
    return "Nothing fails"
