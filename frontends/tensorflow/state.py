"""What loops carry and branches exchange: tensors, lists as one tensor, and what never changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import compare, reduce, shape, unary
from nnir.types import Precision

from ..source import SourceGraph
from ..translate import Translator
from .listed import List, Reserved, StackedList


def settled(entry: Any, translator: Translator) -> Any:
    """An entry with a list as one tensor, where it may be one."""
    return entry.settled(translator) if isinstance(entry, List) else entry


def tensor_of(entry: Any) -> Value | None:
    """The tensor that stands for an entry; None for a variable or the handle of an array."""
    if isinstance(entry, StackedList):
        return entry.rows
    if isinstance(entry, Reserved):
        return entry.size
    return entry if isinstance(entry, Value) else None


def like(entry: Any, tensor: Value | None) -> Any:
    """An entry of the same kind with another tensor."""
    if tensor is None:
        return entry
    if isinstance(entry, StackedList):
        return StackedList(tensor, entry.element)
    return replace(entry, size=tensor) if isinstance(entry, Reserved) else tensor


def made_alike(entry: Any, other: Any, translator: Translator) -> Any:
    """A list that nothing was written to, as one tensor like the list that it stands for."""
    if not isinstance(entry, Reserved) or not isinstance(other, StackedList):
        return entry
    element = [d for d in other.rows.shape[1:] if not isinstance(d, Expr)]
    if len(element) + 1 < other.rows.rank:
        raise Unsupported(
            f"branches that give a list of {other.rows.type} and one without elements"
        )
    return entry.of(element, translator)


def tensor_places(first: Sequence[Any], second: Sequence[Any]) -> list[int]:
    """Where two sides of a conditional give tensors; what is none must be the same in both."""
    found = []
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        if type(a) is type(b) and tensor_of(a) is not None:
            found.append(place)
        elif a != b:
            raise Unsupported("branches that give different things, such as two arrays")
    return found


def require_tensor(entry: Any, what: str) -> Value:
    """The tensor of an entry that has one."""
    found = tensor_of(entry)
    if found is None:
        raise Unsupported(f"{what} that gives no tensor")
    return found


def inlined(translator: Translator, graph: SourceGraph, inputs: Sequence[Any]) -> list[Any]:
    """The outputs of a graph in the current model; variables keep their names in it."""
    names = [v.name for v in graph.inputs]
    return translator.inline(graph, dict(zip(names, inputs, strict=True)))


def truth(value: Value) -> Value:
    """A condition: a number is one when it is not 0, a tensor with axes when it has elements."""
    if value.rank:
        sizes = shape.shape(value, dtype=Precision.INT64)
        value = reduce.reduce_prod(sizes, [0], keepdim=False)
    return value if value.precision == Precision.BOOL8 else compare.not_equal(value, 0)


def fresh(values: Sequence[Value]) -> list[Value]:
    """Values that a sub-model makes: an input that is passed on is copied."""
    return [unary.assign(v) if v.producer is None else v for v in values]
