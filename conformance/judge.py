"""The verdict on one case: it agrees with its origin, fails as it or a limit says, or neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.errors import FAILURES, NNAdapterError, summary, told

from .case import Limit
from .compare import Difference, distance
from .engine import WIDE, Answer, Engine, Outcome, Prepare
from .oracle import Oracle
from .result import ERROR, LIMIT, PASS, REFUSED, STALE, WRONG
from .worker import Lost

HALF = 0.5
"""Even a correctly rounded result is up to half a unit in the last place off."""


@dataclass(frozen=True)
class Verdict:
    """The verdict, why, and what was compared."""

    verdict: str
    reason: str = ""
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def worst(self) -> tuple[int, Difference] | None:
        """The result that differs most, and its number."""
        found = self.outcome.differences
        wrong = [k for k, d in enumerate(found) if d.problem is not None]
        most = max(range(len(found)), key=lambda k: found[k].max_ulp, default=None)
        place = wrong[0] if wrong else most
        return None if place is None else (place, found[place])


def judge(
    engine: Engine[Any],
    case: Any,
    device: str,
    limits: Sequence[Limit],
    oracle: Oracle,
    ask: Callable[[], Answer] | None = None,
    prepare: Prepare | None = None,
) -> Verdict:
    """Convert and run a case, and compare it with what the oracle says, by `ask` where given.

    `prepare` is done to the model first.

    An origin that dies over a case that must be compared gives the verdict of its `Lost`.
    """
    if case.raises is not None:
        return _must_fail(engine, case, device, oracle)
    limit = next((x for x in limits if x.matches(case, device)), None)
    error: BaseException | None = None
    try:
        answer = engine.ask(case, oracle) if ask is None else ask()
        found = _compared(engine, case, device, answer, oracle, prepare)
    except Lost as lost:
        error = lost
        found = Verdict(lost.kind, summary(lost))
    except FAILURES as raised:  # whatever it is, it is the verdict
        error = raised
        found = failure(raised)
    else:
        error = AssertionError() if found.verdict == WRONG else None
    if limit is None:
        return found
    if error is not None and isinstance(error, limit.raises):
        return Verdict(LIMIT, limit.why, found.outcome)
    if found.verdict == PASS:
        return Verdict(STALE, f"passes, but is listed as: {limit.why}")
    return found


def failure(error: BaseException) -> Verdict:
    """The verdict on what was raised: one of our errors, or a bug."""
    if isinstance(error, NNAdapterError):
        return Verdict(REFUSED, f"{type(error).__name__}: {summary(error)}")
    return Verdict(ERROR, told(error))


def _compared(
    engine: Engine[Any],
    case: Any,
    device: str,
    answer: Answer,
    oracle: Oracle,
    prepare: Prepare | None,
) -> Verdict:
    outcome = engine.outcome(case, device, answer, prepare)
    if outcome.problem is None or _is_near(engine, case, answer, outcome, oracle):
        return Verdict(PASS, outcome=outcome)
    return Verdict(WRONG, outcome.problem, outcome)


def _is_near(
    engine: Engine[Any], case: Any, answer: Answer, outcome: Outcome, oracle: Oracle
) -> bool:
    """Whether we are no further from the truth than the case allows, by the origin's own error."""
    tolerances = [case.tolerance(w.dtype) for w in outcome.want]
    multiple = max((t.multiple for t in tolerances), default=0.0)
    if not multiple or len(outcome.differences) != len(outcome.want):
        return False
    truth = engine.truth(case, oracle, answer)
    if truth is None:
        return False
    ours, theirs = yardstick(outcome, truth)
    return ours <= multiple * max(theirs, HALF)


def _must_fail(engine: Engine[Any], case: Any, device: str, oracle: Oracle) -> Verdict:
    expected = case.raises.__name__
    try:
        engine.refused(case, device, oracle)
    except Lost as lost:
        return Verdict(lost.kind, summary(lost))
    except FAILURES as error:
        if isinstance(error, case.raises):
            return Verdict(PASS)
        return Verdict(WRONG, f"{expected} was to be raised, not {told(error)}")
    return Verdict(WRONG, f"{expected} was to be raised, but it runs")


def yardstick(outcome: Outcome, truth: Sequence[np.ndarray]) -> tuple[float, float]:
    """Our distance and the origin's own from its float64 results, in units in the last place."""
    ours = theirs = 0.0
    for got, want, exact in zip(outcome.got, outcome.want, truth, strict=False):
        if exact.dtype == np.float64 and is_narrow(want) and got.shape == exact.shape:
            ours = max(ours, distance(got, exact))
            theirs = max(theirs, distance(want, exact))
    return ours, theirs


def is_narrow(array: np.ndarray) -> bool:
    """Whether an array has a precision that float64 is the yardstick of."""
    return array.dtype.name in WIDE
