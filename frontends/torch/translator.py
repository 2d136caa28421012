"""The translator of PyTorch graphs: arguments by name, lists of results, declared types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.model import Value
from nnir.ops import unary

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
        for value, declared in zip(results, node.types, strict=False):
            if declared is not None and isinstance(value, Value):
                require_declared(node, value.type, declared)
        return results


def mark_number(value: Any) -> Any:
    """A result that is a number in PyTorch; a value of its own, as tensors keep what they are."""
    if not isinstance(value, Value):
        return value
    known = value.constant
    number = unary.assign(value) if known is None else value.model.constant(known)
    number.is_number = True
    return number
