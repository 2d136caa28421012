"""What the results of a run come to: pure functions from results to counts, bins and lists."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
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
VARIABLE = re.compile(r"'[^']*'|<[^>]*>|\(x\d+\)|\bin [A-Za-z]+ node .*|\d+|[A-Z0-9_]{3,}\b")
"""What differs between reasons of one kind: names in quotes, values, nodes, numbers, operators."""

ORDER = (WRONG, CRASH, ERROR, MEMORY, TIMEOUT, STALE, REFUSED, LIMIT, SKIP, PASS)
"""Verdicts as they are listed: what is wrong without a word comes first."""


class Cell(NamedTuple):
    """Where results are counted together: a standard operator as a frontend spells it."""

    standard: str
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


def matrix(results: Sequence[Result]) -> dict[Cell, Counter[str]]:
    """How many results of each verdict every operator has, by framework, device and suite."""
    rows = row_names(results)
    cells: dict[Cell, Counter[str]] = defaultdict(Counter)
    for r in results:
        cells[Cell(rows(r), r.op, r.frontend, r.device, r.suite)][r.verdict] += 1
    return dict(sorted(cells.items()))


def row_names(results: Iterable[Result]) -> Callable[[Result], str]:
    """The row that a result belongs to: the standard operator that its case is about. Of a case
    that was not converted, that of most cases of its operator, else the source's own name."""
    usual: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for r in results:
        if r.subject:
            usual[r.frontend, r.op][r.subject] += 1

    def row(result: Result) -> str:
        if result.subject:
            return result.subject
        known = usual.get((result.frontend, result.op))
        return known.most_common(1)[0][0] if known else result.op

    return row


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
        if value is None or not (r.fails or r.verdict == PASS):
            continue
        histogram = found[Group(r.suite, r.frontend, r.device, r.dtype)]
        bins = histogram.failing if r.fails else histogram.passing
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


def by_reason(results: Iterable[Result], verdict: str) -> dict[str, list[Result]]:
    """The results of one verdict under the reasons they give, the most frequent reason first."""
    found: dict[str, list[Result]] = defaultdict(list)
    for r in by_severity(results):
        if r.verdict == verdict:
            found[r.reason].append(r)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def by_kind_of_reason(results: Iterable[Result], verdict: str) -> dict[str, list[Result]]:
    """The same, where reasons that differ in numbers and names only are one, shown as the first."""
    found: dict[str, list[Result]] = defaultdict(list)
    shown: dict[str, str] = {}
    for reason, mine in by_reason(results, verdict).items():
        kind = VARIABLE.sub("", reason)
        found[shown.setdefault(kind, reason)] += mine
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def headline(run: Run) -> str:
    """The run in one sentence."""
    total, failing = len(run.results), len(run.failures)
    if not total:
        return "Nothing was run"
    if failing:
        return f"{failing:,} of {total:,} results {'fails' if failing == 1 else 'fail'}"
    if not run.counts[PASS]:
        return "Nothing failed, but nothing passed either"
    return "Nothing fails"
