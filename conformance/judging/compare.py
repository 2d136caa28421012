"""Comparison of two results: precision, then shape, then values.

NaN agrees with NaN, an infinity with the same infinity, and zeros of either sign with each other
unless the tolerance says otherwise; whether a NaN has a sign or a payload is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops.unary import BITS
from nnir.types import PRECISIONS

from ..case import Tolerance

FINFO: Callable[[Any], Any] = ml_dtypes.finfo


@dataclass(frozen=True)
class Difference:
    """How two arrays differ. `problem` is None when they agree within the tolerance.

    `index` is the worst element, `max_relative` the largest error relative to its own element,
    `max_ulp` in units in the last place of what is wanted, `signs` the number of zeros that have
    the other sign. `share` is the largest error in terms of what the tolerance allows there:
    beyond 1 it is wrong. `magnitude` is the largest finite one that is wanted.
    """

    problem: str | None
    max_absolute: float = 0.0
    max_relative: float = 0.0
    max_ulp: float = 0.0
    index: tuple[int, ...] | None = None
    signs: int = 0
    share: float = 0.0
    magnitude: float = 0.0

    @property
    def relative_to_whole(self) -> float | None:
        """The largest error relative to the largest magnitude; None where there is only 0."""
        return self.max_absolute / self.magnitude if self.magnitude else None


def compare(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> Difference:
    """`got` against `want`."""
    if got.dtype != want.dtype:
        return Difference(f"precision {got.dtype}, not {want.dtype}")
    if got.shape != want.shape:
        return Difference(f"shape {list(got.shape)}, not {list(want.shape)}")
    if not want.size:
        return Difference(None)
    if has_bits_beyond(got):
        return Difference(f"bits that {got.dtype} has not")
    if got.tobytes() == want.tobytes():  # most results are equal to the last bit
        return Difference(None, index=(0,) * want.ndim)
    a, b = _numbers(got), _numbers(want)
    with np.errstate(all="ignore"):
        absolute = np.where(_same(got, want), 0, np.abs(a - b))
        absolute = np.where(np.isnan(absolute), np.inf, absolute)
        if want.dtype.kind in "iu":  # integers that are too large to be told apart as floats
            absolute = np.where((absolute == 0) & (got != want), 1, absolute)
        scale = np.abs(b)
        finite = np.where(np.isfinite(scale), scale, 0)
        allowed = tolerance.absolute + tolerance.relative * finite
        excess = absolute - allowed
        share = np.nan_to_num(np.where(absolute == 0, 0, absolute / allowed), nan=1, posinf=np.inf)
        relative = np.nan_to_num(np.where(absolute == 0, 0, absolute / scale), nan=np.inf)
        relative = np.where(np.isnan(relative), np.inf, relative)
    is_wrong = bool((excess > 0).any())
    worst = np.unravel_index(int(np.argmax(excess if is_wrong else absolute)), want.shape)
    index = tuple(int(k) for k in worst)
    signs = _other_signs(got, want)
    problem = None
    if is_wrong:
        count = int((excess > 0).sum())
        problem = (
            f"{count} of {want.size} elements differ, worst at {list(index)}: "
            f"{got[index]} instead of {want[index]}"
        )
    elif signs and tolerance.signed_zeros:
        problem = f"{signs} of {want.size} elements are zeros of the other sign"
    ulp = _ulp(got, want)
    return Difference(
        problem,
        max_absolute=float(absolute.max()),
        max_relative=float(relative.max()),
        max_ulp=ulp,
        index=index,
        signs=signs,
        share=float(share.max()),
        magnitude=float(finite.max()),
    )


def has_bits_beyond(array: np.ndarray) -> bool:
    """Whether elements of less than a byte have bits set that are not theirs: values are read
    without them, and whoever packs the bytes, or looks at them, is misled."""
    precision = PRECISIONS.get(array.dtype)
    bits = None if precision is None else BITS.get(precision)
    return bits is not None and bool((array.view(np.uint8) >> bits).any())


def first_problem(differences: Iterable[Difference]) -> str | None:
    """What is wrong with the first result that does not agree."""
    wrong = ((k, d.problem) for k, d in enumerate(differences) if d.problem is not None)
    return next((f"output {k}: {text}" for k, text in wrong), None)


def distance(got: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance of `got` from exact numbers in float64, in units in its last place.

    Elements that are not finite, or too large for the precision of `got`, are left out.
    """
    if not got.size:
        return 0.0
    wide = _numbers(got)
    unit = spacing(exact, got.dtype)
    with np.errstate(all="ignore"):
        known = np.isfinite(exact) & np.isfinite(exact.astype(got.dtype).astype(np.float64))
        away = np.where(known, np.abs(wide - exact) / unit, 0.0)
    return float(np.where(np.isnan(away), np.inf, away).max())


def spacing(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The unit in the last place of a float precision at `values`, as float64."""
    about: Any = FINFO(dtype)
    wide = values.astype(np.float64)
    _, exponent = np.frexp(wide)
    lowest = int(about.minexp) - int(about.nmant)
    power = np.maximum(exponent - 1 - int(about.nmant), lowest)
    return np.ldexp(1.0, np.where(wide == 0, lowest, power))


def _numbers(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    if array.dtype.kind in "iub" and array.dtype.itemsize == 8:
        return array.astype(np.longdouble)
    return array.astype(np.float64)


def _same(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where elements are equal or both NaN, real and imaginary parts each."""
    if got.dtype.kind == "c":
        return _same(got.real, want.real) & _same(got.imag, want.imag)
    equal: np.ndarray = got == want
    if is_float(got.dtype):
        equal = equal | (np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64)))
    return equal


def is_float(dtype: np.dtype) -> bool:
    """Whether a precision is a real float, NumPy's own or an extension such as bfloat16."""
    if dtype.kind != "V":
        return dtype.kind == "f"
    return "float" in dtype.name and "int" not in dtype.name


def _other_signs(got: np.ndarray, want: np.ndarray) -> int:
    """How many zeros have the other sign."""
    if got.dtype.kind == "c":
        return sum(_other_signs(part(got), part(want)) for part in (np.real, np.imag))
    if not is_float(got.dtype):
        return 0
    a, b = got.astype(np.float64), want.astype(np.float64)
    return int(((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))).sum())


def _ulp(got: np.ndarray, want: np.ndarray) -> float:
    """The largest distance in units in the last place of `want`, for floats and their pairs."""
    if want.dtype.kind == "c":
        return max(_ulp(got.real, want.real), _ulp(got.imag, want.imag))
    if not is_float(want.dtype):
        return 0.0
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), want.astype(np.float64)
        away = np.where(_same(got, want), 0, np.abs(a - b) / spacing(b, want.dtype))
    return float(np.where(np.isnan(away), np.inf, away).max())
