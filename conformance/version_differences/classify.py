"""How two answers differ: by rounding, or really."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..case import EXACT, Tolerance
from ..judging.compare import FINFO, compare, is_float
from ..judging.result import PASS, SKIP
from .asking import Said

VALUES, SIGNS, TYPE, SHAPE = "values", "sign of zero", "type", "shape"
ROUNDING, TAKEN, REFUSED = "rounding", "taken", "refused"
DIES, LIVES, SAME, UNSTABLE = "dies", "no longer dies", "same", "unstable"

REAL = (DIES, LIVES, SHAPE, TYPE, VALUES, SIGNS)
"""Changes of answers, the gravest first; rounding, refusals and what comes out otherwise each time
are told apart from these."""

FEW = 4
"""Units in the last place that are rounding, whatever the row says."""

STEPS = 8
"""Where a row rounds: units in the last place of the largest element, as after a sum whose terms
cancel."""


@dataclass(frozen=True)
class Kind:
    """What kind of change it is; in which output and element it is the largest, and how large in
    units in the last place."""

    name: str
    output: int = 0
    index: tuple[int, ...] | None = None
    ulp: float = 0.0


def classify(before: Said, after: Said, case: Any) -> Kind:
    """How an answer changed."""
    if before.verdict != PASS or after.verdict != PASS:
        return Kind(_kind_of_verdicts(before.verdict, after.verdict))
    if len(before.arrays) != len(after.arrays):
        return Kind(SHAPE)
    pairs = enumerate(zip(before.arrays, after.arrays, strict=True))
    found = [replace(classify_arrays(*pair, case), output=place) for place, pair in pairs]
    order = [*REAL, ROUNDING, SAME]
    return min(found, key=lambda k: (order.index(k.name), -k.ulp), default=Kind(SAME))


def _kind_of_verdicts(before: str, after: str) -> str:
    """The change where at least one version gives no answer."""
    if before == after:
        return SAME
    good = (PASS, SKIP)
    if before in good and after in good:
        return TAKEN if after == PASS else REFUSED
    if before in good:
        return DIES
    return LIVES if after in good else SAME


def classify_arrays(before: np.ndarray, after: np.ndarray, case: Any) -> Kind:
    """How one result changed, by what its row allows an operation that rounds."""
    if before.dtype != after.dtype:
        return Kind(TYPE)
    if before.shape != after.shape:
        return Kind(SHAPE)
    tolerance: Tolerance = case.tolerance(before.dtype)
    with np.errstate(all="ignore"):
        found = compare(after, before, replace(tolerance, signed_zeros=True, multiple=0.0))
    if found.problem is None:
        is_same = found.max_absolute == 0 and found.signs == 0
        return Kind(SAME) if is_same else Kind(ROUNDING, 0, found.index, found.max_ulp)
    if found.max_absolute == 0:
        return Kind(SIGNS, 0, _other_sign(before, after))
    if is_rounding(before, found.max_ulp, found.max_absolute, tolerance):
        return Kind(ROUNDING, 0, found.index, found.max_ulp)
    return Kind(VALUES, 0, found.index, found.max_ulp)


def is_rounding(before: np.ndarray, ulp: float, absolute: float, tolerance: Tolerance) -> bool:
    """Whether floats differ by no more than an operation that rounds may differ by."""
    if not (is_float(before.dtype) or before.dtype.kind == "c"):
        return False
    if is_float(before.dtype) and ulp <= FEW:
        return True
    if tolerance == EXACT or not np.isfinite(absolute):
        return False
    real = before.real.dtype if before.dtype.kind == "c" else before.dtype
    numbers = np.abs(before.astype(np.complex128 if before.dtype.kind == "c" else np.float64))
    largest = numbers[np.isfinite(numbers)].max(initial=0.0)
    about = FINFO(real)
    return bool(absolute <= STEPS * float(about.eps) * float(largest))


def _other_sign(before: np.ndarray, after: np.ndarray) -> tuple[int, ...]:
    """The first zero that has another sign."""
    parts: Sequence[Any] = (np.real, np.imag) if before.dtype.kind == "c" else (np.asarray,)
    other = np.zeros(before.shape, bool)
    for part in parts:
        a, b = (part(x).astype(np.float64) for x in (before, after))
        other |= (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    return tuple(int(k) for k in np.argwhere(other)[0])
