"""How often a loop runs, where what its condition reads is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .errors import NNAdapterError
from .evaluate import run_operation
from .folding import Folder
from .model import Model, Operation, Value

MOST_TRIPS = 1024
"""A loop that runs more often counts as one of unknown length."""

MOST_ELEMENTS = 64
"""Larger tensors are no counters."""


def count_iterations(
    condition: Value, inputs: Sequence[Value], body: Model, carried: int
) -> int | None:
    """How often the body of a WHILE with these operands runs; None where only running tells.

    What decides is computed, iteration by iteration: the part of the body from known operands to
    the condition, as counters and limits are.
    """
    folder = Folder(MOST_ELEMENTS * 16)
    entries: dict[Value, np.ndarray] = {}
    parts = [body.outputs[0]]
    steps: set[Operation] = set()
    while True:  # what the next condition reads of the state, and what that reads
        steps, reads = _sources(parts)
        fresh = [k for k, v in enumerate(body.inputs) if v in reads and v not in entries]
        if not fresh:
            break
        for k in fresh:
            known = folder.constant_of(inputs[k])
            if known is None or known.size > MOST_ELEMENTS:
                return None
            entries[body.inputs[k]] = known
            if k < carried:
                parts.append(body.outputs[1 + k])
    first = folder.constant_of(condition)
    if first is None or any(o.models or o.operator.is_random for o in steps):
        return None
    order = [o for o in body.sorted() if o in steps]
    state = [k for k, v in enumerate(body.inputs[:carried]) if v in entries]
    go = bool(first.all())
    for trips in range(MOST_TRIPS + 1):
        if not go:
            return trips
        try:
            memory = _run(order, entries)
        except NNAdapterError:  # it is told where the loop runs
            return None
        go = bool(_array_of(memory, body.outputs[0]).all())
        entries |= {body.inputs[k]: _array_of(memory, body.outputs[1 + k]) for k in state}
        if any(a.size > MOST_ELEMENTS for a in entries.values()):
            return None
    return None


def _sources(values: Iterable[Value]) -> tuple[set[Operation], set[Value]]:
    """The operations that values come from, and the inputs of the model that these read."""
    steps: set[Operation] = set()
    reads: set[Value] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value.constant is not None:
            continue
        if value.producer is None:
            reads.add(value)
        elif value.producer not in steps:
            steps.add(value.producer)
            waiting += [v for v in value.producer.inputs if v is not None]
    return steps, reads


def _run(order: Iterable[Operation], entries: dict[Value, np.ndarray]) -> dict[Value, np.ndarray]:
    memory = dict(entries)
    for operation in order:
        arrays = [None if v is None else _array_of(memory, v) for v in operation.inputs]
        memory |= zip(operation.outputs, run_operation(operation, arrays), strict=True)
    return memory


def _array_of(memory: dict[Value, np.ndarray], value: Value) -> np.ndarray:
    return memory[value] if value.constant is None else value.constant
