"""What became of one conversion, and of all: data, ready for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, field, fields
from typing import Any

from conformance.judging.result import CRASH, ERROR, MEMORY, REFUSED, TIMEOUT
from nnir.records import dataclass

VERIFIED, WRITTEN, UNREADABLE, DIFFERS = "verified", "written", "unreadable", "differs"

VERDICTS: dict[str, str] = {
    DIFFERS: "what was written gives something else than its origin; it was removed",
    ERROR: "a device failed, or a bug of ours",
    CRASH: "the process that converted it died",
    MEMORY: "took more memory than the limit",
    TIMEOUT: "took longer than the limit",
    UNREADABLE: "damaged, or nobody knows the format",
    REFUSED: "not supported, or a package is missing: the reason says all of it",
    WRITTEN: "written, and not compared with its origin",
    VERIFIED: "written, and agrees with its origin",
}
"""Every verdict, the worst first."""

GOOD = frozenset({VERIFIED, WRITTEN})
GAPS = frozenset({UNREADABLE, REFUSED})
"""What fails a batch only where that is strict."""

State = tuple[str, int, int]
"""A path, and the size and time of change (in nanoseconds) of the file."""


@dataclass(frozen=True)
class Record:
    """The conversion of one source to one target.

    `largest` is the largest error relative to the largest magnitude of an output. `read` are the
    files that it was made of, and `made` those that were written, each as it was then. `limit`: the
    seconds or bytes that were too few. `fixed`: sizes that are open in the source alone, and why.
    """

    source: str
    target: str
    verdict: str
    reason: str = ""
    seconds: float = 0.0
    operations: int = 0
    source_bytes: int = 0
    target_bytes: int = 0
    origin: str = ""
    largest: float | None = None
    read: tuple[State, ...] = ()
    made: tuple[State, ...] = ()
    limit: float | None = None
    fixed: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.verdict in GOOD

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Record:
        """The inverse of `as_dict`."""
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {k: v for k, v in data.items() if k in known}
        for name in ("read", "made"):
            given[name] = tuple((str(p), int(s), int(t)) for p, s, t in given.get(name, ()))
        given["fixed"] = tuple(map(str, given.get("fixed", ())))
        return cls(**given)


@dataclass
class BatchRun:
    """All conversions of a batch, in the order of the plan; true where none failed.

    `resumed`: so many were done before. `ignored`: so many files in the folders are no models.
    `restarted`: what was done before had other options or versions, and is done anew.
    """

    records: list[Record]
    options: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    resumed: int = 0
    ignored: int = 0
    restarted: bool = False

    def __bool__(self) -> bool:
        return all(r.verdict in GOOD | GAPS for r in self.records)

    @property
    def is_whole(self) -> bool:
        """Whether every target was written."""
        return all(r.is_good for r in self.records)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each verdict that occurs, the worst first."""
        found = Counter(r.verdict for r in self.records)
        return {v: found[v] for v in VERDICTS if found[v]}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        records = [r.as_dict() for r in self.records]
        return {**asdict(self), "records": records, "counts": self.counts}
