"""Paddle's special functions."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import special, unary
from nnir.recipes.promotion import promote_to_float

from ...table import Table

table = Table()


def _function(operator: Operator, *names: str) -> None:
    @table.convert(*names)
    def convert(x: Value) -> Value:
        (value,) = promote_to_float(x)
        return operator(value)


_function(unary.erf, "erf", "erf_")
_function(special.erfinv, "erfinv", "erfinv_")
_function(special.digamma, "digamma", "digamma_")
_function(special.lgamma, "lgamma", "lgamma_", "gammaln", "gammaln_")
_function(special.bessel_i0, "i0", "i0_")
_function(special.bessel_i0e, "i0e")
_function(special.bessel_i1, "i1")
_function(special.bessel_i1e, "i1e")


@table.convert("polygamma", "polygamma_")
def polygamma(x: Value, n: int) -> Value:
    (value,) = promote_to_float(x)
    return special.digamma(value) if n == 0 else special.polygamma(value, order=n)


@table.convert("gammaincc", "gammaincc_")
def gammaincc(x: Value, y: Value) -> Value:
    return special.igammac(x, y)
