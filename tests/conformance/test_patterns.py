"""What `Operator.pattern` says, held against the references on operands of the cases."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from conformance.engines.engine import Answer
from nnir.check import all_operations
from nnir.errors import NNAdapterError
from nnir.evaluate import run_operation
from nnir.model import Operation, Value
from nnir.operator import Pattern
from nnir.types import Precision

EACH = 3
"""So many operations of each operator are tried."""

DRAW = np.random.default_rng(0)


def elementwise() -> dict[str, list[Operation]]:
    """Elementwise operations whose result is as large as their first operand."""
    found: dict[str, list[Operation]] = {}
    for frontend in ("onnx", "torch", "tensorflow"):
        engine = import_module(f"conformance.engines.{frontend}").ENGINE
        for case in import_module(f"conformance.cases.{frontend}").CASES:
            try:
                model = engine.model(case, Answer([], made=case.outputs))
            except NNAdapterError:
                continue
            for operation in all_operations(model):
                operator, first = operation.operator, operation.inputs[0]
                rows = found.setdefault(operator.name, [])
                fits = operator.pattern is Pattern.ELEMENTWISE and not operator.is_random
                if fits and len(rows) < EACH and first is not None and has_room(operation, first):
                    rows.append(operation)
    return {name: rows for name, rows in found.items() if rows}


def has_room(operation: Operation, first: Value) -> bool:
    values = [v for v in (*operation.inputs, *operation.outputs) if v is not None]
    static = all(v.is_static for v in values)
    return static and first.shape == operation.outputs[0].shape and np.prod(first.shape) > 1


def array_of(value: Value) -> np.ndarray:
    if value.constant is not None:
        return value.constant
    shape = tuple(int(d) for d in value.shape)  # type: ignore[arg-type]
    if value.precision == Precision.BOOL8:
        return DRAW.integers(0, 2, shape).astype(np.bool_)
    low, high = (1, 3) if value.is_integer else (0.2, 0.8)
    return np.asarray(DRAW.uniform(low, high, shape)).astype(value.dtype)


def leaks(operation: Operation) -> bool:
    """Whether one element of the first operand changes a result at another place."""
    arrays = [None if v is None else array_of(v) for v in operation.inputs]
    before = run_operation(operation, arrays)[0]
    first = arrays[0]
    assert first is not None
    changed = first.copy()
    changed.reshape(-1)[0] = ~changed.reshape(-1)[0] if first.dtype == bool else 2
    after = run_operation(operation, [changed, *arrays[1:]])[0]
    return before.reshape(-1)[1:].tobytes() != after.reshape(-1)[1:].tobytes()


def test_an_element_of_an_elementwise_result_depends_on_its_own_place() -> None:
    operations = elementwise()
    assert len(operations) > 60
    wrong = [name for name, rows in operations.items() for o in rows if leaks(o)]
    assert wrong == []
