"""The translator of PyTorch graphs: arguments by name, lists of results, declared types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.errors import BadModel, Unsupported
from nnir.model import Value
from nnir.ops import unary
from nnir.types import TensorType

from .. import named
from ..source import Ref, SourceNode
from ..table import Converter, Withheld
from ..translate import Dialect, Translator
from .aliases import canonical

NUMBERS = ("_operator.", "math.", "torch.", "aten.sym_", "aten.item.", "aten._local_scalar_dense.")
"""Operators whose results are numbers: sizes, and elements that are read."""


class TorchDialect(Dialect):
    """Finds the converter of an operator that has two names."""

    def find(self, op: str, versions: Mapping[str, int]) -> Converter | None:
        return super().find(canonical(op), versions)


class TorchTranslator(Translator):
    """Translates graphs whose nodes name all of their arguments."""

    memory: tuple[int, ...] | None = None
    """Of the node that is converted: see `SourceNode.memory`."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        arguments = {k: self.resolved(a) for k, a in node.attributes.items()}
        self.memory = node.memory
        result = named.call(converter, self, arguments, len(node.outputs))
        results = flat(result)
        if node.op.startswith(NUMBERS):
            results = [numbered(v) for v in results]
        for value, declared in zip(results, node.types, strict=False):
            if declared is not None and isinstance(value, Value):
                _require_declared(node, value.type, declared)
        return tuple(results)

    def resolved(self, argument: Any) -> Any:
        """An argument with values for names."""
        if isinstance(argument, Ref):
            entry = self.read(argument)
            if isinstance(entry, Withheld):
                raise Unsupported(f"a program that reads {entry.what}")
            return entry
        if isinstance(argument, list):
            return [self.resolved(a) for a in argument]
        return argument


def numbered(value: Any) -> Any:
    """A result that is a number in PyTorch; a value of its own, as tensors keep what they are."""
    if not isinstance(value, Value):
        return value
    known = value.constant
    number = unary.assign(value) if known is None else value.model.constant(known)
    number.is_number = True
    return number


def flat(result: Any) -> list[Any]:
    """Results in order; a list of tensors counts as so many."""
    if isinstance(result, (list, tuple)):
        return [r for part in result for r in flat(part)]
    return [result]


def _require_declared(node: SourceNode, found: TensorType, declared: TensorType) -> None:
    """The program says the type of every tensor; where ours differs, one of both is wrong."""
    fits = found.precision == declared.precision and found.rank == declared.rank
    pairs = zip(found.shape, declared.shape, strict=False)
    if not fits or any(a != b and isinstance(a, int) and isinstance(b, int) for a, b in pairs):
        raise BadModel(f"{node.op} gives {found}, the program says {declared}")
