"""ATen arithmetic on two operands."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import binary
from nnir.types import Precision

from ..table import Table
from .promotion import Number, Operand, common, promoted, promoted_to

table = Table()


def scaled(other: Operand, alpha: Number, precision: Precision) -> Operand:
    """`other * alpha`, in the precision that the sum will have."""
    if alpha == 1:
        return other
    if isinstance(other, Value):
        return binary.mul(*promoted_to(precision, other, alpha))
    return other * alpha


@table.convert("aten.add.Tensor", "aten.add.Scalar")
def add(self: Value, other: Operand, *, alpha: Number = 1) -> Value:
    precision = common(self, other)
    return binary.add(*promoted_to(precision, self, scaled(other, alpha, precision)))


@table.convert("aten.mul.Tensor", "aten.mul.Scalar")
def mul(self: Value, other: Operand) -> Value:
    return binary.mul(*promoted(self, other))
