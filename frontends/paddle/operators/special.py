"""Paddle's special functions."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import special, unary
from nnir.recipes.promotion import promote_to_float

from ...table import Table
from .unary import apply_to_floats, with_inplace

table = Table()


FLOATING: dict[str, Operator] = {
    "digamma": special.digamma,
    "erf": unary.erf,
    "erfinv": special.erfinv,
    "gammaln": special.lgamma,
    "i0": special.bessel_i0,
    "lgamma": special.lgamma,
}
table.each(with_inplace(FLOATING))(apply_to_floats)
table.each({"i0e": special.bessel_i0e, "i1": special.bessel_i1, "i1e": special.bessel_i1e})(
    apply_to_floats
)


@table.convert("polygamma", "polygamma_")
def polygamma(x: Value, n: int) -> Value:
    (value,) = promote_to_float(x)
    return special.digamma(value) if n == 0 else special.polygamma(value, order=n)


@table.convert("gammaincc", "gammaincc_")
def gammaincc(x: Value, y: Value) -> Value:
    return special.igammac(x, y)
