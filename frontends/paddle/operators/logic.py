"""Paddle's logical and bitwise operators."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import logic, unary
from nnir.types import Precision

from ...table import Table

table = Table()


def _both(name: str, of_integers: Operator, of_bools: Operator) -> None:
    """The logical and the bitwise operator of a name."""

    @table.convert(f"logical_{name}", f"logical_{name}_")
    def logical(x: Value, y: Value) -> Value:
        return of_bools(x.cast(Precision.BOOL8), y.cast(Precision.BOOL8))

    @table.convert(f"bitwise_{name}", f"bitwise_{name}_")
    def bitwise(x: Value, y: Value) -> Value:
        return (of_bools if x.precision == Precision.BOOL8 else of_integers)(x, y)


_both("and", logic.bitwise_and, logic.and_)
_both("or", logic.bitwise_or, logic.or_)
_both("xor", logic.bitwise_xor, logic.xor)


@table.convert("bitwise_left_shift", "bitwise_left_shift_")
def left_shift(x: Value, y: Value, is_arithmetic: bool) -> Value:
    return logic.bit_shift(x, y, left=True)


UNSIGNED = {
    Precision.INT8: Precision.UINT8,
    Precision.INT16: Precision.UINT16,
    Precision.INT32: Precision.UINT32,
    Precision.INT64: Precision.UINT64,
}


@table.convert("bitwise_right_shift", "bitwise_right_shift_")
def right_shift(x: Value, y: Value, is_arithmetic: bool) -> Value:
    """A logical shift fills with zeros, as that of unsigned numbers does."""
    whole = UNSIGNED.get(x.precision)
    if is_arithmetic or whole is None:
        return logic.bit_shift(x, y, left=False)
    bits, places = (unary.bit_cast(v, dtype=whole) for v in (x, y))
    return unary.bit_cast(logic.bit_shift(bits, places, left=False), dtype=x.precision)
