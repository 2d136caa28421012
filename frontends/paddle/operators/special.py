"""Paddle's special functions."""

from __future__ import annotations

import math

from nnir.broadcast import shapes_differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, compare, generate, special, unary
from nnir.recipes.promotion import promote_to_float
from nnir.types import Precision

from ...table import Table
from .unary import apply_to_floats, with_inplace

table = Table()


FLOATING: dict[str, Operator] = {
    "digamma": special.digamma,
    "erf": unary.erf,
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
    if n == 0:
        return generate.fill_like(value, value.scalar(-math.inf))  # a series without an end
    if n == 1 and value.precision == Precision.FLOAT64:  # POLYGAMMA has PyTorch's shorter series
        found = special.zeta(value.scalar(2), value)
    else:
        found = special.polygamma(value, order=n)
    pole = compare.equal(value, unary.floor(value)) & (value <= 0)
    found = compare.where(pole, math.inf if n % 2 else -math.inf, found)
    return compare.where(compare.equal(value, math.inf), math.nan, found)


@table.convert("erfinv", "erfinv_")
def erfinv(x: Value) -> Value:
    """An infinity beyond 1 as well."""
    (value,) = promote_to_float(x)
    inside = special.erfinv(activation.clip(value, value.scalar(-1), value.scalar(1)))
    return compare.where(compare.not_equal(value, value), value, inside)


@table.convert("gammaincc", "gammaincc_")
def gammaincc(x: Value, y: Value) -> Value:
    """1 unless both are above 0, NaN for infinity."""
    if shapes_differ(x.shape, y.shape):
        raise BadType(f"gammaincc of {x.type} and {y.type}, which Paddle does not broadcast")
    endless = compare.equal(x, math.inf) | compare.equal(y, math.inf)
    found = compare.where(endless, math.nan, special.igammac(x, y))
    return compare.where((x <= 0) | (y <= 0), 1, found)
