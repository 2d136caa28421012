"""ONNX elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, shape
from nnir.recipes.binary import power

from ...table import Table

table = Table()
Binary = Callable[[Value, Value], Value]


def align_operand(a: Value, b: Value, axis: int | None, *, broadcast: bool) -> Value:
    """`b` as opsets before 7 lay it over `a`: at its end, or from `axis` on."""
    if not broadcast:
        known = not any(isinstance(d, Expr) for d in (*a.shape, *b.shape))
        if a.rank != b.rank or (known and a.shape != b.shape):
            raise BadType(f"{a.type} and {b.type} differ, and broadcast=0")
        return b
    if axis is None:
        return b
    start = axis_of(axis, a.rank, extra=1 if axis >= 0 else 0)
    after = a.rank - start - b.rank
    if after < 0:
        raise BadType(f"{b.type} from axis {axis} of {a.type}")
    return shape.unsqueeze(b, list(range(b.rank, b.rank + after))) if after else b


def apply_aligned(
    operator: Binary, a: Value, b: Value, *, axis: int | None = None, broadcast: bool = False
) -> Value:
    """Before opset 7 broadcasting is explicit."""
    return operator(a, align_operand(a, b, axis, broadcast=broadcast))


def apply_broadcasting(operator: Binary, a: Value, b: Value) -> Value:
    return operator(a, b)


def register_broadcasting(table: Table, operators: Mapping[str, Binary]) -> None:
    """The versions of operators on two tensors."""
    table.each(operators)(apply_aligned)
    table.each(operators, since=7)(apply_broadcasting)


register_broadcasting(
    table,
    {"Add": binary.add, "Div": binary.div, "Mul": binary.mul, "Sub": binary.sub, "Pow": power},
)
table.same({"Mod": binary.mod}, since=10)
table.same({"Sum": binary.sum_})


@table.each({"Max": binary.max_, "Min": binary.min_})
def fold(operator: Binary, first: Value, *others: Value) -> Value:
    return functools.reduce(operator, others, first)


@table.convert("Mean")
def mean(*data: Value) -> Value:
    return binary.sum_(*data) / len(data)
