"""The translator of PyTorch graphs: arguments by name, lists of results, declared types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import shape, unary
from nnir.types import TensorType

from ..named_arguments import NamedTranslator, require_declared
from ..source import SourceNode
from ..table import Converter
from ..translate import Dialect
from .reading.aliases import canonical

NUMBERS = ("_operator.", "math.", "torch.", "aten.sym_", "aten.item.", "aten._local_scalar_dense.")
"""Operators whose results are numbers: sizes, and elements that are read."""


class TorchDialect(Dialect):
    """Finds the converter of an operator that has two names."""

    def find(self, op: str, versions: Mapping[str, int]) -> Converter | None:
        return super().find(canonical(op), versions)


class TorchTranslator(NamedTranslator):
    """Marks what PyTorch has as numbers, and holds results against the types that are declared."""

    memory: tuple[int, ...] | None = None
    """Of the node that is converted: see `SourceNode.memory`."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        self.memory = node.memory
        results = super().bind(converter, node, entries)
        if node.op.startswith(NUMBERS):
            results = tuple(mark_number(v) for v in results)
        declared = (*node.types, *[None] * len(results))
        return tuple([hold(node, v, t) for v, t in zip(results, declared, strict=False)])


def hold(node: SourceNode, value: Any, declared: TensorType | None) -> Any:
    """A result with the sizes that the program knows and its operands do not say.

    The first of n elements are one where an export takes for granted that there is one, as all do.
    """
    if declared is None or not isinstance(value, Value) or value.type == declared:
        return value
    require_declared(node, value.type, declared)
    pairs = list(zip(value.shape, declared.shape, strict=True))
    if not any(isinstance(a, Expr) and isinstance(b, int) for a, b in pairs):
        return value
    return shape.reshape(value, [b if isinstance(b, int) else 0 for _, b in pairs])


def mark_number(value: Any) -> Any:
    """A result that is a number in PyTorch; a value of its own, as tensors keep what they are."""
    if not isinstance(value, Value):
        return value
    known = value.constant
    number = unary.assign(value) if known is None else value.model.constant(known)
    number.is_number = True
    return number
