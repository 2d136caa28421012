"""Elementwise arithmetic on two tensors, with NumPy broadcasting and an optional activation."""

from __future__ import annotations

import functools
import operator as python_operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcast import broadcast
from ..dim import Dim, maximum, minimum
from ..errors import BadType
from ..model import Value
from ..numeric import apply_fuse_code, wide
from ..operator import Operator, Pattern, operator, require
from ..types import Fuse, Precision, TensorType
from .unary import COMPLEX, is_number

Ufunc = Callable[[np.ndarray, np.ndarray], np.ndarray]
DimFunction = Callable[[Dim, Dim], Dim]


def arithmetic(
    name: str,
    function: Ufunc,
    code: int,
    summary: str,
    *,
    edges: str,
    dims: DimFunction | None = None,
    complexes: bool = False,
    commutes: bool = False,
) -> Operator:
    """An operator `fuse(function(input0, input1))` on numbers of one type.

    `dims` computes the same on two dimensions, which may be symbolic.
    """

    @wide
    def reference(input0: np.ndarray, input1: np.ndarray, *, fuse_code: Fuse) -> np.ndarray:
        return apply_fuse_code(np.asarray(function(input0, input1), input0.dtype), fuse_code)

    def rule(input0: Value, input1: Value, *, fuse_code: Fuse = Fuse.NONE) -> TensorType:
        if complexes and input0.precision in COMPLEX and fuse_code == Fuse.NONE:
            return same_type(name, input0, input1)
        return numbers_type(name, input0, input1)

    kinds = "two real or complex numbers" if complexes else "two numbers"
    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: {kinds} of one precision; the result has it too.\n"
        f"    Shapes: broadcast as in NumPy; `fuse_code` clamps the result.\n"
        f"    Edges: {edges}\n    "
    )
    return operator(
        pattern=Pattern.ELEMENTWISE,
        code=code,
        reference=reference,
        content=dims and carry_dims(dims),
        commutes=commutes,
    )(rule)


def numbers_type(name: str, *input: Value) -> TensorType:
    """The type of a result of elementwise arithmetic on numbers of one precision."""
    first = input[0].type
    if not is_number(first.precision):  # `require` would make the text of every operation
        raise BadType(f"{name} needs numbers, not {first}")
    return same_type(name, *input)


def same_type(name: str, *input: Value) -> TensorType:
    """The precision that all operands must have, with their broadcast shape."""
    first = input[0].type
    for value in input:
        if value.type.precision is not first.precision:
            raise BadType(f"{name} needs operands of one type, not {first} and {value.type}")
    shape = broadcast(*[v.type.shape for v in input])
    return first if shape is first.shape else first.with_shape(shape)


def carry_dims(function: DimFunction) -> Callable[..., np.ndarray | None]:
    """A `content` that computes with dimensions of operands that cannot wrap."""
    apply = np.frompyfunc(function, 2, 1)

    def content(
        input0: Value, input1: Value, *, fuse_code: Fuse = Fuse.NONE, **_: Any
    ) -> np.ndarray | None:
        left, right = input0.content, input1.content
        sizes = input0.precision in (Precision.INT32, Precision.INT64)
        if not sizes or fuse_code != Fuse.NONE or left is None or right is None:
            return None
        try:
            return np.asarray(apply(left, right), object)
        except ZeroDivisionError:
            return None

    return content


def _divide(a: Dim, b: Dim) -> Dim:
    """The quotient rounded toward zero; a symbolic one is a size, which is never negative."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b) if (a < 0) != (b < 0) else a // b
    return a // b


def _divide_truncating(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    if input0.dtype.kind == "u":
        return np.floor_divide(input0, input1)
    if input0.dtype.kind != "i":
        return np.divide(input0, input1)
    quotient = np.floor_divide(input0, input1)
    inexact = quotient * input1 != input0
    return quotient + (inexact & ((input0 < 0) != (input1 < 0)) & (input1 != 0))


def _power(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    if input0.dtype.kind not in "iu":
        return np.power(input0, input1)
    whole = np.power(input0, np.maximum(input1, input1.dtype.type(0)))
    if input0.dtype.kind == "u":
        return whole
    sign = np.where(input1 % 2 == 0, input0.dtype.type(1), input0)
    below_one = np.where(np.abs(input0) == 1, sign, input0.dtype.type(0))
    return np.where(input1 < 0, below_one, whole)


_WRAP = "Integers wrap."
add = arithmetic(
    "add",
    np.add,
    3,
    "input0 + input1.",
    edges=_WRAP,
    dims=python_operator.add,
    complexes=True,
    commutes=True,
)
div = arithmetic(
    "div",
    _divide_truncating,
    20,
    "input0 / input1.",
    edges="Integers truncate toward zero, as in C; by 0 they give 0.",
    dims=_divide,
    complexes=True,
)
floor_div = arithmetic(
    "floor_div",
    np.floor_divide,
    28,
    "The quotient rounded down.",
    edges="-7 by 2 is -4.",
    dims=python_operator.floordiv,
)
max_ = arithmetic(
    "max_",
    np.maximum,
    48,
    "The larger of the two.",
    edges="NaN wins.",
    dims=maximum,
    commutes=True,
)
min_ = arithmetic(
    "min_",
    np.minimum,
    51,
    "The smaller of the two.",
    edges="NaN wins.",
    dims=minimum,
    commutes=True,
)
mul = arithmetic(
    "mul",
    np.multiply,
    52,
    "input0 * input1.",
    edges=_WRAP,
    dims=python_operator.mul,
    complexes=True,
    commutes=True,
)
pow_ = arithmetic(
    "pow_",
    _power,
    57,
    "input0 to the power input1.",
    edges="Integers wrap; a negative exponent of integers gives the reciprocal, truncated.",
    complexes=True,
)
sub = arithmetic(
    "sub",
    np.subtract,
    83,
    "input0 - input1.",
    edges=_WRAP,
    dims=python_operator.sub,
    complexes=True,
)


def joint(name: str, function: Ufunc, code: int, summary: str, edges: str, kind: str) -> Operator:
    """An operator on two floats, or with `kind` "iu" two integers, of one type."""

    @wide
    def reference(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
        return np.asarray(function(input0, input1), input0.dtype)

    def rule(input0: Value, input1: Value) -> TensorType:
        fits = input0.is_float if kind == "f" else input0.dtype.kind in kind
        require(fits, f"{name} of {input0.type}")
        return numbers_type(name, input0, input1)

    what = "floats" if kind == "f" else "integers"
    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: two {what} of one precision; the result has it too.\n"
        f"    Shapes: broadcast as in NumPy.\n    Edges: {edges}\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, code=code, reference=reference)(rule)


atan2 = joint(
    "atan2",
    np.arctan2,
    1120,
    "The angle of the point (input1, input0).",
    "Signs of zeros choose the side; infinities are directions.",
    "f",
)
hypot = joint(
    "hypot",
    np.hypot,
    1121,
    "The length of the vector (input0, input1).",
    "No overflow; an infinity wins over NaN.",
    "f",
)
gcd = joint(
    "gcd",
    np.gcd,
    1122,
    "The greatest common divisor.",
    "Never negative; of 0 and x it is |x|.",
    "iu",
)


def _next_after(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    return np.asarray(np.nextafter(input0, input1), input0.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=1123, reference=_next_after)
def next_after(input0: Value, input1: Value) -> TensorType:
    """The next float after input0 on the way to input1.

    Types: two floats of one precision; the result has it too.
    Shapes: broadcast as in NumPy.
    Edges: NaN stays NaN; equal operands give input1.
    """
    require(input0.is_float, f"next_after of {input0.type}")
    return same_type("next_after", input0, input1)


@wide
def _sum(*input: np.ndarray) -> np.ndarray:
    return np.asarray(functools.reduce(np.add, input), input[0].dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=84, reference=_sum)
def sum_(*input: Value) -> TensorType:
    """The sum of one or more tensors.

    Types: numbers of one precision; the result has it too.
    Shapes: broadcast as in NumPy.
    Edges: integers wrap; 16-bit floats are rounded once, at the end.
    """
    require(bool(input), "sum needs an operand")
    return numbers_type("sum", *input)


@wide
def _mod(input0: np.ndarray, input1: np.ndarray, *, fmod: bool) -> np.ndarray:
    if not fmod and input0.dtype.kind != "f":
        return np.mod(input0, input1)
    rest = np.fmod(input0, input1)
    if fmod:
        return rest
    return np.where((rest != 0) & ((rest < 0) != (input1 < 0)), rest + input1, rest)


def _mod_content(input0: Value, input1: Value, *, fmod: bool = False) -> np.ndarray | None:
    return None if fmod else carry_dims(python_operator.mod)(input0, input1)


@operator(pattern=Pattern.ELEMENTWISE, code=1100, reference=_mod, content=_mod_content)
def mod(input0: Value, input1: Value, *, fmod: bool = False) -> TensorType:
    """The remainder of input0 by input1.

    Types: two numbers of one precision; the result has it too.
    Shapes: broadcast as in NumPy.
    Edges: the sign is that of input1, with `fmod` that of input0, as in C.
    """
    return numbers_type("mod", input0, input1)
