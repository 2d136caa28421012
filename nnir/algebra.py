"""Arithmetic and comparison on values, which read like the formulas they stand for.

`(x - mean) * scale + shift` appends three operations to the model of `x`. A Python number beside a
value takes its precision. `==` stays identity, so that values are keys; see `compare.equal`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Self

from .types import Precision

_MEANINGS: dict[str, Callable[..., Any]] = {}


def define(**meanings: Callable[..., Any]) -> None:
    """Say what the methods of `Algebra` append; the operator set does, once."""
    _MEANINGS.update(meanings)


class Algebra:
    """Python's symbols as operators of the standard. The sides keep their order.

    Types: both sides of one precision, or one of them a Python number, which takes the other's.
    Shapes: broadcast as in NumPy.
    """

    __slots__ = ()
    __array_ufunc__ = None
    """NumPy's numbers and arrays leave the operation to the value."""

    def __add__(self, other: Any) -> Self:
        return _MEANINGS["add"](self, other)

    def __radd__(self, other: Any) -> Self:
        return _MEANINGS["add"](other, self)

    def __sub__(self, other: Any) -> Self:
        return _MEANINGS["sub"](self, other)

    def __rsub__(self, other: Any) -> Self:
        return _MEANINGS["sub"](other, self)

    def __mul__(self, other: Any) -> Self:
        return _MEANINGS["mul"](self, other)

    def __rmul__(self, other: Any) -> Self:
        return _MEANINGS["mul"](other, self)

    def __truediv__(self, other: Any) -> Self:
        """DIV: of integers, the quotient rounded toward zero."""
        return _MEANINGS["div"](self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return _MEANINGS["div"](other, self)

    def __floordiv__(self, other: Any) -> Self:
        """FLOOR_DIV: the quotient rounded down."""
        return _MEANINGS["floor_div"](self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return _MEANINGS["floor_div"](other, self)

    def __mod__(self, other: Any) -> Self:
        """MOD: the remainder, with the sign of the divisor."""
        return _MEANINGS["mod"](self, other)

    def __rmod__(self, other: Any) -> Self:
        return _MEANINGS["mod"](other, self)

    def __pow__(self, other: Any) -> Self:
        return _MEANINGS["pow"](self, other)

    def __rpow__(self, other: Any) -> Self:
        return _MEANINGS["pow"](other, self)

    def __neg__(self) -> Self:
        return _MEANINGS["neg"](self)

    def __abs__(self) -> Self:
        return _MEANINGS["abs"](self)

    def __invert__(self) -> Self:
        """NOT of truth values, every bit of integers."""
        return _MEANINGS["invert"](self)

    def __and__(self, other: Any) -> Self:
        """AND of truth values, of the bits of integers."""
        return _MEANINGS["and"](self, other)

    def __or__(self, other: Any) -> Self:
        """OR of truth values, of the bits of integers."""
        return _MEANINGS["or"](self, other)

    def __xor__(self, other: Any) -> Self:
        """XOR of truth values, of the bits of integers."""
        return _MEANINGS["xor"](self, other)

    def __lt__(self, other: Any) -> Self:
        return _MEANINGS["less"](self, other)

    def __le__(self, other: Any) -> Self:
        return _MEANINGS["less_equal"](self, other)

    def __gt__(self, other: Any) -> Self:
        return _MEANINGS["greater"](self, other)

    def __ge__(self, other: Any) -> Self:
        return _MEANINGS["greater_equal"](self, other)

    def __bool__(self) -> NoReturn:
        raise TypeError("what a value holds is known only while running: choose with `where`")

    def cast(self, precision: Precision) -> Self:
        """The elements in another precision; itself where that changes nothing."""
        return _MEANINGS["cast"](self, precision)

    def scalar(self, number: complex) -> Self:
        """A constant of rank 0 in this precision and this model."""
        return _MEANINGS["scalar"](self, number)

    def size(self, axis: int) -> Self:
        """The size of one axis as an int64 tensor of rank 0; a constant where it is known."""
        return _MEANINGS["size"](self, axis)
