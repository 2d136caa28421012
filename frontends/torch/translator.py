"""The translator of PyTorch graphs: arguments by name, lists of results, declared types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.errors import BadModel
from nnir.model import Value
from nnir.ops import unary
from nnir.types import TensorType

from ..named import NamedTranslator
from ..source import SourceNode
from ..table import Converter
from ..translate import Dialect
from .aliases import canonical

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
            results = tuple(numbered(v) for v in results)
        for value, declared in zip(results, node.types, strict=False):
            if declared is not None and isinstance(value, Value):
                _require_declared(node, value.type, declared)
        return results


def numbered(value: Any) -> Any:
    """A result that is a number in PyTorch; a value of its own, as tensors keep what they are."""
    if not isinstance(value, Value):
        return value
    known = value.constant
    number = unary.assign(value) if known is None else value.model.constant(known)
    number.is_number = True
    return number


def _require_declared(node: SourceNode, found: TensorType, declared: TensorType) -> None:
    """The program says the type of every tensor; where ours differs, one of both is wrong."""
    fits = found.precision == declared.precision and found.rank == declared.rank
    pairs = zip(found.shape, declared.shape, strict=False)
    if not fits or any(a != b and isinstance(a, int) and isinstance(b, int) for a, b in pairs):
        raise BadModel(f"{node.op} gives {found}, the program says {declared}")
