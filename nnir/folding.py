"""The value of what can be computed while converting, without changing the model."""

from __future__ import annotations

import numpy as np

from .evaluate import run_operation
from .model import Operation, Value

LIMIT = 1 << 24


class Folder:
    """Computes constants on demand, each operation once.

    A result above `limit` bytes is only computed when it is not larger than what it is made from.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._memory: dict[int, tuple[Operation, tuple[np.ndarray, ...] | None]] = {}

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
            if id(operation) in self._memory:
                stack.pop()
                continue
            waiting = [
                v.producer
                for v in operation.inputs
                if v is not None
                and v.known is None
                and v.producer is not None
                and id(v.producer) not in self._memory
            ]
            if waiting:
                stack.extend(waiting)
            else:
                self._memory[id(operation)] = (operation, self._compute(operation))
                stack.pop()
        return self._memory[id(last)][1]

    def _compute(self, operation: Operation) -> tuple[np.ndarray, ...] | None:
        arrays: list[np.ndarray | None] = []
        for value in operation.inputs:
            array = None if value is None else self._ready(value)
            if array is None and value is not None:
                return None
            arrays.append(array)
        if operation.models or operation.operator.is_random or not self._is_small(operation):
            return None
        return run_operation(operation, arrays)

    def _ready(self, value: Value) -> np.ndarray | None:
        if (known := value.known) is not None or value.producer is None:
            return known
        results = self._memory[id(value.producer)][1]
        return None if results is None else results[value.index]

    def _is_small(self, operation: Operation) -> bool:
        read = sum(bytes_of(v) for v in operation.inputs if v is not None and v.is_static)
        made = sum(bytes_of(v) for v in operation.outputs if v.is_static)
        return made <= max(read, self.limit)


def bytes_of(value: Value) -> int:
    """The size of a static value in memory."""
    count = 1
    for d in value.shape:
        count *= int(d)  # type: ignore[arg-type]  # static: no symbols
    return count * value.dtype.itemsize
