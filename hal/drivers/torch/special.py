"""Special functions, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import special

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import Emitter, Result

table = Lowerings[Result]()
own = torch.special

UNARY: dict[Operator, Callable[[Any], Any]] = {
    special.lgamma: torch.lgamma,
    special.digamma: torch.digamma,
    special.erfinv: torch.erfinv,
    special.erfcx: own.erfcx,
    special.ndtri: own.ndtri,
    special.log_ndtr: own.log_ndtr,
    special.airy_ai: own.airy_ai,
    special.bessel_j0: own.bessel_j0,
    special.bessel_j1: own.bessel_j1,
    special.bessel_y0: own.bessel_y0,
    special.bessel_y1: own.bessel_y1,
    special.bessel_i0: own.i0,
    special.bessel_i0e: own.i0e,
    special.bessel_i1: own.i1,
    special.bessel_i1e: own.i1e,
    special.bessel_k0: own.modified_bessel_k0,
    special.bessel_k0e: own.scaled_modified_bessel_k0,
    special.bessel_k1: own.modified_bessel_k1,
    special.bessel_k1e: own.scaled_modified_bessel_k1,
}
BINARY: dict[Operator, Callable[[Any, Any], Any]] = {
    special.igamma: own.gammainc,
    special.igammac: own.gammaincc,
    special.zeta: own.zeta,
}


def _unary(function: Callable[[Any], Any]) -> Callable[..., Any]:
    def lowering(g: Emitter, input: Value) -> Result:
        return function(g.of(input).to(torch.float64)).to(dtype_of(input.precision))

    return lowering


def _binary(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def lowering(g: Emitter, input0: Value, input1: Value) -> Result:
        both = (g.of(v).to(torch.float64) for v in (input0, input1))
        return function(*both).to(dtype_of(input0.precision))

    return lowering


for operator, function in UNARY.items():
    table.lower(operator)(_unary(function))
for operator, joint in BINARY.items():
    table.lower(operator)(_binary(joint))


@table.lower(special.polygamma)
def polygamma(g: Emitter, input: Value, *, order: int) -> Result:
    x = g.of(input)
    x = x if order == 1 else x.to(torch.float64)
    return g.call(torch.polygamma, order, x).to(dtype_of(input.precision))


POLYNOMIALS = {
    "chebyshev_t": own.chebyshev_polynomial_t,
    "chebyshev_u": own.chebyshev_polynomial_u,
    "chebyshev_v": own.chebyshev_polynomial_v,
    "chebyshev_w": own.chebyshev_polynomial_w,
    "hermite_h": own.hermite_polynomial_h,
    "hermite_he": own.hermite_polynomial_he,
    "laguerre_l": own.laguerre_polynomial_l,
    "legendre_p": own.legendre_polynomial_p,
}


@table.lower(special.polynomial)
def polynomial(g: Emitter, input: Value, degree: Value, *, kind: str) -> Result:
    if kind not in POLYNOMIALS:
        raise NoLowering(f"torch has no polynomial {kind!r}")
    x, n = (g.of(v).to(torch.float64) for v in (input, degree))
    n = torch.where(torch.isfinite(n), torch.trunc(n), -1.0)
    return POLYNOMIALS[kind](x, n).to(dtype_of(input.precision))
