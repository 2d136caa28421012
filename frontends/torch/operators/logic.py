"""ATen logical and bitwise operators."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import logic
from nnir.recipes.promotion import Operand, promote
from nnir.types import Precision

from ...table import Table

table = Table()


def _logical(name: str, operator: Operator) -> None:
    @table.convert(f"aten.logical_{name}.default")
    def convert(self: Value, other: Value) -> Value:
        return operator(self.cast(Precision.BOOL8), other.cast(Precision.BOOL8))


def _bitwise(name: str, of_integers: Operator, of_bools: Operator) -> None:
    overloads = (f"aten.bitwise_{name}.{o}" for o in ("Tensor", "Scalar", "Scalar_Tensor"))

    @table.convert(*overloads)
    def convert(self: Operand, other: Operand) -> Value:
        operands = promote(self, other)
        is_bool = operands[0].precision == Precision.BOOL8
        return (of_bools if is_bool else of_integers)(*operands)


for _name, _integers, _bools in (
    ("and", logic.bitwise_and, logic.and_),
    ("or", logic.bitwise_or, logic.or_),
    ("xor", logic.bitwise_xor, logic.xor),
):
    _logical(_name, _bools)
    _bitwise(_name, _integers, _bools)


@table.convert(
    *("aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift.Tensor_Scalar"),
    *("aten.bitwise_left_shift.Scalar_Tensor", "aten.__lshift__.Scalar"),
)
def left_shift(self: Operand, other: Operand) -> Value:
    return logic.bit_shift(*promote(self, other), left=True)


@table.convert(
    *("aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift.Tensor_Scalar"),
    *("aten.bitwise_right_shift.Scalar_Tensor", "aten.__rshift__.Scalar"),
)
def right_shift(self: Operand, other: Operand) -> Value:
    return logic.bit_shift(*promote(self, other), left=False)
