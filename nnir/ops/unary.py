"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..model import Value
from ..numeric import wide
from ..operator import Operator, carry, operator, require
from ..types import Precision, TensorType


def unary(
    name: str,
    reference: Callable[..., Any],
    code: int,
    summary: str,
    *,
    edges: str = "NaN stays NaN.",
    integers: bool = False,
) -> Operator:
    """An operator that maps each element of a float (with `integers`: of any number) tensor."""
    kinds = "float or integer" if integers else "float"

    def rule(input: Value) -> TensorType:
        fits = input.is_float or (integers and input.is_integer)
        require(fits, f"{name} needs a {kinds} input, not {input.precision.name}")
        return input.type

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any {kinds}; the result has the type and shape of `input`.\n"
        f"    Edges: {edges}\n    "
    )
    return operator(code=code, reference=wide(reference))(rule)


def _erf(input: np.ndarray) -> np.ndarray:
    return np.frompyfunc(math.erf, 1, 1)(input.astype(np.float64)).astype(input.dtype)


def _reciprocal(input: np.ndarray) -> np.ndarray:
    return np.divide(input.dtype.type(1), input)


def _rsqrt(input: np.ndarray) -> np.ndarray:
    return np.divide(input.dtype.type(1), np.sqrt(input))


def _round(input: np.ndarray) -> np.ndarray:
    return np.rint(input).astype(input.dtype)


abs_ = unary(
    "abs_", np.abs, 0, "|x|.", integers=True, edges="The lowest signed integer stays itself."
)
cos = unary("cos", np.cos, 16, "Cosine of x in radians.", edges="Infinities give NaN.")
exp = unary("exp", np.exp, 22, "e to the power x.")
floor = unary("floor", np.floor, 27, "The largest integer not above x.")
log = unary("log", np.log, 43, "Natural logarithm.", edges="0 gives -inf, below 0 gives NaN.")
rsqrt = unary("rsqrt", _rsqrt, 72, "1 / sqrt(x).", edges="0 gives inf, below 0 gives NaN.")
sin = unary("sin", np.sin, 75, "Sine of x in radians.", edges="Infinities give NaN.")
square = unary("square", np.square, 80, "x * x.", integers=True, edges="Integers wrap.")
neg = unary("neg", np.negative, 1000, "-x.", integers=True, edges="Integers wrap.")
sqrt = unary("sqrt", np.sqrt, 1001, "Square root.", edges="Below 0 gives NaN.")
ceil = unary("ceil", np.ceil, 1002, "The smallest integer not below x.")
round_ = unary("round_", _round, 1003, "The nearest integer, halves to the even one.")
erf = unary("erf", _erf, 1004, "Error function of Gauss.")
tan = unary("tan", np.tan, 1005, "Tangent of x in radians.", edges="Infinities give NaN.")
asin = unary("asin", np.arcsin, 1006, "Inverse sine.", edges="Outside [-1, 1] gives NaN.")
acos = unary("acos", np.arccos, 1007, "Inverse cosine.", edges="Outside [-1, 1] gives NaN.")
atan = unary("atan", np.arctan, 1008, "Inverse tangent.")
sinh = unary("sinh", np.sinh, 1009, "Hyperbolic sine.")
cosh = unary("cosh", np.cosh, 1010, "Hyperbolic cosine.")
asinh = unary("asinh", np.arcsinh, 1011, "Inverse hyperbolic sine.")
acosh = unary("acosh", np.arccosh, 1012, "Inverse hyperbolic cosine.", edges="Below 1 gives NaN.")
atanh = unary("atanh", np.arctanh, 1013, "Inverse hyperbolic tangent.", edges="±1 gives ±inf.")
sign = unary("sign", np.sign, 1014, "-1, 0 or 1.", integers=True)
reciprocal = unary("reciprocal", _reciprocal, 1015, "1 / x.", edges="±0 gives ±inf.")



def _assign(input: np.ndarray) -> np.ndarray:
    return input


@operator(code=7, reference=_assign, content=carry(_assign))
def assign(input: Value) -> TensorType:
    """A copy of `input`.

    Types: any; the result has the type and shape of `input`.
    """
    return input.type


def _cast(input: np.ndarray, *, dtype: Precision) -> np.ndarray:
    with np.errstate(all="ignore"):
        return input.astype(dtype.dtype)


def _cast_content(input: Value, *, dtype: Precision) -> np.ndarray | None:
    return input.content if dtype in (Precision.INT32, Precision.INT64) else None


@operator(code=10, reference=_cast, content=_cast_content)
def cast(input: Value, *, dtype: Precision) -> TensorType:
    """Change the element type.

    Types: any but quantised ones, which QUANTIZE and DEQUANTIZE convert.
    Edges: a float becomes an integer by truncation toward zero, a number a bool by `!= 0`; values
    that the target cannot hold wrap (integers) or are undefined (floats), as in C.
    """
    require(not input.precision.is_quantized, f"cast of {input.type}: use dequantize")
    require(not dtype.is_quantized, f"cast to {dtype.name}: use quantize")
    return input.type.with_precision(dtype)
