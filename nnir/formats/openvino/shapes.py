"""Sizes that may be open within bounds, and shapes of them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...errors import NoLowering


class Dimension:
    """A size from `low` to `high`, which is infinite where nothing bounds it.

    It is written as in OpenVINO: `Dimension(3)`, `Dimension(1, 5)`, with -1 for no bound.
    """

    __slots__ = ("high", "low")

    def __init__(self, low: float = -1, high: float | None = None) -> None:
        if high is None:
            high = low
        self.low = max(int(low), 0)
        self.high: float = math.inf if high in (-1, math.inf) else int(high)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dimension) and (self.low, self.high) == (other.low, other.high)

    def __hash__(self) -> int:
        return hash((self.low, self.high))

    @property
    def is_static(self) -> bool:
        return self.low == self.high

    @property
    def is_dynamic(self) -> bool:
        return self.low != self.high

    def get_length(self) -> int:
        """The size, which must be known."""
        if self.is_dynamic:
            raise NoLowering(f"openvino: a size is {self}, not known")
        return self.low

    def __str__(self) -> str:
        if self.is_static:
            return str(self.low)
        if (self.low, self.high) == (0, math.inf):
            return "?"
        return f"{self.low or ''}..{'' if self.high == math.inf else self.high}"

    __repr__ = __str__

    def holds(self, size: int) -> bool:
        """Whether it may be a size."""
        return self.low <= size <= self.high

    def __add__(self, other: Dimension | int) -> Dimension:
        a = of(other)
        return span(self.low + a.low, self.high + a.high)

    def __sub__(self, other: Dimension | int) -> Dimension:
        a = of(other)
        return span(0 if a.high == math.inf else self.low - a.high, self.high - a.low)

    def __mul__(self, other: Dimension | int) -> Dimension:
        a = of(other)
        return span(self.low * a.low, self.high * a.high if self.high and a.high else 0)

    def over(self, step: int, *, ceil: bool = False) -> Dimension:
        """How many steps it has."""
        extra = step - 1 if ceil else 0
        return span((self.low + extra) // step, (self.high + extra) // step)

    def up_to(self) -> Dimension:
        """What is not larger."""
        return span(0, self.high)


def span(low: float, high: float) -> Dimension:
    """A size between two bounds; what is below 0 is 0."""
    made = Dimension(0)
    made.low = max(int(low), 0)
    made.high = math.inf if high == math.inf or math.isnan(high) else max(int(high), 0)
    return made


def of(size: Dimension | int) -> Dimension:
    """A number as a size; -1 is open."""
    return size if isinstance(size, Dimension) else Dimension(size)


OPEN = Dimension()


class PartialShape(tuple[Dimension, ...]):
    """The sizes of a tensor of known rank."""

    def __new__(cls, sizes: Iterable[Dimension | int] = ()) -> PartialShape:
        return super().__new__(cls, map(of, sizes))

    @property
    def rank(self) -> Dimension:
        """The number of axes, as a size."""
        return Dimension(len(self))

    @property
    def is_static(self) -> bool:
        return all(d.is_static for d in self)

    def __str__(self) -> str:
        return ",".join(map(str, self))

    def count(self) -> Dimension:  # type: ignore[override]  # of the elements, not of one of them
        """How many elements there are."""
        made = Dimension(1)
        for size in self:
            made = made * size
        return made


def merge(a: Dimension, b: Dimension, what: str) -> Dimension:
    """What two sizes that are the same can be; NoLowering where they cannot."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low > high:
        raise NoLowering(f"openvino: {what} have sizes {a} and {b}, which must be the same")
    return span(low, high)


def broadcast_size(a: Dimension, b: Dimension, what: str) -> Dimension:
    """The size that two become, of which one may be 1."""
    if a.holds(1) and b.holds(1):
        return span(min(a.low, b.low), max(a.high, b.high))
    if a.holds(1):
        return b
    return a if b.holds(1) else merge(a, b, what)


def broadcast(a: PartialShape, b: PartialShape, what: str) -> PartialShape:
    """The shape of two that broadcast as in NumPy."""
    rank = max(len(a), len(b))
    left, right = ([Dimension(1)] * (rank - len(s)) + list(s) for s in (a, b))
    return PartialShape(broadcast_size(x, y, what) for x, y in zip(left, right, strict=True))
