"""Type promotion as PyTorch and Paddle do it, and 16-bit floats that are rounded once.

Three ranks of operands, tensors with axes, tensors without, and numbers, and four categories, bool,
integer, float and complex: an operand of a lower rank only counts where its category is higher
(https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..errors import BadType
from ..model import Model, Value
from ..types import Precision


def round_once(body: Callable[..., Value], *operands: Value) -> Value:
    """`body(*operands)`, whose 16-bit floats are float32 until the end."""
    precision = operands[0].precision
    if precision not in HALVES:
        return body(*operands)
    return body(*map(widen_half, operands)).cast(precision)


def widen_half(x: Value) -> Value:
    """A tensor of 16-bit floats as float32; others as they are."""
    return x.cast(Precision.FLOAT32) if x.precision in HALVES else x


Number: TypeAlias = bool | int | float | complex
Operand: TypeAlias = Value | bool | int | float | complex
"""A tensor, or a number that takes its type from the other operands."""


DEFAULT_FLOAT = Precision.FLOAT32
SIGNED = (Precision.INT8, Precision.INT16, Precision.INT32, Precision.INT64)
COMPLEX = (Precision.COMPLEX64, Precision.COMPLEX128)
HALVES = (Precision.FLOAT16, Precision.BFLOAT16)
NUMBERS = (Precision.BOOL8, Precision.INT64, DEFAULT_FLOAT, Precision.COMPLEX64)
"""What numbers of each category are among numbers."""


def category(precision: Precision) -> int:
    """0 bool, 1 integer, 2 float, 3 complex."""
    if precision in COMPLEX:
        return 3
    return 2 if precision.is_float else int(precision != Precision.BOOL8)


def common_precision(*operands: Operand) -> Precision:
    """The precision that an operation on `operands` computes in and returns."""
    with_axes = [v.precision for v in operands if isinstance(v, Value) and v.rank]
    scalars = [v for v in operands if isinstance(v, Value) and not v.rank]
    without = [v.precision for v in scalars if not v.is_number]
    numbers = [NUMBERS[category(v.precision)] for v in scalars if v.is_number]
    numbers += [of_number(v) for v in operands if not isinstance(v, Value)]
    result: Precision | None = None
    for rank in (with_axes, without, numbers):
        if not rank:
            continue
        found = functools.reduce(promote_types, rank)
        if result is None:
            result = found
        elif category(found) > category(result):
            result = _raise_category(result, found, is_number=rank is numbers)
    if result is None:
        raise BadType("an operation without operands")
    return result


def _raise_category(base: Precision, found: Precision, *, is_number: bool) -> Precision:
    """An operand of lower rank and higher category; floats stay what they are in complex."""
    if category(found) == 3 and base in (*HALVES, Precision.FLOAT32, Precision.FLOAT64):
        return complex_of(base)
    if is_number and category(found) == 2:
        return DEFAULT_FLOAT
    return found


def of_number(number: Number) -> Precision:
    """What a Python number is among numbers."""
    for kind, precision in zip((bool, int, float, complex), NUMBERS, strict=True):
        if isinstance(number, kind):
            return precision
    raise BadType(f"{number!r} where a tensor or a number is needed")


def promote_types(a: Precision, b: Precision) -> Precision:
    """The smallest precision for two tensors of one rank; torch.promote_types."""
    if a == b:
        return a
    if category(a) != category(b):
        low, high = sorted((a, b), key=category)
        if category(high) == 3 and category(low) == 2:
            return promote_types(complex_of(low), high)
        return high
    if a in COMPLEX:
        return Precision.COMPLEX128
    if a.is_float:
        if {a, b} == set(HALVES):
            return Precision.FLOAT32
        return max(a, b, key=lambda p: p.dtype.itemsize)
    return _integers(a, b)


def _integers(a: Precision, b: Precision) -> Precision:
    if (a in SIGNED) == (b in SIGNED):
        return max(a, b, key=lambda p: p.dtype.itemsize)
    signed, unsigned = (a, b) if a in SIGNED else (b, a)
    if unsigned is not Precision.UINT8:
        raise BadType(f"PyTorch has no common type of {a.name.lower()} and {b.name.lower()}")
    return signed if signed.dtype.itemsize > 1 else Precision.INT16


def complex_of(precision: Precision) -> Precision:
    """The complex type whose parts are `precision`, or of the next size that exists."""
    return Precision.COMPLEX128 if precision == Precision.FLOAT64 else Precision.COMPLEX64


def real_of(precision: Precision) -> Precision:
    """The type of the parts of a complex type; of others, itself."""
    return {
        Precision.COMPLEX64: Precision.FLOAT32,
        Precision.COMPLEX128: Precision.FLOAT64,
    }.get(precision, precision)


def to_value(operand: Operand, precision: Precision, model: Model) -> Value:
    """An operand as a tensor of `precision`; numbers become constants without axes."""
    if isinstance(operand, Value):
        return operand.cast(precision)
    return model.constant(_wrap(operand, precision), precision.dtype)


def _wrap(number: Number, precision: Precision) -> Number:
    """A number for an integer type loses its fraction, and wraps, as a cast does."""
    if not precision.is_integer or isinstance(number, complex):
        return number
    bits = 8 * precision.dtype.itemsize
    wrapped = int(number) % (1 << bits)
    return wrapped - (1 << bits) if precision in SIGNED and wrapped >> (bits - 1) else wrapped


def promote(*operands: Operand) -> list[Value]:
    """The operands in their common precision; one of them at least is a tensor."""
    return promote_to(common_precision(*operands), *operands)


def promote_to(precision: Precision, *operands: Operand) -> list[Value]:
    """The operands as tensors of one precision."""
    model = model_of(operands)
    return [to_value(v, precision, model) for v in operands]


def model_of(operands: Sequence[Operand]) -> Model:
    """The model of the tensors among operands."""
    for operand in operands:
        if isinstance(operand, Value):
            return operand.model
    raise BadType("an operation on numbers alone")


def promote_to_float(*operands: Operand) -> list[Value]:
    """As `promote`; integers and bools become the default float, as in division or exp."""
    precision = common_precision(*operands)
    return promote_to(precision if category(precision) >= 2 else DEFAULT_FLOAT, *operands)
