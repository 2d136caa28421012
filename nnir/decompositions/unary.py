"""Elementwise functions of one tensor.

The polynomials are minimax fits of ours (least squares at Chebyshev's points with Lawson's
weights, relative to the result), with an error below a fifth of a unit in the last place; the
ranges that they are used on are the customary ones (W. J. Cody, W. Waite, Software Manual for the
Elementary Functions, 1980). What is odd keeps the sign of a zero. NaN fails every comparison, so it
goes where the result is computed of x itself; what overflows is never picked.
"""

from __future__ import annotations

import math

from ..decomposition import Level
from ..model import Value
from ..operator import Operator
from ..ops import activation, compare, unary
from ..ops.unary import COMPLEX
from .real import polynomial, real

ASIN = (0.0422185462, 0.0241476118, 0.0454770971, 0.0749524178, 0.166667539)
ATAN = (
    *(0.00111374278, -0.00731772698, 0.0225393801, -0.0446893702, 0.0674155663),
    *(-0.0881107364, 0.11058219, -0.142798323, 0.199996711, -0.333333269),
)
SINH = (2.81743965e-06, 0.000198360662, 0.0083333506, 0.166666665)
ASINH = (
    *(-0.000394842463, 0.00242799066, -0.00707564929, 0.0136395723, -0.0210244044),
    *(0.0300715551, -0.0446012543, 0.074997221, -0.166666602),
)
ATANH = (0.17719632, 0.0509856196, 0.118339576, 0.142214874, 0.200025877, 0.333332988)
"""By squares, (f(x) / x - 1) / x**2: up to 1/2 for ASIN and ATANH, up to 1 for the others."""

ERF = (
    *(7.85385434e-05, -0.00080101915, 0.00518832744, -0.0268538118),
    *(0.112835851, -0.376126258, 0.128379166),
)
"""erf(x) / x - 1 by squares, up to 1."""

ERF_TAIL = (
    *(-0.000186380084, 0.000711105786, -0.00354423406, 0.016487904),
    *(0.923753483, 4.41815939, 5.36494104),
)
"""-log(erfc(x)) by x - 2, from 1 to 4, beyond which erf(x) is 1 in FLOAT32."""

ERFCX = (
    *(4.13599216e-05, -3.72943227e-05, -0.000297710424, 0.000432094161, 0.00152801374),
    *(-0.00324440586, -0.0107513433, 0.0182218988, 0.139735715, 0.343580305, 0.510791357),
)
"""exp(x**2) erfc(x) / t by 2 t - 1, where t = 2 / (2 + x), from 0 to infinity."""

QUARTER_TURN = 1.57079637, -4.37113883e-08
"""pi / 2 in FLOAT32, and what its rounding loses."""

LARGE = 4096.0
"""From here on x**2 + 1 is x**2 in FLOAT32."""


@unary.neg.decomposes()
def _neg(input: Value) -> Value:
    return 0 - input if input.dtype.kind == "u" else input * -1


@unary.reciprocal.decomposes()
def _reciprocal(input: Value) -> Value:
    return 1 / input


@unary.ceil.decomposes()
def _ceil(input: Value) -> Value:
    return -unary.floor(-input)


@unary.sign.decomposes()
def _sign(input: Value) -> Value:
    """The absolute value of what is neither above nor below 0 is 0 or NaN."""
    if input.is_integer:
        lowest = 0 if input.dtype.kind == "u" else -1
        return activation.clip(input, input.scalar(lowest), input.scalar(1))
    below = compare.where(input < 0, input.scalar(-1), abs(input))
    return compare.where(input > 0, input.scalar(1), below)


@unary.round_.decomposes()
def _round(input: Value) -> Value:
    """Of two neighbours the nearer one, halfway the even one: twice the half of the upper, down."""
    below, above = unary.floor(input), unary.ceil(input)
    rest = input - below
    even = unary.floor(above * 0.5) * 2
    return compare.where(rest > 0.5, above, compare.where(rest < 0.5, below, even))


@unary.sqrt.decomposes(level=Level.ROUNDING, ulps=1)
@real(double=True)
def _sqrt(input: Value) -> Value:
    """A power, except for -0, and for -inf, whose power is inf."""
    edges = compare.where(compare.equal(input, 0), input, input.scalar(math.nan))
    return compare.where(input > 0, input**0.5, edges)


def _logarithm(operator: Operator, base: float) -> None:
    @operator.decomposes(level=Level.ROUNDING, ulps=5)
    def logarithm(input: Value) -> Value:
        if input.precision in COMPLEX:
            return unary.log(input) * (1 / math.log(base))
        return _real_logarithm(input, base=base)


@real(double=True)
def _real_logarithm(input: Value, *, base: float) -> Value:
    """Powers of the base give whole numbers: what is that near to one is one."""
    quotient = unary.log(input) / math.log(base)
    whole = unary.floor(quotient + 0.5)
    bits = 52 if input.dtype.itemsize == 8 else 23
    near = abs(quotient - whole) < abs(whole) * 2.0 ** (1 - bits)
    return compare.where(near, whole, quotient)


_logarithm(unary.log2, 2.0)
_logarithm(unary.log10, 10.0)


@unary.log1p.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True, complexes=True)
def _log1p(input: Value) -> Value:
    """The rounding of 1 + x divided out again (W. Kahan)."""
    total = input + 1
    log = unary.log(total)
    quotient = log * (input / (total - 1))
    known = compare.where(compare.equal(total, input), log, quotient)
    return compare.where(compare.equal(total, 1), input, known)


@unary.tan.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True, complexes=True)
def _tan(input: Value) -> Value:
    return unary.sin(input) / unary.cos(input)


@unary.asin.decomposes(level=Level.ROUNDING, ulps=3)
@real()
def _asin(input: Value) -> Value:
    """Above 1/2, pi / 2 - 2 asin(sqrt((1 - x) / 2))."""
    is_large, angle = _half_angle(input)
    rest = (angle * -2 + QUARTER_TURN[0]) + QUARTER_TURN[1]
    return compare.where(is_large, compare.where(input < 0, -rest, rest), angle)


@unary.acos.decomposes(level=Level.ROUNDING, ulps=3)
@real()
def _acos(input: Value) -> Value:
    """pi / 2 - asin(x), without the difference above 1/2."""
    is_large, angle = _half_angle(input)
    middle = (QUARTER_TURN[0] - angle) + QUARTER_TURN[1]
    double = angle * 2
    opposite = (2 * QUARTER_TURN[0] - double) + 2 * QUARTER_TURN[1]
    return compare.where(is_large, compare.where(input < 0, opposite, double), middle)


def _half_angle(input: Value) -> tuple[Value, Value]:
    """Whether |x| is above 1/2, and asin(sqrt((1 - |x|) / 2)) where it is, else asin(x)."""
    size = abs(input)
    is_large = size > 0.5
    square = compare.where(is_large, (1 - size) * 0.5, unary.square(input))
    side = compare.where(is_large, unary.sqrt(square), input)
    return is_large, _odd(side, square, ASIN)


def _odd(x: Value, square: Value, coefficients: tuple[float, ...]) -> Value:
    """x + x**3 P(x**2), where P is above 0: else the sign of -0 would be lost."""
    return x + x * square * polynomial(square, coefficients)


@unary.atan.decomposes(level=Level.ROUNDING, ulps=3)
@real()
def _atan(input: Value) -> Value:
    """Outside [-1, 1], a quarter turn less the angle of 1 / x."""
    size = abs(input)
    inside = activation.clip(input, input.scalar(-1), input.scalar(1))
    ratio = inside / compare.where(size > 1, size, input.scalar(1))
    square = unary.square(ratio)
    angle = ratio * (square * polynomial(square, ATAN) + 1)
    right, left = ((turn - angle) for turn in (QUARTER_TURN[0], -QUARTER_TURN[0]))
    return compare.where(input > 1, right, compare.where(input < -1, left, angle))


@unary.sinh.decomposes(level=Level.ROUNDING, ulps=4)
@real()
def _sinh(input: Value) -> Value:
    size = abs(input)
    half = _half_power(size)
    above = half - 0.25 / half
    far = compare.where(input < 0, -above, above)
    return compare.where(size >= 1, far, _odd(input, unary.square(input), SINH))


@unary.cosh.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True)
def _cosh(input: Value) -> Value:
    half = _half_power(abs(input))
    return half + 0.25 / half


def _half_power(x: Value) -> Value:
    power, factor = split_power(x)
    return power * (factor * 0.5)


def split_power(x: Value) -> tuple[Value, Value]:
    """Two factors of exp(x), of which none overflows soon: above 64, x - 64 is exact."""
    is_large = x > 64
    shift, factor = (
        compare.where(is_large, x.scalar(high), x.scalar(low))
        for high, low in ((64, 0), (math.exp(64), 1))
    )
    return unary.exp(x - shift), factor


@unary.asinh.decomposes(level=Level.ROUNDING, ulps=4)
@real()
def _asinh(input: Value) -> Value:
    """From 1 on, log(x + sqrt(x**2 + 1)), which is log(2 x) for large x."""
    size, square = abs(input), unary.square(input)
    is_large = size > LARGE
    total = compare.where(is_large, size, size + unary.sqrt(square + 1))
    rest = compare.where(is_large, input.scalar(math.log(2)), input.scalar(0))
    above = unary.log(total) + rest
    far = compare.where(input < 0, -above, above)
    near = input * (square * polynomial(square, ASINH) + 1)
    return compare.where(size >= 1, far, near)


@unary.acosh.decomposes(level=Level.ROUNDING, ulps=5)
@real()
def _acosh(input: Value) -> Value:
    """log(1 + t + sqrt(t (t + 2))) of t = x - 1, which is log(2 x) for large x."""
    excess = input - 1
    near = unary.log1p(excess + unary.sqrt(excess * (excess + 2)))
    far = unary.log(input) + math.log(2)
    inside = compare.where(input < 1, input.scalar(math.nan), near)
    return compare.where(input > LARGE, far, inside)


@unary.atanh.decomposes(level=Level.ROUNDING, ulps=4)
@real()
def _atanh(input: Value) -> Value:
    """From 1/2 on, half the logarithm of (1 + x) / (1 - x)."""
    far = unary.log((input + 1) / (1 - input)) * 0.5
    near = _odd(input, unary.square(input), ATANH)
    return compare.where(abs(input) >= 0.5, far, near)


@unary.erf.decomposes(level=Level.ROUNDING, ulps=3)
@real()
def _erf(input: Value) -> Value:
    size = abs(input)
    tail = unary.exp(-polynomial(compare.where(size < 4, size, input.scalar(4)) - 2, ERF_TAIL))
    far = compare.where(input < 0, tail - 1, 1 - tail)
    near = input + input * polynomial(unary.square(input), ERF)
    return compare.where(size >= 1, far, near)


@unary.erfc.decomposes(level=Level.ROUNDING, ulps=7)
@real()
def _erfc(input: Value) -> Value:
    size = abs(input)
    tail = gauss(size) * scaled_tail(size)
    return compare.where(input < 0, 2 - tail, tail)


def scaled_tail(x: Value) -> Value:
    """exp(x**2) erfc(x) of x from 0 to infinity."""
    t = 2 / (x + 2)
    return t * polynomial(t * 2 - 1, ERFCX)


def gauss(x: Value, scale: float = -1.0) -> Value:
    """exp(scale * x**2) of x from 0 on, 0 or inf beyond 16 (`scale` is a power of 2).

    The rounding of a large x**2 would be a large factor: 1/64 of a whole number has an exact
    square, what remains a small one.
    """
    near = compare.where(x < 16, x, x.scalar(16))
    coarse = unary.floor(near * 64) * (1 / 64)
    rest = (near - coarse) * (near + coarse)
    return unary.exp(unary.square(coarse) * scale) * unary.exp(rest * scale)
