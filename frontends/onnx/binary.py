"""ONNX elementwise arithmetic on two tensors."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import binary
from nnir.operator import Operator

from ..table import Table

table = Table()


def _arithmetic(name: str, operator: Operator) -> None:
    """The ONNX operator has no fuse code, and before opset 7 an explicit broadcast."""

    @table.convert(name, since=7)
    def convert(a: Value, b: Value) -> Value:
        return operator(a, b)


for _name, _operator in {
    "Add": binary.add,
    "Div": binary.div,
    "Mul": binary.mul,
    "Sub": binary.sub,
}.items():
    _arithmetic(_name, _operator)
