"""Modified Bessel functions; see `unary` for where the polynomials come from.

Near 0 they are power series of x**2 / 4, for K beside a logarithm; far from it exp(x) or exp(-x)
over the root of x, times a polynomial of 1 / x (M. Abramowitz, I. Stegun, Handbook of Mathematical
Functions, 9.6 and 9.7).
"""

from __future__ import annotations

import math

from ..decomposition import Level
from ..model import Value
from ..ops import compare, special, unary
from .real import polynomial, real
from .unary import split_power

I0_NEAR = (
    *(4.94709016e-08, 1.86750359e-06, 6.96319254e-05, 0.00173580591, 0.0277780351),
    *(0.249999901, 1.00000001, 1.0),
)
I1_NEAR = (
    *(3.47650378e-07, 1.11962352e-05, 0.000348165214, 0.00694328563, 0.0833339687),
    *(0.499999888, 1.0),
)
"""I0(x), and 2 I1(x) / x, by x**2 / 4, up to 4."""

I0_FAR = (
    *(89.3820952, -14.6754683, -8.12975657, 0.0191809733, 0.314738057),
    *(0.0962183652, 0.0470764803, 0.0587939724, 0.405686336),
)
I1_FAR = (
    *(-93.3128257, 17.8340135, 8.78837633, -0.143327271, -0.378007187),
    *(-0.121932202, -0.0720620502, -0.163890074, 0.379412272),
)
"""I(x) sqrt(x) exp(-x) by 1 / x - 1/8, from 4 on."""

K0_NEAR = (0.00269622323, 0.0348721444, 0.230698197, 0.422784248, -0.577215664)
"""K0(x) + log(x / 2) I0(x) by x**2 / 4, up to 1."""
K1_NEAR = (-0.0199076156, -0.181410493, -0.672799741, 0.154431845, 0.999999997)
"""x (K1(x) - log(x / 2) I1(x)) by x**2 / 4, up to 1."""

K0_FAR = (
    *(-0.0085265194, 0.0149732926, -0.0112708096, 0.00833121357, -0.00990565593),
    *(0.0132041954, -0.0196808251, 0.0374670105, -0.111509483, 1.20095193),
)
K1_FAR = (
    *(0.0109563123, -0.0189195362, 0.0141542994, -0.0109413928, 0.0136789816),
    *(-0.0191947509, 0.0313662884, -0.0717889134, 0.389445416, 1.42330073),
)
"""K(x) sqrt(x) exp(x) by 1 / x - 0.4, from 1 on."""


@special.bessel_i0.decomposes(level=Level.ROUNDING, ulps=6)
@real()
def _bessel_i0(input: Value) -> Value:
    size = abs(input)
    return compare.where(size >= 4, _grow(size, I0_FAR), _near_i0(input))


@special.bessel_i0e.decomposes(level=Level.ROUNDING, ulps=6)
@real()
def _bessel_i0e(input: Value) -> Value:
    size = abs(input)
    near = unary.exp(-size) * _near_i0(input)
    return compare.where(size >= 4, _wane(size, I0_FAR, 0.125), near)


@special.bessel_i1.decomposes(level=Level.ROUNDING, ulps=6)
@real()
def _bessel_i1(input: Value) -> Value:
    size = abs(input)
    far = _grow(size, I1_FAR)
    return compare.where(size >= 4, compare.where(input < 0, -far, far), _near_i1(input))


@special.bessel_i1e.decomposes(level=Level.ROUNDING, ulps=6)
@real()
def _bessel_i1e(input: Value) -> Value:
    size = abs(input)
    far = _wane(size, I1_FAR, 0.125)
    near = unary.exp(-size) * _near_i1(input)
    return compare.where(size >= 4, compare.where(input < 0, -far, far), near)


@special.bessel_k0.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _bessel_k0(input: Value) -> Value:
    far = unary.exp(-input) * _wane(input, K0_FAR, 0.4)
    return compare.where(input > 1, far, _near_k0(input))


@special.bessel_k0e.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _bessel_k0e(input: Value) -> Value:
    near = unary.exp(input) * _near_k0(input)
    return compare.where(input > 1, _wane(input, K0_FAR, 0.4), near)


@special.bessel_k1.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _bessel_k1(input: Value) -> Value:
    far = unary.exp(-input) * _wane(input, K1_FAR, 0.4)
    return compare.where(input > 1, far, _near_k1(input))


@special.bessel_k1e.decomposes(level=Level.ROUNDING, ulps=8)
@real()
def _bessel_k1e(input: Value) -> Value:
    near = unary.exp(input) * _near_k1(input)
    return compare.where(input > 1, _wane(input, K1_FAR, 0.4), near)


def _quarter(x: Value) -> Value:
    return unary.square(x * 0.5)


def _near_i0(x: Value) -> Value:
    return polynomial(_quarter(x), I0_NEAR)


def _near_i1(x: Value) -> Value:
    return x * 0.5 * polynomial(_quarter(x), I1_NEAR)


def _near_k0(x: Value) -> Value:
    """Below 0 NaN, as the logarithm."""
    return polynomial(_quarter(x), K0_NEAR) - (unary.log(x) - math.log(2)) * _near_i0(x)


def _near_k1(x: Value) -> Value:
    near = (unary.log(x) - math.log(2)) * _near_i1(x) + polynomial(_quarter(x), K1_NEAR) / x
    return compare.where(compare.equal(x, 0), x.scalar(math.inf), near)


def _wane(x: Value, coefficients: tuple[float, ...], centre: float) -> Value:
    return polynomial(1 / x - centre, coefficients) / unary.sqrt(x)


def _grow(x: Value, coefficients: tuple[float, ...]) -> Value:
    """As the references, NaN at infinity."""
    power, factor = split_power(x)
    return power * (factor * _wane(x, coefficients, 0.125))
