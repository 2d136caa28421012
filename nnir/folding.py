"""The value of what can be computed while converting, without changing the model."""

from __future__ import annotations

import math

import numpy as np

from .budget import MOST_STEPS, STEPS
from .errors import NNAdapterError
from .evaluate import run_operation
from .model import Model, Operation, Value
from .types import Precision, TensorType

LIMIT = 1 << 24
WORK = 1 << 29
"""Bytes that may be read and made, besides twice what the constants themselves take."""


class Folder:
    """Computes constants on demand, each operation once.

    A result above `limit` bytes is only computed when it is not larger than what it is made from,
    and in all no more is computed than a file of this size could honestly ask for. `of_doubles`: a
    limit of its own for what is FLOAT64. What the operators of the names in `kept` give is never
    computed.
    """

    def __init__(
        self, limit: int = LIMIT, kept: frozenset[str] = frozenset(), *, of_doubles: int = 0
    ) -> None:
        self.limit, self.of_doubles = limit, of_doubles
        self.kept = kept
        self._memory: dict[Operation, tuple[np.ndarray, ...] | None] = {}
        self._left = WORK
        self._steps = MOST_STEPS
        self._sources: dict[int, np.ndarray] = {}

    def constant_of(self, value: Value) -> np.ndarray | None:
        """The data of `value`, or None when it is only known while running."""
        if (known := value.known) is not None or value.producer is None:
            return known
        results = self._run(value.producer)
        return None if results is None else results[value.index]

    def _run(self, last: Operation) -> tuple[np.ndarray, ...] | None:
        stack = [last]
        while stack:
            operation = stack[-1]
            if operation in self._memory:
                stack.pop()
                continue
            waiting = [
                v.producer
                for v in operation.inputs
                if v is not None
                and v.producer is not None
                and v.producer not in self._memory
                and v.known is None
            ]
            if waiting:
                stack.extend(waiting)
            else:
                self._memory[operation] = self._compute(operation)
                stack.pop()
        return self._memory[last]

    def _compute(self, operation: Operation) -> tuple[np.ndarray, ...] | None:
        arrays: list[np.ndarray | None] = []
        for value in operation.inputs:
            array = None if value is None else self._ready(value)
            if array is None and value is not None:
                return None
            arrays.append(array)
        operator = operation.operator
        if operation.models or operator.is_random:
            return None
        if operator.name in self.kept:
            return None
        if not self._is_affordable(operation, arrays):
            return None
        return run_operation(operation, arrays)

    def _ready(self, value: Value) -> np.ndarray | None:
        if (known := value.known) is not None or value.producer is None:
            return known
        results = self._memory[value.producer]
        return None if results is None else results[value.index]

    def _is_affordable(self, operation: Operation, arrays: list[np.ndarray | None]) -> bool:
        for value in operation.inputs:
            source = None if value is None else value.constant
            if source is not None and id(source) not in self._sources:
                self._sources[id(source)] = source  # several values may share one array
                self._left += 2 * source.nbytes
        read = sum({id(a): a.nbytes for a in arrays if a is not None}.values())
        types = _types(operation, arrays)
        made = sum(map(bytes_of, types))
        is_double = all(t.precision == Precision.FLOAT64 for t in types)
        limit = max(self.limit, self.of_doubles) if is_double else self.limit
        if made > max(read, limit) or read + made > self._left:
            return False
        if not self._is_quick(operation, arrays):
            return False
        self._left -= read + made
        return True

    def _is_quick(self, operation: Operation, arrays: list[np.ndarray | None]) -> bool:
        """Whether an operator that does more than touch each element has little to do."""
        if operation.operator.steps is None:
            return True
        read = sum(a.size for a in arrays if a is not None)
        made = sum(map(elements_of, _types(operation, arrays)))
        steps = operation.operator.steps(read, made)
        if steps > min(STEPS, self._steps):
            return False
        self._steps -= steps
        return True


def _types(operation: Operation, arrays: list[np.ndarray | None]) -> tuple[TensorType, ...]:
    """The types of the results: sizes that the rule did not know follow from the data."""
    types = tuple(v.type for v in operation.outputs)
    if operation.is_on_integers or all(t.is_static for t in types):
        return types
    model = Model()
    values = tuple(None if a is None else model.constant(a) for a in arrays)
    try:
        return operation.operator.infer(values, operation.attributes)
    except NNAdapterError:
        return types


def bytes_of(type: TensorType) -> int:
    """The size in memory; an axis whose size depends on the data counts as one."""
    return elements_of(type) * type.dtype.itemsize


def elements_of(type: TensorType) -> int:
    """The number of elements; an axis whose size depends on the data counts as one."""
    return math.prod(d for d in type.shape if isinstance(d, int))
