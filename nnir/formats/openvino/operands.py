"""What an operand of an operator may be: element types and how many axes, as annotations."""

from __future__ import annotations

from typing import Annotated

from ...errors import NoLowering
from ...records import dataclass
from .elements import TYPES, Type
from .graph import Output

MANY = 1 << 10
REAL = frozenset(t for t in TYPES.values() if t.is_real)
WHOLE = frozenset(t for t in TYPES.values() if t.is_integral)
NUMBERS = REAL | WHOLE
PLACES = frozenset({TYPES["i32"], TYPES["i64"]})


@dataclass(frozen=True)
class Operand:
    """Of which types an operand may be, and from how many to how many axes it has."""

    types: frozenset[Type]
    least: int = 0
    most: int = MANY

    def require(self, name: str, key: str, given: Output) -> None:
        """NoLowering for an output that is none of these."""
        if given.type not in self.types:
            found = f"{name} takes no {given.type.name} as {key}"
            wanted = ", ".join(sorted(t.name for t in self.types))
            raise NoLowering(f"openvino: {found}, only {wanted}")
        if not self.least <= len(given.shape) <= self.most:
            found = f"{name} takes no {key} of {len(given.shape)} axes"
            ranks = self.least if self.least == self.most else f"{self.least} to {self.most}"
            raise NoLowering(f"openvino: {found}, only of {ranks}")


Number = Annotated[Output, Operand(NUMBERS)]
Real = Annotated[Output, Operand(REAL)]
Truth = Annotated[Output, Operand(frozenset({TYPES["boolean"]}))]
Line = Annotated[Output, Operand(NUMBERS, 1, 1)]
Alone = Annotated[Output, Operand(NUMBERS, 0, 0)]
"""One number, without an axis."""

Some = Annotated[Output, Operand(NUMBERS, 0, 1)]
"""One number, which may have an axis."""

SomeReal = Annotated[Output, Operand(REAL, 0, 1)]
Whole = Annotated[Output, Operand(WHOLE)]
Vector = Annotated[Output, Operand(WHOLE, 1, 1)]
"""Sizes, positions or axes."""

Axes = Annotated[Output, Operand(WHOLE, 0, 1)]
Place = Annotated[Output, Operand(PLACES, 0, 1)]
"""Axes or positions of the types that have them everywhere."""

Places = Annotated[Output, Operand(PLACES)]
PlaceVector = Annotated[Output, Operand(PLACES, 1, 1)]
Count = Annotated[Output, Operand(WHOLE, 0, 0)]

Matrix = Annotated[Output, Operand(REAL, 2, 2)]
Cube = Annotated[Output, Operand(REAL, 3, 3)]
Image = Annotated[Output, Operand(NUMBERS, 4, 4)]
Planes = Annotated[Output, Operand(NUMBERS, 3, 5)]
Channels = Annotated[Output, Operand(NUMBERS, 2)]
