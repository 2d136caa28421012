"""The verdict on one case: it agrees with its origin, fails as it or a limit says, or neither."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.errors import DeviceError, NNAdapterError, NoLowering, describe, summary

from ..case import Limit
from ..engines.engine import WIDE, Answer, Convert, Engine, Outcome, is_alike
from ..oracles.oracle import Oracle
from ..processes.worker import Lost
from .compare import Difference, distance
from .result import ERROR, LIMIT, MEMORY, PASS, REFUSED, STALE, WRONG

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
    convert: Convert | None = None,
) -> Verdict:
    """Convert and run a case, and compare it with what the oracle says.

    `ask` gives the answer and `convert` the model, where somebody has them.
    """
    limit = next((x for x in limits if x.matches(case, device)), None)
    if case.raises is not None:
        return _excuse(_must_fail(engine, case, device, oracle), limit)
    try:
        answer = engine.ask(case, oracle) if ask is None else ask()
    except Exception as refused:  # noqa: BLE001  no limit is about the origin
        return failure(refused)
    error: BaseException | None = None
    try:
        found = _compare(engine, case, device, answer, oracle, convert)
    except Exception as raised:  # noqa: BLE001  whatever it is, it is the verdict
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


def _excuse(found: Verdict, limit: Limit | None) -> Verdict:
    """The verdict on what must fail, where a device is known not to see what is wrong."""
    if limit is None or not issubclass(limit.raises, AssertionError):
        return found
    if found.verdict == WRONG:
        return Verdict(LIMIT, limit.why)
    if found.verdict == PASS:
        return Verdict(STALE, f"fails, but is listed as: {limit.why}")
    return found


def failure(error: BaseException) -> Verdict:
    """The verdict on what was raised: a lost worker, too little memory, our errors, or a bug."""
    if isinstance(error, Lost):
        return Verdict(error.kind, summary(error))
    if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
        return Verdict(MEMORY, summary(error))
    if isinstance(error, NNAdapterError):
        return Verdict(REFUSED, f"{type(error).__name__}: {summary(error)}")
    where = " ".join(getattr(error, "__notes__", ()))
    return Verdict(ERROR, f"{describe(error)} {where}".strip())


def _compare(
    engine: Engine[Any],
    case: Any,
    device: str,
    answer: Answer,
    oracle: Oracle,
    convert: Convert | None,
) -> Verdict:
    outcome = engine.outcome(case, device, answer, convert)
    if outcome.problem is None or _is_near(engine, case, answer, outcome, oracle):
        return Verdict(PASS, outcome=outcome)
    return Verdict(WRONG, outcome.problem, outcome)


def _is_near(
    engine: Engine[Any], case: Any, answer: Answer, outcome: Outcome, oracle: Oracle
) -> bool:
    """Whether we are no further from the truth than the case allows, by the origin's own error."""
    wrong = [k for k, d in enumerate(outcome.differences) if d.problem is not None]
    multiples = [case.tolerance(outcome.want[k].dtype).multiple for k in wrong]
    if not wrong or not all(multiples) or any(map(_is_other, *_parts(outcome, wrong))):
        return False
    truth = engine.truth(case, oracle, answer)
    if truth is None:
        return False
    for place, multiple in zip(wrong, multiples, strict=True):
        got, want, exact = outcome.got[place], outcome.want[place], truth[place]
        if exact.dtype != np.float64 or exact.shape != want.shape or not is_narrow(want):
            return False
        if distance(got, exact) > multiple * max(distance(want, exact), HALF):
            return False
    return True


def _parts(outcome: Outcome, places: Sequence[int]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [outcome.got[k] for k in places], [outcome.want[k] for k in places]


def _is_other(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether results differ by more than rounding: in type, or in what is not finite."""
    if not is_alike(got, want) or not is_narrow(want):
        return True
    a, b = got.astype(np.float64), want.astype(np.float64)
    is_finite = np.isfinite(b)
    return bool((np.isfinite(a) != is_finite).any()) or not np.array_equal(
        a[~is_finite], b[~is_finite], equal_nan=True
    )


def _must_fail(engine: Engine[Any], case: Any, device: str, oracle: Oracle) -> Verdict:
    expected = case.raises.__name__
    try:
        engine.refused(case, device, oracle)
    except Lost as lost:
        return failure(lost)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the verdict
        if isinstance(error, case.raises):
            return Verdict(PASS)
        if not isinstance(error, NNAdapterError):
            return failure(error)
        if isinstance(error, NoLowering) and case.raises is DeviceError:
            return failure(error)  # the device refuses what would have failed at run time
        return Verdict(WRONG, f"{expected} was to be raised, not {describe(error)}")
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
