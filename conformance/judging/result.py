"""What became of one case on one device, and what became of a whole run: data, ready for JSON."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

FORMAT = 1
LARGEST = sys.float_info.max

PASS, LIMIT, SKIP = "pass", "limit", "skip"
WRONG, REFUSED, ERROR, STALE = "wrong", "refused", "error", "stale"
CRASH, TIMEOUT, MEMORY = "crash", "timeout", "memory"

VERDICTS: dict[str, str] = {
    PASS: "agrees with its origin, or fails as the case says it must",
    LIMIT: "a known gap, listed with its reason, that fails as listed",
    SKIP: "not run: a framework or device is not installed, or the origin has no answer",
    WRONG: "precision, shape or values differ from the origin's",
    REFUSED: "refused with one of our errors; no limit says so",
    ERROR: "an exception that is not one of ours: a bug",
    STALE: "a limit says that this fails, but it does not",
    CRASH: "the process that ran it died",
    TIMEOUT: "took longer than the limit",
    MEMORY: "took more memory than the limit",
}
"""Every verdict, the good ones first."""

GAPS = (REFUSED, LIMIT)
"""What is not supported, and says so: counted apart, it fails a run only where that is strict."""

GOOD = frozenset({PASS, SKIP, *GAPS})
"""What does not fail a run."""


@dataclass(frozen=True)
class Result:
    """One case of one suite on one device.

    `row` is the case as it can be pasted into a table of cases, `inputs`, `got` and `want` are
    arrays in words (only where something is wrong), `index` is the worst element, whose values are
    `got_value` and `want_value`. `max_ulp` is in units in the last place of the origin's result.
    `error` and `yardstick` are our distance and the origin's own from what the origin gives in
    float64, in the same units, where it was asked. `decomposed` are the operators that the device
    has no lowering of, or whose lowering refused, as its emission wrote them down. `standard` are
    the standard operators that the case was converted to, the one that it is about first;
    `translation` is a digest of the whole model, `answer` of what the origin said.
    """

    suite: str
    frontend: str
    op: str
    case: str
    device: str
    verdict: str
    reason: str = ""
    seconds: float = 0.0
    dtype: str = ""
    max_absolute: float | None = None
    max_relative: float | None = None
    max_ulp: float | None = None
    error: float | None = None
    yardstick: float | None = None
    index: tuple[int, ...] | None = None
    got_value: str = ""
    want_value: str = ""
    inputs: tuple[str, ...] = ()
    got: str = ""
    want: str = ""
    row: str = ""
    command: str = ""
    decomposed: tuple[str, ...] = ()
    standard: tuple[str, ...] = ()
    translation: str = ""
    answer: str = ""

    @property
    def subject(self) -> str:
        """The standard operator that the case is about; empty where nothing was converted."""
        return self.standard[0] if self.standard else ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names a result within a run."""
        return self.suite, self.frontend, self.case, self.device

    @property
    def fails(self) -> bool:
        """Whether it fails a run that is not strict."""
        return self.verdict not in GOOD

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without what is empty; infinity and NaN are the largest float."""
        given = {k: v for k, v in asdict(self).items() if v not in ("", None, ())}
        return {k: finite(v) for k, v in given.items()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Result:
        """The inverse of `as_dict`; fields of newer formats are ignored."""
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {k: finite(v) for k, v in data.items() if k in known}
        given |= {k: tuple(v) for k, v in given.items() if isinstance(v, list)}
        return cls(**given)


@dataclass
class Run:
    """All results of a run and how it was made.

    `skipped` says for what could not be run at all why, and how many cases that were. `resumed`
    tasks were done by an earlier run that was interrupted; `restarted`: there was such a run, but
    of other code or options. `is_strict`: gaps fail it too.
    """

    results: list[Result] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    resumed: int = 0
    restarted: bool = False
    is_strict: bool = False

    @property
    def counts(self) -> Counter[str]:
        return count(self.results)

    @property
    def is_good(self) -> bool:
        return not self.failures

    @property
    def failing(self) -> frozenset[str]:
        """The verdicts that fail this run."""
        return frozenset(VERDICTS) - GOOD | (frozenset(GAPS) if self.is_strict else frozenset())

    @property
    def failures(self) -> list[Result]:
        """The results that fail this run."""
        return [r for r in self.results if r.verdict in self.failing]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "format": FORMAT,
            "strict": self.is_strict,
            "options": self.options,
            "environment": self.environment,
            "seconds": finite(round(self.seconds, 3)),
            "counts": dict(self.counts),
            "skipped": self.skipped,
            "results": [r.as_dict() for r in self.results],
        }

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Run:
        """The inverse of `as_dict`."""
        return cls(
            results=[Result.of(r) for r in data["results"]],
            options=dict(data.get("options", {})),
            environment=dict(data.get("environment", {})),
            skipped=list(data.get("skipped", [])),
            seconds=float(data.get("seconds", 0.0)),
            is_strict=data.get("strict") is True,
        )


def count(results: Iterable[Result]) -> Counter[str]:
    """How many results there are of each verdict."""
    return Counter(r.verdict for r in results)


def finite(value: Any) -> Any:
    """A value for JSON, which lacks infinity and NaN: the largest float stands for both."""
    if not isinstance(value, float):
        return value
    return LARGEST if math.isnan(value) else max(-LARGEST, min(value, LARGEST))
