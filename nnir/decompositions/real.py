"""Functions of real numbers as polynomials, in the precision where their digits are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import Unsupported
from ..model import Value
from ..types import Precision

OWN = {Precision.FLOAT32, Precision.FLOAT64}
"""Precisions that are computed in themselves; narrower ones go through FLOAT32."""


def real(
    *, double: bool = False, complexes: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a decomposition that computes in FLOAT32, with `double` in FLOAT64 too.

    Raises Unsupported for FLOAT64 where a polynomial fits FLOAT32 only, and for complex operands
    unless the formula holds for `complexes`.
    """

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__.strip("_")

        @functools.wraps(function)
        def call(*inputs: Value, **attributes: Any) -> Value:
            precision = inputs[0].precision
            if complexes and not inputs[0].is_float:
                return function(*inputs, **attributes)
            if not inputs[0].is_float:
                raise Unsupported(f"{name} of {inputs[0].type} by functions of real numbers")
            if precision == Precision.FLOAT64 and not double:
                what = f"{name} of {inputs[0].type}"
                raise Unsupported(f"{what}, whose last digits no polynomial here reaches")
            wide = precision if precision in OWN else Precision.FLOAT32
            result: Value = function(*(v.cast(wide) for v in inputs), **attributes)
            return result.cast(precision)

        return call

    return wrap


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """The sum of powers of `x`, that of the largest first (Horner's scheme)."""
    first, second, *rest = coefficients
    total = x * first + second
    for coefficient in rest:
        total = total * x + coefficient
    return total
