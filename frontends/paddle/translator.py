"""The translator of Paddle's programs: arguments by name, declared types."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nnir.errors import BadModel
from nnir.model import Value
from nnir.types import TensorType

from ..named_arguments import NamedTranslator, require_declared
from ..source import SourceModel, SourceNode
from ..table import Converter
from ..translate import Dialect
from .operators.arrays import Undefined
from .reading.inplace import written_names
from .reading.opdefs import defaults_of

MISDECLARED = frozenset({"equal_all", "matrix_rank", "slogdet", "unique"})
"""Operators whose results a program declares with another type or shape than they have."""


class PaddleTranslator(NamedTranslator):
    """Holds results against the types that the program declares.

    Where these are wrong, so are those of what is made of the results: `doubted`.
    """

    def __init__(self, dialect: Dialect, source: SourceModel) -> None:
        super().__init__(dialect, source)
        self.doubted: set[Value] = set()

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        undefined = undefined_of(node)
        if undefined is not None:
            return (undefined,)
        results = super().bind(converter, complete(node, converter), entries)
        for name, value, declared in zip(node.outputs, results, node.types, strict=False):
            if name and declared is not None and isinstance(value, Value):
                self._check(node, value, declared, entries)
        for name, place in written_names(node):
            if place < len(results) and results[place] is not None:
                self.scope[name] = results[place]
        return results

    def _check(
        self, node: SourceNode, value: Value, declared: TensorType, entries: Sequence[Any]
    ) -> None:
        """BadModel where the declared type is another one and there is no reason to doubt it."""
        try:
            require_declared(node, value.type, declared)
        except BadModel:
            read = {v for v in entries if isinstance(v, Value)}
            if node.op not in MISDECLARED and not read & self.doubted:
                raise
            self.doubted.add(value)


def complete(node: SourceNode, converter: Converter) -> SourceNode:
    """A node with the arguments that it leaves out and its converter takes."""
    stated = taken_defaults(node.op, converter)
    if stated.keys() <= node.attributes.keys():  # as most
        return node
    left = {n: v for n, v in stated.items() if n not in node.attributes}
    return replace(node, attributes={**node.attributes, **left})


@functools.cache
def taken_defaults(op: str, converter: Converter) -> Mapping[str, Any]:
    """The defaults of an operator's arguments that its converter takes."""
    taken = {n.removesuffix("_") for n in converter.parameters}
    return {n: v for n, v in defaults_of(op).items() if n in taken}


def undefined_of(node: SourceNode) -> Undefined | None:
    """What stands for a variable of Python that nothing was assigned to yet.

    It is a number in the program, but declared to be what it becomes later.
    """
    if node.op != "full" or node.attributes.get("shape") != []:
        return None
    declared = node.types[0] if node.types else None
    return Undefined(declared) if declared is not None and declared.rank else None
