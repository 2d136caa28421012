"""ATen special functions."""

from __future__ import annotations

import math

from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare, special, unary
from nnir.recipes.promotion import Operand, promote_to_float, round_once
from nnir.recipes.unary import is_nan

from ...table import Table

table = Table()

OF_SELF: dict[str, Operator] = {
    "digamma": special.digamma,
    "erfinv": special.erfinv,
    "i0": special.bessel_i0,
    "lgamma": special.lgamma,
    "special_bessel_j0": special.bessel_j0,
    "special_bessel_j1": special.bessel_j1,
    "special_bessel_y0": special.bessel_y0,
    "special_bessel_y1": special.bessel_y1,
    "special_erfcx": special.erfcx,
    "special_i0e": special.bessel_i0e,
    "special_i1": special.bessel_i1,
    "special_i1e": special.bessel_i1e,
    "special_log_ndtr": special.log_ndtr,
    "special_modified_bessel_i0": special.bessel_i0,
    "special_modified_bessel_i1": special.bessel_i1,
    "special_modified_bessel_k0": special.bessel_k0,
    "special_modified_bessel_k1": special.bessel_k1,
    "special_ndtri": special.ndtri,
}
OF_X: dict[str, Operator] = {
    "special_airy_ai": special.airy_ai,
    "special_scaled_modified_bessel_k0": special.bessel_k0e,
    "special_scaled_modified_bessel_k1": special.bessel_k1e,
}
"""The same, but the argument is called x."""


def _function(x: Value, operator: Operator) -> Value:
    return operator(*promote_to_float(x))


def _of_self(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value) -> Value:
        return _function(self, operator)


def _of_x(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(x: Value) -> Value:
        return _function(x, operator)


for _name, _operator in OF_SELF.items():
    _of_self(_name, _operator)
for _name, _operator in OF_X.items():
    _of_x(_name, _operator)


@table.convert("aten.igamma.default")
def igamma(self: Value, other: Value) -> Value:
    """0 at 0, even where the order is NaN."""
    a, x = promote_to_float(self, other)
    start = compare.equal(x, 0) & compare.not_equal(a, a)
    return compare.where(start, 0, special.igamma(a, x))


@table.convert("aten.igammac.default")
def igammac(self: Value, other: Value) -> Value:
    """1 at 0, even where the order is NaN."""
    a, x = promote_to_float(self, other)
    start = compare.equal(x, 0) & compare.not_equal(a, a)
    return compare.where(start, 1, special.igammac(a, x))


@table.convert(
    *("aten.special_zeta.default", "aten.special_zeta.other_scalar"),
    "aten.special_zeta.self_scalar",
)
def zeta(self: Operand, other: Operand) -> Value:
    """NaN at infinity, but for 1."""
    x, q = promote_to_float(self, other)
    end = compare.equal(q, math.inf) & compare.not_equal(x, 1)
    return compare.where(end, math.nan, special.zeta(x, q))


@table.convert("aten.polygamma.default")
def polygamma(n: int, self: Value) -> Value:
    (x,) = promote_to_float(self)
    if n < 2:
        return special.digamma(x) if n == 0 else special.polygamma(x, order=n)
    end = compare.equal(x, math.inf)
    return compare.where(end, math.nan, special.polygamma(x, order=n))


MOST_TERMS = 1000
"""So many terms are written out at most."""


@table.convert("aten.mvlgamma.default")
def mvlgamma(self: Value, p: int) -> Value:
    """The logarithms of gamma at x, x - 1/2, ..., and a constant."""
    if not 0 < p <= MOST_TERMS:
        raise BadType(f"mvlgamma with p={p!r}")

    def body(x: Value) -> Value:
        total = x.scalar(p * (p - 1) / 4 * math.log(math.pi))
        for k in range(p):
            at = x - k / 2 if k else x
            total = total + special.lgamma(at)
        return total

    return round_once(body, *promote_to_float(self))


@table.convert("aten.special_entr.default")
def entr(self: Value) -> Value:
    def body(x: Value) -> Value:
        zero = x.scalar(0)
        made = -x * unary.log(x)
        made = compare.where(compare.equal(x, zero), zero, made)
        made = compare.where(x < zero, -math.inf, made)
        return compare.where(is_nan(x), x, made)

    return round_once(body, *promote_to_float(self))


@table.convert("aten.special_ndtr.default")
def ndtr(self: Value) -> Value:
    def body(x: Value) -> Value:
        rest = unary.erfc(x * -math.sqrt(0.5))
        return rest * 0.5

    return round_once(body, *promote_to_float(self))


@table.convert("aten.special_spherical_bessel_j0.default")
def spherical_bessel_j0(x: Value) -> Value:
    def body(y: Value) -> Value:
        made = unary.sin(y) / y
        made = compare.where(compare.equal(y, 0), 1, made)
        far = compare.equal(abs(y), math.inf)
        return compare.where(far, 0, made)

    return round_once(body, *promote_to_float(x))


def _polynomial(name: str, kind: str, *, shifted: bool) -> None:
    """A polynomial of degree n at x, or with `shifted` at 2 x - 1."""
    overloads = (f"aten.special_{name}.{o}" for o in ("default", "n_scalar", "x_scalar"))

    def body(x: Value, n: Value) -> Value:
        if shifted:
            x = x + x - 1
        return special.polynomial(x, n, kind=kind)

    @table.convert(*overloads)
    def convert(x: Operand, n: Operand) -> Value:
        return round_once(body, *promote_to_float(x, n))


for _letter in "tuvw":
    _chebyshev = f"chebyshev_polynomial_{_letter}"
    _polynomial(_chebyshev, f"chebyshev_{_letter}", shifted=False)
    _polynomial(f"shifted_{_chebyshev}", f"chebyshev_{_letter}", shifted=True)
for _name, _kind in {
    "hermite_polynomial_h": "hermite_h",
    "hermite_polynomial_he": "hermite_he",
    "laguerre_polynomial_l": "laguerre_l",
    "legendre_polynomial_p": "legendre_p",
}.items():
    _polynomial(_name, _kind, shifted=False)
