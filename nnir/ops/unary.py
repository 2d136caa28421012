"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..model import Value
from ..numeric import wide
from ..operator import Operator, Pattern, carry, operator, require
from ..types import Precision, TensorType

BITS = {Precision.INT4: 4, Precision.UINT4: 4, Precision.FLOAT4E2M1FN: 4} | {
    Precision.INT2: 2,
    Precision.UINT2: 2,
}
"""The width of the elements that do not fill a byte."""


COMPLEX = {Precision.COMPLEX64: Precision.FLOAT32, Precision.COMPLEX128: Precision.FLOAT64}
"""Complex types, and the type of their parts."""


def is_number(precision: Precision) -> bool:
    """Whether frameworks compute with a precision: any float, and integers that fill a byte."""
    return precision.is_float or (precision.is_integer and precision not in BITS)


def unary(
    name: str,
    reference: Callable[..., Any],
    code: int,
    summary: str,
    *,
    edges: str = "NaN stays NaN.",
    integers: bool = False,
    complexes: bool = False,
) -> Operator:
    """An operator that maps each element of a float tensor, with `integers` or `complexes` of one
    of those numbers too."""
    kinds = "float" + " or integer" * integers + " or complex" * complexes

    def rule(input: Value) -> TensorType:
        fits = input.is_float or (integers and is_number(input.precision))
        fits = fits or (complexes and input.precision in COMPLEX)
        require(fits, f"{name} needs a {kinds} input, not {input.precision.name}")
        return input.type

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any {kinds}; the result has the type and shape of `input`.\n"
        f"    Edges: {edges}\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, code=code, reference=wide(reference))(rule)


# W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969):
# erf(x) = x P(x^2) / Q(x^2) below 0.46875 and 1 - exp(-x^2) P(x) / Q(x) above it.
_NEAR = (
    (
        *(1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2),
        *(3.77485237685302021e2, 3.20937758913846947e3),
    ),
    (
        *(1.0, 2.36012909523441209e1, 2.44024637934444173e2),
        *(1.28261652607737228e3, 2.84423683343917062e3),
    ),
)
_FAR = (
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594),
        *(6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2),
        *(1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
    ),
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2),
        *(5.37181101862009858e2, 1.62138957456669019e3, 3.29079923573345963e3),
        *(4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    ),
)


def erf_of(input: np.ndarray) -> np.ndarray:
    """The error function in float64, accurate to a few units in the last place."""
    x = input.astype(np.float64)
    size = np.minimum(np.abs(x), 6.0)  # beyond 6 the result is 1 to the last bit
    squared = size * size
    near = x * np.polyval(_NEAR[0], squared) / np.polyval(_NEAR[1], squared)
    rest = np.exp(-squared) * np.polyval(_FAR[0], size) / np.polyval(_FAR[1], size)
    return np.where(size <= 0.46875, near, np.copysign(1 - rest, x))


def _erf(input: np.ndarray) -> np.ndarray:
    return erf_of(input).astype(input.dtype)


def _erfc(input: np.ndarray) -> np.ndarray:
    """One by one: no difference of near numbers keeps what is left of a small one."""
    return np.asarray(np.frompyfunc(math.erfc, 1, 1)(input), input.dtype)


def _exactly(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A function computed in float64: powers of the base have whole logarithms."""

    def call(input: np.ndarray) -> np.ndarray:
        wide = np.complex128 if input.dtype.kind == "c" else np.float64
        return np.asarray(function(input.astype(wide)), input.dtype)

    return call


def _reciprocal(input: np.ndarray) -> np.ndarray:
    return np.divide(input.dtype.type(1), input)


def _rsqrt(input: np.ndarray) -> np.ndarray:
    return np.divide(input.dtype.type(1), np.sqrt(input))


def _round(input: np.ndarray) -> np.ndarray:
    return np.rint(input).astype(input.dtype)


def _negative(input: np.ndarray) -> np.ndarray:
    return np.negative(input)


@operator(pattern=Pattern.ELEMENTWISE, code=0, reference=wide(np.abs))
def abs_(input: Value) -> TensorType:
    """|x|.

    Types: any number; the result has its type, that of the parts for complex numbers.
    Edges: the lowest signed integer stays itself, NaN stays NaN.
    """
    kind = COMPLEX.get(input.precision, input.precision)
    fits = is_number(input.precision) or input.precision in COMPLEX
    require(fits, f"abs needs numbers, not {input.precision.name}")
    return input.type.with_precision(kind) if kind != input.precision else input.type


cos = unary(
    "cos", np.cos, 16, "Cosine of x in radians.", edges="Infinities give NaN.", complexes=True
)
exp = unary("exp", np.exp, 22, "e to the power x.", complexes=True)
floor = unary("floor", np.floor, 27, "The largest integer not above x.")
log = unary(
    "log",
    np.log,
    43,
    "Natural logarithm.",
    edges="0 gives -inf, below 0 gives NaN.",
    complexes=True,
)
rsqrt = unary(
    "rsqrt", _rsqrt, 72, "1 / sqrt(x).", edges="0 gives inf, below 0 gives NaN.", complexes=True
)
sin = unary(
    "sin", np.sin, 75, "Sine of x in radians.", edges="Infinities give NaN.", complexes=True
)
square = unary(
    "square", np.square, 80, "x * x.", integers=True, edges="Integers wrap.", complexes=True
)
neg = unary("neg", _negative, 1000, "-x.", integers=True, edges="Integers wrap.", complexes=True)
sqrt = unary("sqrt", np.sqrt, 1001, "Square root.", edges="Below 0 gives NaN.", complexes=True)
ceil = unary("ceil", np.ceil, 1002, "The smallest integer not below x.")
round_ = unary("round_", _round, 1003, "The nearest integer, halves to the even one.")
erf = unary("erf", _erf, 1004, "Error function of Gauss.")
tan = unary(
    "tan", np.tan, 1005, "Tangent of x in radians.", edges="Infinities give NaN.", complexes=True
)
asin = unary(
    "asin", np.arcsin, 1006, "Inverse sine.", edges="Outside [-1, 1] gives NaN.", complexes=True
)
acos = unary(
    "acos", np.arccos, 1007, "Inverse cosine.", edges="Outside [-1, 1] gives NaN.", complexes=True
)
atan = unary("atan", np.arctan, 1008, "Inverse tangent.", complexes=True)
sinh = unary("sinh", np.sinh, 1009, "Hyperbolic sine.", complexes=True)
cosh = unary("cosh", np.cosh, 1010, "Hyperbolic cosine.", complexes=True)
asinh = unary("asinh", np.arcsinh, 1011, "Inverse hyperbolic sine.", complexes=True)
acosh = unary(
    "acosh",
    np.arccosh,
    1012,
    "Inverse hyperbolic cosine.",
    edges="Below 1 gives NaN.",
    complexes=True,
)
atanh = unary(
    "atanh", np.arctanh, 1013, "Inverse hyperbolic tangent.", edges="±1 gives ±inf.", complexes=True
)
sign = unary("sign", np.sign, 1014, "-1, 0 or 1.", integers=True)
reciprocal = unary(
    "reciprocal", _reciprocal, 1015, "1 / x.", edges="±0 gives ±inf.", complexes=True
)

expm1 = unary(
    "expm1", np.expm1, 1030, "e to the power x, less 1.", edges="Exact near 0.", complexes=True
)
log1p = unary(
    "log1p",
    np.log1p,
    1031,
    "Natural logarithm of 1 + x.",
    edges="-1 gives -inf, below it NaN.",
    complexes=True,
)
log2 = unary(
    "log2",
    _exactly(np.log2),
    1032,
    "Logarithm to base 2.",
    edges="0 gives -inf, below 0 NaN.",
    complexes=True,
)
log10 = unary(
    "log10",
    _exactly(np.log10),
    1033,
    "Logarithm to base 10.",
    edges="0 gives -inf, below 0 NaN.",
    complexes=True,
)
erfc = unary("erfc", _erfc, 1034, "1 less the error function of Gauss, exact for large x.")


def _frexp(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wide = input.astype(np.float32) if input.dtype.itemsize == 2 else input
    mantissa, exponent = np.frexp(wide)
    return mantissa.astype(input.dtype), exponent.astype(np.int32)


@operator(pattern=Pattern.ELEMENTWISE, code=1035, reference=_frexp)
def frexp(input: Value) -> tuple[TensorType, TensorType]:
    """x as a number in [0.5, 1) and the power of 2 to multiply it with.

    Types: any float; the exponents are INT32.
    Edges: 0, NaN and infinities stay themselves, with exponent 0.
    """
    require(input.is_float, f"frexp needs a float input, not {input.precision.name}")
    return input.type, input.type.with_precision(Precision.INT32)


def _assign(input: np.ndarray) -> np.ndarray:
    return input


@operator(pattern=Pattern.ELEMENTWISE, code=7, reference=_assign, content=carry(_assign))
def assign(input: Value) -> TensorType:
    """A copy of `input`.

    Types: any; the result has the type and shape of `input`.
    """
    return input.type


def _cast(input: np.ndarray, *, dtype: Precision) -> np.ndarray:
    kind = dtype.dtype
    if input.dtype == kind:
        return input
    if kind.kind == "b":
        return input != input.dtype.type(0)
    if input.dtype.kind == "c":
        input = input if kind.kind == "c" else input.real
    elif input.dtype.isbuiltin != 1:  # a type of ml_dtypes
        # through float32, which holds every narrow float and small integer exactly
        return input.astype(np.float32).astype(kind)
    return input.astype(kind)


def _cast_content(input: Value, *, dtype: Precision) -> np.ndarray | None:
    return input.content if dtype in (Precision.INT32, Precision.INT64) else None


@operator(pattern=Pattern.ELEMENTWISE, code=10, reference=_cast, content=_cast_content)
def cast(input: Value, *, dtype: Precision) -> TensorType:
    """Change the element type.

    Types: any but quantised ones, which QUANTIZE and DEQUANTIZE convert.
    Edges: a float becomes an integer by truncation toward zero, a number a bool by `!= 0`; values
    that the target cannot hold wrap (integers) or are undefined (floats), as in C; a float that
    an 8-bit float cannot hold becomes its infinity or, where it has none, NaN.
    """
    require(not input.precision.is_quantized, f"cast of {input.type}: use dequantize")
    require(not dtype.is_quantized, f"cast to {dtype.name}: use quantize")
    return input.type.with_precision(dtype)


def _bit_cast(input: np.ndarray, *, dtype: Precision) -> np.ndarray:
    if dtype in BITS:
        codes = input.view(np.uint8) & np.uint8((1 << BITS[dtype]) - 1)
        return _narrow(codes, dtype)
    return np.ascontiguousarray(input).reshape(input.shape).view(dtype.dtype)


def _narrow(codes: np.ndarray, dtype: Precision) -> np.ndarray:
    """Bit patterns as elements of less than a byte; signed ones are stored sign-extended."""
    if dtype in (Precision.INT4, Precision.INT2):
        half = 1 << (BITS[dtype] - 1)
        return ((codes.astype(np.int8) ^ half) - half).astype(dtype.dtype)
    return codes.view(dtype.dtype)


@operator(pattern=Pattern.MOVEMENT, code=1016, reference=_bit_cast)
def bit_cast(input: Value, *, dtype: Precision) -> TensorType:
    """The same bits as another element type of the same width.

    Types: any but quantised ones; BadType when the widths differ.
    """
    widths = [BITS.get(p, p.dtype.itemsize * 8) for p in (input.precision, dtype)]
    quantized = input.precision.is_quantized or dtype.is_quantized
    require(not quantized, f"bit_cast of {input.type} to {dtype.name}: quantised types have none")
    require(widths[0] == widths[1], f"bit_cast of {input.type} to {dtype.name}: widths differ")
    return input.type.with_precision(dtype)
