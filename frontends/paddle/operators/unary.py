"""Paddle's elementwise functions of one tensor."""

from __future__ import annotations

from collections.abc import Mapping

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, compare, complex, logic, reduce, unary
from nnir.recipes import unary as unary_recipes
from nnir.recipes.linear import conjugate
from nnir.recipes.promotion import COMPLEX, promote_to_float
from nnir.recipes.unary import is_nan, round_decimals
from nnir.types import Precision

from ...table import Table

table = Table()
table.named(
    {
        "angle": (unary_recipes.angle, "x"),
        "trunc trunc_": (unary_recipes.trunc, "input"),
    }
)

FLOATING: dict[str, Operator] = {
    "acos": unary.acos,
    "acosh": unary.acosh,
    "asin": unary.asin,
    "asinh": unary.asinh,
    "atan": unary.atan,
    "atanh": unary.atanh,
    "cos": unary.cos,
    "cosh": unary.cosh,
    "exp": unary.exp,
    "expm1": unary.expm1,
    "log": unary.log,
    "log10": unary.log10,
    "log1p": unary.log1p,
    "log2": unary.log2,
    "reciprocal": unary.reciprocal,
    "rsqrt": unary.rsqrt,
    "sigmoid": activation.sigmoid,
    "sin": unary.sin,
    "sinh": unary.sinh,
    "sqrt": unary.sqrt,
    "tan": unary.tan,
    "tanh": activation.tanh,
}
"""Functions whose result is a float, of integers too."""


def with_inplace(operators: Mapping[str, Operator]) -> dict[str, Operator]:
    """Each operator also by the name that it has where it overwrites its input."""
    return {f"{name}{end}": found for name, found in operators.items() for end in ("", "_")}


@table.each(with_inplace(FLOATING))
def apply_to_floats(operator: Operator, x: Value) -> Value:
    return operator(*promote_to_float(x))


table.same(with_inplace({"abs": unary.abs_, "square": unary.square}))


@table.each(with_inplace({"ceil": unary.ceil, "floor": unary.floor, "rint": unary.round_}))
def round_whole(operator: Operator, x: Value) -> Value:
    """Rounding to an integer; integers are that already."""
    return operator(x) if x.is_float else x


@table.convert("round", "round_")
def round_(x: Value, decimals: int) -> Value:
    if x.precision in COMPLEX:
        raise Unsupported(f"round of {x.type}")
    return round_decimals(x, decimals) if x.is_float else x


table.convert("sign")(unary_recipes.sign_of)


@table.convert("cast", "cast_")
def cast(x: Value, dtype: Precision) -> Value:
    """Of a complex number the real part counts, and for a bool whether a part is not 0."""
    if x.precision not in COMPLEX or dtype in COMPLEX:
        return x.cast(dtype)
    real = complex.real(x).cast(dtype)
    if dtype != Precision.BOOL8:
        return real
    return real | complex.imag(x).cast(dtype)


table.convert("isfinite")(unary_recipes.isfinite)


table.convert("isinf")(unary_recipes.isinf)


@table.convert("isnan")
def isnan(x: Value) -> Value:
    if x.precision in COMPLEX:
        return logic.or_(*(is_nan(part(x)) for part in (complex.real, complex.imag)))
    return is_nan(x)


@table.convert("logit", "logit_")
def logit(x: Value, eps: float) -> Value:
    """Without an `eps` numbers outside [0, 1] give NaN, else they are moved inside."""
    return unary_recipes.logit(x, eps or None)


table.convert("conj")(conjugate)


@table.each({"real": complex.real, "imag": complex.imag})
def take_part(operator: Operator, x: Value) -> Value:
    if x.precision not in COMPLEX:
        raise BadType(f"{operator.name.lower()} of {x.type}, not of complex numbers")
    return operator(x)


table.same({"as_complex": complex.pairs_to_complex, "as_real": complex.complex_to_pairs})
table.same({"complex": complex.complex_})


table.convert("logical_not", "logical_not_")(unary_recipes.logical_not)


@table.convert("bitwise_not", "bitwise_not_")
def bitwise_not(x: Value) -> Value:
    return ~x


@table.convert("clip_by_norm")
def clip_by_norm(x: Value, max_norm: float) -> Value:
    """`x`, made shorter where its 2-norm is above a limit."""
    length = unary.sqrt(reduce.reduce_sum(unary.square(x), [], keepdim=False))
    limit = x.scalar(max_norm)
    shorter = x * (limit / length)
    return compare.where(length > limit, shorter, x)
