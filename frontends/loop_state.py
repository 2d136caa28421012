"""What loops carry and branches exchange: tensors, and what a tensor stands for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from nnir.build import Size
from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.ops import compare, reduce, shape, unary
from nnir.types import Precision

from .compound import Compound, unify
from .source import SourceGraph
from .translate import Translator


class Carried(Compound):
    """A list of tensors that one tensor stands for in a sub-model: `tensor`."""

    is_unwritten = False
    """Whether nothing was written to it, so that the shape of its elements is open."""

    @property
    @abstractmethod
    def tensor(self) -> Value | None:
        """The tensor that stands for it; None before `settle`."""

    @abstractmethod
    def with_tensor(self, tensor: Value) -> Carried:
        """The same kind of thing with another tensor."""

    @property
    def tensors(self) -> tuple[Value, ...]:
        return () if self.tensor is None else (self.tensor,)

    def of(self, tensors: Sequence[Value]) -> Carried:
        return self.with_tensor(*tensors)

    @property
    def description(self) -> object:
        return None

    def alike(self, other: Any) -> Carried:
        return self

    def adopt(self, entry: Any, model: Model) -> Any:
        return entry

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


def tensors_of(entry: Any) -> tuple[Value, ...]:
    """The tensors that an entry consists of; none of a variable or the handle of an array."""
    if isinstance(entry, Compound):
        return entry.tensors
    return (entry,) if isinstance(entry, Value) else ()


def like(entry: Any, tensors: Sequence[Value]) -> Any:
    """An entry of the same kind that consists of other tensors."""
    if not tensors:
        return entry
    return entry.of(tensors) if isinstance(entry, Compound) else tensors[0]


def made_alike(entry: Any, other: Any, translator: Translator) -> Any:
    """What was not written to, with elements of the shape of what it stands for."""
    if not is_unwritten(entry) or not is_written(other):
        return entry
    rows = other.tensor
    element = [d for d in rows.shape[1:] if not isinstance(d, Expr)]
    if len(element) + 1 < rows.rank:
        raise Unsupported(f"branches that give a list of {rows.type} and one without elements")
    return entry.begun(element, translator)


def made_one_kind(
    first: Sequence[Any], second: Sequence[Any], models: Sequence[Model]
) -> tuple[list[Any], list[Any]]:
    """What two sides of a conditional give, each in its model, so that both are of one kind and say
    the same of it."""
    sides: tuple[list[Any], list[Any]] = [], []
    for a, b in zip(first, second, strict=True):
        a = unify(a, b, models[0])
        b = unify(b, a, models[1])
        if isinstance(a, Compound) and type(a) is type(b):
            a, b = a.alike(b), b.alike(a)
        sides[0].append(a)
        sides[1].append(b)
    return sides


def tensor_places(first: Sequence[Any], second: Sequence[Any]) -> list[int]:
    """Where two sides of a conditional give tensors; what is none must be the same in both."""
    found = []
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        if type(a) is type(b) and tensors_of(a):
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
