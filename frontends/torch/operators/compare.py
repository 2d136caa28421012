"""ATen comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare
from nnir.recipes.promotion import Operand, common_precision, promote, to_value
from nnir.types import Precision

from ...table import Table

table = Table()


def _comparison(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.Tensor", f"aten.{name}.Scalar")
    def convert(self: Value, other: Operand) -> Value:
        return operator(*promote(self, other))


for _name, _operator in {
    "eq": compare.equal,
    "ge": compare.greater_equal,
    "gt": compare.greater,
    "le": compare.less_equal,
    "lt": compare.less,
    "ne": compare.not_equal,
}.items():
    _comparison(_name, _operator)


@table.convert(
    *("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf", "aten.where.Scalar")
)
def where(condition: Value, self: Operand, other: Operand) -> Value:
    precision = common_precision(self, other)
    operands = (to_value(v, precision, condition.model) for v in (self, other))
    return compare.where(condition.cast(Precision.BOOL8), *operands)
