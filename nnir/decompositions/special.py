"""Special functions of one tensor; see `unary` for where the polynomials come from."""

from __future__ import annotations

import math

import numpy as np

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

LGAMMA = (
    *(1.93196014e-05, -3.87439087e-05, 2.0217855e-05, -5.23928679e-05, 0.000195833528),
    *(-0.000425597822, 0.000910489556, -0.00210205007, 0.00499948417, -0.0123849772),
    *(0.0329649466, -0.100317273, 0.422784336),
)
"""lgamma(x) / ((x - 1) (x - 2)) by x - 2, from 1 to 3."""

LGAMMA_FAR = (0.000709349151, -0.00277447163, 0.0833333138)
"""x (lgamma(x) - (x - 1/2) (log(x) - 1) - (log(2 pi) - 1) / 2) by 1 / x**2, from 3 on."""

DIGAMMA = (
    *(-0.00011595168, 0.000221717178, -3.77920724e-05, 0.000109843979, -0.000780575653),
    *(0.00152681992, -0.00269590595, 0.00549003194, -0.0113474615, 0.0234580439),
    *(-0.0495502319, 0.10899923, -0.260738975, 0.785307546),
)
"""digamma(x) / (x - root) by x - 2, from 1 to 3."""

DIGAMMA_FAR = (0.00340188315, -0.00831145116, 0.0833332051)
"""x**2 (log(x) - 1 / (2 x) - digamma(x)) by 1 / x**2, from 3 on."""

DIGAMMA_ROOT = 0.461632133, 1.24381499e-08
"""The root of digamma less 1, as a FLOAT32 number and what its rounding loses."""

STRAIGHT = 1e-4
"""Below it sin(pi x) is pi x in FLOAT32, and the product is not there for the smallest numbers."""

BERNOULLI = 1 / 6, -1 / 30, 1 / 42
"""Of the asymptotic series, those of 2, 4 and 6."""

MOST_ORDERS = 5
"""Derivatives of higher orders need more steps."""

WHOLE = 2.0**23
"""From here on a FLOAT32 number has no fraction."""

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


@special.lgamma.decomposes(level=Level.ROUNDING, ulps=7, absolute=4e-6)
@real()
def _lgamma(input: Value) -> Value:
    """Below 0 by reflection: log(pi / |x sin(pi x)|) - lgamma(|x|)."""
    size = abs(input)
    log = unary.log(size)
    near = _near_root(size)
    start = compare.where(size < 1, -log, size.scalar(0))
    low = start - near * (1 - near) * polynomial(near - 1, LGAMMA)
    inverse = 1 / size
    rest = inverse * polynomial(unary.square(inverse), LGAMMA_FAR) + (math.log(2 * math.pi) - 1) / 2
    above = compare.where(size < 3, low, (size - 0.5) * (log - 1) + rest)
    positive = compare.where(compare.equal(size, math.inf), size, above)
    fraction = _fraction(size)
    distance = binary.min_(fraction, 1 - fraction)
    sine = unary.sin(distance * math.pi) * (1 / math.pi)
    wave = compare.where(distance < STRAIGHT, distance, sine)
    mirrored = -unary.log(wave) - log - positive
    pole = compare.equal(distance, 0)
    return compare.where(input < 0, compare.where(pole, input.scalar(math.inf), mirrored), positive)


@special.digamma.decomposes(level=Level.ROUNDING, ulps=7, absolute=4e-6)
@real()
def _digamma(input: Value) -> Value:
    """Below 0 by reflection: digamma(|x|) + 1 / |x| + pi / tan(pi |x|), NaN at a pole."""
    size = abs(input)
    near = _near_root(size)
    root, lost = DIGAMMA_ROOT
    low = ((near - root) - lost) * polynomial(near - 1, DIGAMMA)
    square = unary.square(1 / size)
    far = unary.log(size) - 0.5 / size - square * polynomial(square, DIGAMMA_FAR)
    above = compare.where(size < 3, low, far)
    positive = compare.where(size < 1, above - 1 / input, above)
    fraction = _fraction(size)
    turn = _cotangent(fraction) * math.pi
    mirrored = compare.where(size < 1, above, above + 1 / size) + turn
    pole = compare.equal(fraction, 0)
    below = compare.where(pole, input.scalar(math.nan), mirrored)
    return compare.where(input < 0, below, positive)


def _near_root(size: Value) -> Value:
    """x - 1 of x from 1 on, whose digits are all there; below it x, for the function of x + 1."""
    return compare.where(size < 1, size, size - 1)


def _cotangent(fraction: Value) -> Value:
    """That of pi x, x from 0 to 1, with all digits beside its zero too."""
    distance = binary.min_(fraction, 1 - fraction)
    is_near = distance < 0.25
    angle = compare.where(is_near, distance, 0.5 - distance) * math.pi
    sine, cosine = unary.sin(angle), unary.cos(angle)
    size = compare.where(is_near, cosine / sine, sine / cosine)
    return compare.where(fraction > 0.5, -size, size)


def _fraction(size: Value) -> Value:
    """What is behind the point, without rounding: 0 for large numbers and infinity."""
    return compare.where(size >= WHOLE, size.scalar(0), size - unary.floor(size))


@special.polygamma.decomposes(level=Level.ROUNDING)
@real(double=True)
def _trigamma(input: Value, *, order: int) -> Value:
    """Order 1 as its reference: reflection, six steps of the recurrence, the asymptotic series."""
    if order != 1:
        raise Unsupported(f"the polygamma function of order {order} by the series of order 1")
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


@special.polygamma.decomposes(level=Level.ROUNDING)
@real()
def _polygamma(input: Value, *, order: int) -> Value:
    """The recurrence up to where the asymptotic series holds; below 0 by reflection.

    Beside the zeros of even orders the error is a few units in the last place of the function at
    1 - x, from which derivatives of the cotangent are subtracted.
    """
    if not 1 < order <= MOST_ORDERS:
        raise Unsupported(f"the polygamma function of order {order}, over {MOST_ORDERS}")
    size = abs(input)
    at = compare.where(input < 0, size + 1, size)
    total = _hurwitz(at, order)
    fraction = _fraction(size)
    cotangent = -_cotangent(fraction)
    odd, even = _derive_cotangent(order)
    wave = polynomial(unary.square(cotangent), even)
    wave = wave * cotangent if odd else wave
    sign = -1 if odd else 1
    mirrored = -total - wave * math.pi ** (order + 1)
    end = input.scalar(sign * math.inf)
    below = compare.where(compare.equal(fraction, 0), end, mirrored)
    return compare.where(input < 0, below, total * sign)


def _hurwitz(at: Value, order: int) -> Value:
    """order! times the sum of (x + k) ** -(order + 1), k = 0, 1, ..., of x from 0 on.

    Powers of `scale / x`, whose scale stands for the factorial: small ones keep their digits.
    """
    steps, factorial = order + 6, math.factorial(order)
    scale = 2.0 ** math.floor(math.log2(factorial) / (order + 1))
    inverse = scale / (at + steps)
    weights = [
        b * math.comb(2 * k + order - 1, 2 * k) / scale ** (2 * k)
        for k, b in enumerate(BERNOULLI, 1)
    ]
    square = unary.square(inverse)
    series = square * polynomial(square, weights[::-1]) + inverse * (order / 2 / scale) + 1
    total = inverse**order * (series * (scale / order))
    for k in reversed(range(steps)):
        total = total + (scale / (at + k)) ** (order + 1)
    return total * (factorial / scale ** (order + 1))


def _derive_cotangent(times: int) -> tuple[bool, list[float]]:
    """Of d cot / dx as a polynomial of cot: whether its powers are odd, its numbers by squares.

    Every derivative is that of the polynomial times -(1 + cot**2).
    """
    numbers = np.array([0.0, 1.0])
    for _ in range(times):
        numbers = np.polynomial.polynomial.polymul(
            [-1, 0, -1], numbers[1:] * np.arange(1, len(numbers))
        )
    is_odd = times % 2 == 0
    return is_odd, numbers[is_odd::2][::-1].tolist()


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
