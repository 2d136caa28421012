"""When a result is wrong: a row's tolerance, and the origin's own error as the yardstick.

Within the row's tolerance a result is right. Beyond it a narrow float is compared with what the
origin gives in float64: it is wrong where it is more than `TIMES` as far from that as the origin
is anywhere, and more than a unit in the last place. Where there is no such yardstick (float64 and
complex numbers themselves) a result may be `LOOSE` units of what is largest in it off: an exact
row may be one of integers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..case import Case, Tolerance
from ..engines.engine import Answer, Engine, Outcome
from ..judging.compare import FINFO, distance, spacing
from ..judging.judge import is_narrow
from ..oracles.oracle import Oracle
from .exclusion import matches
from .undefined import SUMS

TIMES = 4.0
UNIT = 1.0
LOOSE = 16.0


def problem_of(
    engine: Engine[Any], case: Case, oracle: Oracle, answer: Answer, outcome: Outcome
) -> str | None:
    """What is wrong with an outcome, by the rule of this module."""
    wrong = [k for k, d in enumerate(outcome.differences) if d.problem is not None]
    if outcome.problem is None or not wrong:
        return outcome.problem
    if any(not _is_of_kind(outcome, k) for k in wrong):
        return outcome.problem
    truth, adds = engine.truth(case, oracle, answer), matches(SUMS, case.op)
    for place in wrong:
        exact = None if truth is None else truth[place]
        if not is_near(outcome.got[place], outcome.want[place], exact, adds=adds):
            return f"output {place}: {outcome.differences[place].problem}"
    return None


def _is_of_kind(outcome: Outcome, place: int) -> bool:
    """Whether a result has the precision and shape that is wanted, and rounds."""
    got, want = outcome.got[place], outcome.want[place]
    rounds = is_narrow(want) or want.dtype.kind in "fc"
    return got.dtype == want.dtype and got.shape == want.shape and rounds


def is_near(
    got: np.ndarray, want: np.ndarray, exact: np.ndarray | None, *, adds: bool = False
) -> bool:
    """Whether a narrow float result is as near as the rule asks.

    `adds`: of sums, whose small elements are what cancels: the unit is that of the largest.
    """
    if not is_narrow(want) or exact is None or exact.dtype != np.float64:
        return _is_loosely_near(got, want)
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
    if not _alike(got, want, exact, rounded):
        return False
    measure = _whole_distance if adds else distance
    ours, theirs = measure(got, exact), measure(want, exact)
    return ours <= max(TIMES * theirs, UNIT)


def _whole_distance(got: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance, in units in the last place of the largest element."""
    with np.errstate(all="ignore"):
        away = np.abs(got.astype(np.float64) - exact)
        most = np.abs(exact[np.isfinite(exact)]).max(initial=0.0)
    unit = float(spacing(np.asarray(most), got.dtype))
    return float(away[np.isfinite(away)].max(initial=0.0)) / unit


def _alike(got: np.ndarray, want: np.ndarray, exact: np.ndarray, rounded: np.ndarray) -> bool:
    """Whether what is not finite is where it is in the origin's result, or in the truth.

    Where the origin overflows and float64 does not, any answer is as good as the origin's.
    """
    mine, theirs, true = (a.astype(np.float64) for a in (got, want, rounded))
    agrees = np.isfinite(mine) & (np.isfinite(theirs) | np.isfinite(true))
    for other in (theirs, true):
        agrees |= (mine == other) | (np.isnan(mine) & np.isnan(other))
    agrees |= ~np.isfinite(theirs) & np.isfinite(exact)
    return bool(agrees.all())


def _is_loosely_near(got: np.ndarray, want: np.ndarray) -> bool:
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), want.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        if not (finite | (a == b) | (np.isnan(a) & np.isnan(b))).all():
            return False
        scale = np.abs(b[finite]).max(initial=0.0)
        far = np.abs(a[finite] - b[finite]).max(initial=0.0)
    return bool(far <= LOOSE * float(FINFO(want.dtype).eps) * scale)


def strict(case: Case) -> list[Case]:
    """The case with tolerances under which its row may fail by itself, the fairest first."""
    plain = case.tol if isinstance(case.tol, Tolerance) else case.tol.get("", Tolerance())
    return [replace(case, tol=replace(plain, multiple=TIMES)), case]
