"""A driver's walk over a model: every operation by its lowering, else by its decomposition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from nnir.errors import FAILURES, NNAdapterError, NoLowering, summary, told
from nnir.model import Model, Operation, Value

from .lowering import Lowerings

R = TypeVar("R")

STEP = "device='builtin' runs every operator"
"""What to do about operations that a device does not run."""


class Emission(ABC, Generic[R]):
    """A program in the making; `R` is what stands for an intermediate result.

    `names` are the results by identity of the value that they belong to. Sub-models have an
    emission of their own (`outer`), and the outermost (`root`) collects what cannot be emitted.
    """

    device: ClassVar[str]
    failures: ClassVar[tuple[type[Exception], ...]] = FAILURES
    """What a lowering may raise for operands that the device does not take."""

    def __init__(self, lowerings: Lowerings, outer: Emission[R] | None = None) -> None:
        self.lowerings = lowerings
        self.root: Emission[R] = outer.root if outer else self
        self.names: dict[int, R] = dict(outer.names) if outer else {}
        self.held: list[Any] = []
        self.problems: Counter[str] = Counter()

    @abstractmethod
    def ref(self, operand: Value | R | None) -> R | None:
        """The result that an operand stands for; constants are made on their first use."""

    @abstractmethod
    def stand_in(self, value: Value) -> R:
        """A result of the type of `value` that comes from elsewhere."""

    @abstractmethod
    def mark(self) -> Any:
        """How far the program is."""

    @abstractmethod
    def undo(self, mark: Any) -> None:
        """Drop what was emitted since `mark`."""

    def typed(self, ref: R, value: Value) -> R:
        """The result of a lowering as the one of `value`."""
        return ref

    def lower(self, operation: Operation) -> None:
        """Emit one operation by its lowering, else by its decomposition."""
        lowering = self.lowerings.find(operation.operator)
        mark = self.mark()
        try:
            if lowering is None:
                raise NoLowering(f"{self.device} has no lowering for {operation.operator.name}")
            results = lowering(self, *operation.inputs, **operation.attributes)
            made = results if isinstance(results, (tuple, list)) else (results,)
            refs = [self.ref(r) for r in made]
        except self.failures as error:  # what it did not foresee, it cannot emit
            self.undo(mark)
            refs = [self.ref(r) for r in self._decompose(operation, error)]
        for value, ref in zip(operation.outputs, refs, strict=False):
            if ref is not None:
                self.names[id(value)] = self.typed(ref, value)
        self.held.append(operation)

    def _decompose(self, operation: Operation, error: Exception) -> Sequence[Value | R | None]:
        decomposition = operation.operator.decomposition
        if decomposition is None:
            return self._give_up(operation, error)
        inner = Model()
        outer: Model | None = operation.outputs[0].model
        while outer is not None:  # what is fresh in `inner` must differ from sizes of the operands
            inner.symbols.update(outer.symbols)
            outer = outer.outer
        values: list[Value | None] = []
        for value in operation.inputs:
            if value is None:
                values.append(None)
            elif value.constant is not None:
                values.append(inner.constant(value.constant, name=value.name))
            else:
                copy = inner.input(value.name or "", value.type)
                found = self.ref(value)
                self.names[id(copy)] = self.stand_in(value) if found is None else found
                values.append(copy)
        try:
            results = decomposition(*values, **operation.attributes)
        except FAILURES as second:
            return self._give_up(operation, second)
        self.held.append(inner)
        for step in inner.sorted():
            self.lower(step)
        return results if isinstance(results, tuple) else (results,)

    def _give_up(self, operation: Operation, error: Exception) -> Sequence[Value | R | None]:
        text = (
            error
            if isinstance(error, NNAdapterError)
            else NoLowering(f"{self.device} cannot run {operation.operator.name}: {told(error)}")
        )
        self.root.problems[summary(text)] += 1
        return [self.stand_in(v) for v in operation.outputs]


def require_lowered(problems: Mapping[str, int], step: str = "") -> None:
    """NoLowering that lists every problem, with counts and a next step."""
    if problems:
        rows = "; ".join(f"{text} (x{count})" for text, count in problems.items())
        raise NoLowering(f"{rows}; {step or STEP}")


def refusal(operation: Operation, begin: Callable[[], Emission[Any]]) -> str | None:
    """Why an operation cannot be emitted by itself or decomposed; None where it can.

    `begin` makes an emission for it alone.
    """
    emission = begin()
    for value in operation.inputs:
        if value is not None and value.constant is None:
            emission.names[id(value)] = emission.stand_in(value)
    emission.lower(operation)
    return "; ".join(emission.problems) or None
