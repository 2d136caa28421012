"""What loops carry and branches exchange: tensors, and what a tensor stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from nnir.build import Size
from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import compare, reduce, shape, unary
from nnir.types import Precision

from .source import SourceGraph
from .translate import Translator


class Carried(ABC):
    """What is no tensor and passes through loops and branches, such as a list of tensors.

    It is immutable, and `tensor` stands for it in a sub-model.
    """

    is_unwritten = False
    """Whether nothing was written to it, so that the shape of its elements is open."""

    @property
    @abstractmethod
    def tensor(self) -> Value | None:
        """The tensor that stands for it; None before `settle`."""

    @abstractmethod
    def with_tensor(self, tensor: Value) -> Carried:
        """The same kind of thing with another tensor."""

    @abstractmethod
    def settled(self, translator: Translator) -> Carried:
        """As one tensor, where that is possible."""

    @abstractmethod
    def begun(self, element: Sequence[Size], translator: Translator) -> Carried:
        """What was not written to, with elements of a known shape."""


def settle(entry: Any, translator: Translator) -> Any:
    """An entry as one tensor, where it may be one."""
    return entry.settled(translator) if isinstance(entry, Carried) else entry


def is_unwritten(entry: Any) -> bool:
    """Whether an entry waits for the shape of its elements."""
    return isinstance(entry, Carried) and entry.is_unwritten


def is_written(entry: Any) -> bool:
    """Whether an entry is no tensor and has elements of a known shape."""
    return isinstance(entry, Carried) and not entry.is_unwritten


def tensor_of(entry: Any) -> Value | None:
    """The tensor that stands for an entry; None for a variable or the handle of an array."""
    if isinstance(entry, Carried):
        return entry.tensor
    return entry if isinstance(entry, Value) else None


def like(entry: Any, tensor: Value | None) -> Any:
    """An entry of the same kind with another tensor."""
    if tensor is None:
        return entry
    return entry.with_tensor(tensor) if isinstance(entry, Carried) else tensor


def made_alike(entry: Any, other: Any, translator: Translator) -> Any:
    """What was not written to, with elements of the shape of what it stands for."""
    if not is_unwritten(entry) or not is_written(other):
        return entry
    rows = other.tensor
    element = [d for d in rows.shape[1:] if not isinstance(d, Expr)]
    if len(element) + 1 < rows.rank:
        raise Unsupported(f"branches that give a list of {rows.type} and one without elements")
    return entry.begun(element, translator)


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


def inline(translator: Translator, graph: SourceGraph, inputs: Sequence[Any]) -> list[Any]:
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
