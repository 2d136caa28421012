"""Arithmetic and comparison on values, which read like the formulas they stand for.

`(x - mean) * scale + shift` appends three operations to the model of `x`. A Python number beside a
value takes its precision. `==` stays identity, so that values are keys; see `compare.equal`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NoReturn, Self

from .types import Precision


@cache
def _meanings() -> Mapping[str, Callable[..., Any]]:
    """What the operator set says; it is made of values, so it is found when the first one asks."""
    found: Mapping[str, Callable[..., Any]] = import_module(".ops.symbols", __package__).MEANINGS
    return found


class Algebra:
    """Python's symbols as operators of the standard. The sides keep their order.

    Types: both sides of one precision, or one of them a Python number, which takes the other's.
    Shapes: broadcast as in NumPy.
    """

    __slots__ = ()
    __array_ufunc__ = None
    """NumPy's numbers and arrays leave the operation to the value."""

    def __add__(self, other: Any) -> Self:
        return _meanings()["add"](self, other)

    def __radd__(self, other: Any) -> Self:
        return _meanings()["add"](other, self)

    def __sub__(self, other: Any) -> Self:
        return _meanings()["sub"](self, other)

    def __rsub__(self, other: Any) -> Self:
        return _meanings()["sub"](other, self)

    def __mul__(self, other: Any) -> Self:
        return _meanings()["mul"](self, other)

    def __rmul__(self, other: Any) -> Self:
        return _meanings()["mul"](other, self)

    def __truediv__(self, other: Any) -> Self:
        """DIV: of integers, the quotient rounded toward zero."""
        return _meanings()["div"](self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return _meanings()["div"](other, self)

    def __floordiv__(self, other: Any) -> Self:
        """FLOOR_DIV: the quotient rounded down."""
        return _meanings()["floor_div"](self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return _meanings()["floor_div"](other, self)

    def __mod__(self, other: Any) -> Self:
        """MOD: the remainder, with the sign of the divisor."""
        return _meanings()["mod"](self, other)

    def __rmod__(self, other: Any) -> Self:
        return _meanings()["mod"](other, self)

    def __pow__(self, other: Any) -> Self:
        return _meanings()["pow"](self, other)

    def __rpow__(self, other: Any) -> Self:
        return _meanings()["pow"](other, self)

    def __neg__(self) -> Self:
        return _meanings()["neg"](self)

    def __abs__(self) -> Self:
        return _meanings()["abs"](self)

    def __invert__(self) -> Self:
        """NOT of truth values, every bit of integers."""
        return _meanings()["invert"](self)

    def __and__(self, other: Any) -> Self:
        """AND of truth values, of the bits of integers."""
        return _meanings()["and"](self, other)

    def __or__(self, other: Any) -> Self:
        """OR of truth values, of the bits of integers."""
        return _meanings()["or"](self, other)

    def __xor__(self, other: Any) -> Self:
        """XOR of truth values, of the bits of integers."""
        return _meanings()["xor"](self, other)

    def __lt__(self, other: Any) -> Self:
        return _meanings()["less"](self, other)

    def __le__(self, other: Any) -> Self:
        return _meanings()["less_equal"](self, other)

    def __gt__(self, other: Any) -> Self:
        return _meanings()["greater"](self, other)

    def __ge__(self, other: Any) -> Self:
        return _meanings()["greater_equal"](self, other)

    def __bool__(self) -> NoReturn:
        raise TypeError("what a value holds is known only while running: choose with `where`")

    def cast(self, precision: Precision) -> Self:
        """The elements in another precision; itself where that changes nothing."""
        return _meanings()["cast"](self, precision)

    def scalar(self, number: complex) -> Self:
        """A constant of rank 0 in this precision and this model."""
        return _meanings()["scalar"](self, number)

    def size(self, axis: int) -> Self:
        """The size of one axis as an int64 tensor of rank 0; a constant where it is known."""
        return _meanings()["size"](self, axis)
