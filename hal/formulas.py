"""Arithmetic and comparison on a driver's results, which read like the formulas they stand for."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self


class Formula:
    """What stands for a result of a device, with Python's symbols for what the device computes.

    A Python number beside a result takes its precision. `==` stays what it is for names and keys.
    """

    __slots__ = ()

    @abstractmethod
    def apply(self, symbol: str, *operands: Self | float) -> Self:
        """What a symbol makes of operands; this result is one of them."""

    def __add__(self, other: Any) -> Self:
        return self.apply("+", self, other)

    def __radd__(self, other: Any) -> Self:
        return self.apply("+", other, self)

    def __sub__(self, other: Any) -> Self:
        return self.apply("-", self, other)

    def __rsub__(self, other: Any) -> Self:
        return self.apply("-", other, self)

    def __mul__(self, other: Any) -> Self:
        return self.apply("*", self, other)

    def __rmul__(self, other: Any) -> Self:
        return self.apply("*", other, self)

    def __truediv__(self, other: Any) -> Self:
        return self.apply("/", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self.apply("/", other, self)

    def __mod__(self, other: Any) -> Self:
        return self.apply("%", self, other)

    def equal(self, other: Self | float) -> Self:
        """Whether each element equals that of another result, or a number."""
        return self.apply("==", self, other)

    def unequal(self, other: Self | float) -> Self:
        """Whether each element differs from that of another result, or a number."""
        return self.apply("!=", self, other)

    def __lt__(self, other: Any) -> Self:
        return self.apply("<", self, other)

    def __gt__(self, other: Any) -> Self:
        return self.apply(">", self, other)

    def __le__(self, other: Any) -> Self:
        return self.apply("<=", self, other)

    def __ge__(self, other: Any) -> Self:
        return self.apply(">=", self, other)

    def __and__(self, other: Any) -> Self:
        return self.apply("&", self, other)

    def __or__(self, other: Any) -> Self:
        return self.apply("|", self, other)

    def __xor__(self, other: Any) -> Self:
        return self.apply("^", self, other)

    def __invert__(self) -> Self:
        return self.apply("~", self)

    def __neg__(self) -> Self:
        return self.apply("neg", self)

    def __abs__(self) -> Self:
        return self.apply("abs", self)
