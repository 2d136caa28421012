"""Special functions of one tensor; see `unary` for where the polynomials come from."""

from __future__ import annotations

import math

from ..decomposition import Level
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, compare, special, unary
from .real import polynomial, real
from .unary import gauss, scaled_tail

ERFINV = (
    *(2.85347899e-08, 3.43727059e-07, -3.52885955e-06, -4.39678125e-06, 0.000218602194),
    *(-0.00125370752, -0.00417770774, 0.246640726, 1.50140942),
)
"""erfinv(x) / x by w - 2.5, where w = -log(1 - x**2) is below 5 (after M. Giles, 2010)."""

ERFINV_TAIL = (
    *(-0.000121604541, 5.10613863e-05, 0.00123944369, -0.00362304395, 0.0057906608),
    *(-0.00763584829, 0.00943089009, 1.00167483, 2.83297711),
)
"""The same by sqrt(w) - 3 beyond it."""

NDTRI_TAIL = (
    *(89.4373089, -27.3437545, 6.64401861, -2.72940257, 1.57169711),
    *(-1.38584634, -0.776231572, 0.920556755),
)
"""-ndtri(p) / s by 1 / s - 0.17, where s = sqrt(-2 log(p)) is from 3.56 to 14.4."""

SHARED_TAIL = 5.0
"""Where w is above it, the polynomial of the tail counts."""

MOST_DEGREES = 32
"""Recurrences of so many steps are written out."""


@special.erfinv.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _erfinv(input: Value) -> Value:
    distance = -unary.log((1 - input) * (input + 1))
    near = input * polynomial(distance - 2.5, ERFINV)
    far = input * polynomial(unary.sqrt(distance) - 3, ERFINV_TAIL)
    inside = compare.where(distance > SHARED_TAIL, far, near)
    return compare.where(compare.equal(abs(input), 1), input * math.inf, inside)


@special.ndtri.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _ndtri(input: Value) -> Value:
    """sqrt(2) erfinv(2 p - 1), in the tails by the logarithm of what is left of p."""
    other = 1 - input
    distance = -unary.log(input * other * 4)
    centred = input * 2 - 1
    near = centred * polynomial(distance - 2.5, ERFINV) * math.sqrt(2)
    scale = unary.sqrt(unary.log(binary.min_(input, other)) * -2)
    tail = scale * polynomial(1 / scale - 0.17, NDTRI_TAIL)
    far = compare.where(input < 0.5, -tail, tail)
    inside = compare.where(distance > SHARED_TAIL, far, near)
    end = compare.equal(input * other, 0)
    return compare.where(end, centred * math.inf, inside)


@special.erfcx.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _erfcx(input: Value) -> Value:
    size = abs(input)
    tail = scaled_tail(size)
    return compare.where(input < 0, gauss(size, 1.0) * 2 - tail, tail)


@special.log_ndtr.decomposes(level=Level.ROUNDING, ulps=9)
@real()
def _log_ndtr(input: Value) -> Value:
    """Below 0 the logarithm of the scaled tail less x**2 / 2, above it that of 1 less the tail."""
    size = abs(input)
    half = scaled_tail(size * math.sqrt(0.5)) * 0.5
    below = unary.log(half) - input * 0.5 * input
    above = unary.log1p(-(gauss(size, -0.5) * half))
    return compare.where(input < 0, below, above)


@special.polygamma.decomposes(level=Level.ROUNDING)
@real()
def _polygamma(input: Value, *, order: int) -> Value:
    """Order 1 as its reference: reflection, six steps of the recurrence, the asymptotic series."""
    if order != 1:
        raise Unsupported(f"the polygamma function of order {order}, not 1")
    mirrored = input < 0.5
    wave = unary.square(unary.sin(input * math.pi))
    total = compare.where(mirrored, -math.pi * math.pi / wave, input.scalar(0))
    at = compare.where(mirrored, 1 - input, input)
    for _ in range(6):
        total, at = total + 1 / unary.square(at), at + 1
    square = 1 / unary.square(at)
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42))
    total = total + (1 + 1 / (at * 2) + square * series) / at
    return compare.where(mirrored, -total, total)


@special.polynomial.decomposes(level=Level.ROUNDING)
@real()
def _polynomial(input: Value, degree: Value, *, kind: str) -> Value:
    """The recurrence, step by step, up to a degree that is known."""
    known = degree.known
    if known is None or known.size != 1:
        raise NotConstant(f"polynomials of degrees {degree.type}")
    number = float(known.item())
    count = int(number) if math.isfinite(number) else -1
    if count > MOST_DEGREES:
        raise Unsupported(f"a polynomial of degree {count}, over {MOST_DEGREES}")
    (slope, offset), step = special.POLYNOMIALS[kind]
    before, now = input.scalar(1), input * slope + offset
    for k in range(1, count):
        slope, offset, back = step(k)
        before, now = now, (input * slope + offset) * now - before * back
    result = now if count > 0 else input.scalar(float(count == 0))
    return compare.where(compare.equal(degree, degree), result, input * 0)
