"""TensorFlow's special functions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare, index, special, unary
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()
table.same(
    {
        "BesselI0": special.bessel_i0,
        "BesselI0e": special.bessel_i0e,
        "BesselI1": special.bessel_i1,
        "BesselI1e": special.bessel_i1e,
        "BesselJ0": special.bessel_j0,
        "BesselJ1": special.bessel_j1,
        "Dawsn": special.dawsn,
        "Erfinv": special.erfinv,
        "FresnelCos": special.fresnel_cos,
        "FresnelSin": special.fresnel_sin,
        "Lgamma": special.lgamma,
        "Ndtri": special.ndtri,
        "Spence": special.spence,
    }
)

POLES: dict[str, tuple[Operator, float, float, float]] = {
    "BesselK0": (special.bessel_k0, np.inf, np.inf, 0),
    "BesselK0e": (special.bessel_k0e, np.inf, np.inf, 0),
    "BesselK1": (special.bessel_k1, np.inf, np.inf, 0),
    "BesselK1e": (special.bessel_k1e, np.inf, np.inf, 0),
    "BesselY0": (special.bessel_y0, -np.inf, -np.inf, np.nan),
    "BesselY1": (special.bessel_y1, -np.inf, np.nan, np.nan),
    "Expint": (special.expint, np.nan, -np.inf, np.nan),
}
"""Functions of positive numbers, and what TensorFlow says below 0, at 0 and at infinity."""


def _positive(name: str, operator: Operator, below: float, zero: float, infinity: float) -> None:
    @table.convert(name)
    def convert(x: Value) -> Value:
        made = choose(compare.equal(x, x.scalar(np.inf)), infinity, operator(x))
        wide = x.precision == Precision.FLOAT64
        made = choose(compare.equal(x, 0), -np.inf if wide and name == "BesselY1" else zero, made)
        return choose(x < 0, below, made)


def choose(condition: Value, value: float, other: Value) -> Value:
    """A number where the condition holds."""
    return compare.where(condition, value, other)


for _name, _row in POLES.items():
    _positive(_name, *_row)


@table.convert("Digamma")
def digamma(x: Value) -> Value:
    return choose(compare.equal(x, 0), np.nan, special.digamma(x))


@table.convert("Igamma")
def igamma(a: Value, x: Value) -> Value:
    made = choose(a <= 0, np.nan, special.igamma(a, x))
    return choose(compare.equal(x, 0), 0, made)


@table.convert("Igammac")
def igammac(a: Value, x: Value) -> Value:
    return choose(a <= 0, np.nan, special.igammac(a, x))


@table.convert("Betainc")
def betainc(a: Value, b: Value, x: Value) -> Value:
    """NaN unless `a` and `b` are above 0; 0 and 1 stay what they are, else both are finite."""
    made = special.betainc(a, b, x)
    for side in (a, b):
        made = choose(compare.equal(side, side.scalar(np.inf)), np.nan, made)
    for end in (0, 1):
        made = choose(compare.equal(x, end), end, made)
    return choose((a <= 0) | (b <= 0), np.nan, made)


@table.convert("Zeta")
def zeta(x: Value, q: Value) -> Value:
    """At the poles infinity for an even x only, and for 1."""
    pole = compare.equal(q, unary.floor(q)) & (q <= 0)
    odd = compare.not_equal(x % 2, 0) & compare.not_equal(x, 1)
    return choose(pole & odd, np.nan, special.zeta(x, q))


@table.convert("Polygamma")
def polygamma(a: Value, x: Value, *, translator: Translator) -> Value:
    """(-1)^(a + 1) a! zeta(a + 1, x), for a = 0 DIGAMMA; NaN for a fraction or below 0."""
    known = translator.constant_of(a)
    if known is not None and known.size == 1 and not a.rank and known >= 0 and known % 1 == 0:
        order = int(known)
        if not order:
            return special.digamma(x)
        pole = compare.equal(x, unary.floor(x)) & (x <= 0)
        at = np.inf if order % 2 else np.nan
        return choose(pole, at, special.polygamma(x, order=order))
    next_ = a + 1
    size = unary.exp(special.lgamma(next_)) * zeta(next_, x)
    odd = compare.equal(a % 2, 1)
    signed = compare.where(odd, size, -size)
    made = compare.where(compare.equal(a, 0), digamma(x), signed)
    whole = compare.equal(unary.floor(a), abs(a))
    return compare.where(whole, made, a.scalar(np.nan))


@table.convert("Cross")
def cross(a: Value, b: Value) -> Value:
    if not a.rank or a.shape[-1] != 3 or b.shape != a.shape:
        raise BadType(f"Cross of {a.type} and {b.type}: vectors of 3 are needed")

    def roll_last(x: Value, by: int) -> Value:
        return index.gather(x, [by, (by + 1) % 3, (by + 2) % 3], axis=-1)

    left = roll_last(a, 1) * roll_last(b, 2)
    return left - roll_last(a, 2) * roll_last(b, 1)
