"""What `Operator.pattern` says, held against the references on operands of the cases."""

from __future__ import annotations

import contextlib
import functools
import math
import zlib
from collections.abc import Callable
from importlib import import_module

import numpy as np

from conformance.engines.engine import Answer
from nnir.check import all_operations
from nnir.errors import NNAdapterError
from nnir.evaluate import run_operation
from nnir.model import Operation, Value
from nnir.operator import Pattern
from nnir.ops import OPERATORS
from nnir.types import Precision

EACH = 8
"""So many operations of each operator are tried."""

UNSEEN = {
    "ADAPTIVE_MAX_POOL_2D": "as large as its operand where each window is one element",
    "BATCH_NORMALIZATION": "elements with the numbers of their channel, which are not broadcast",
    "CHOLESKY": "what is drawn is not positive definite",
    "EINSUM": "as large as its operand where it sums nothing",
    "REDUCE_MAX": "as large as its operand where axes of one element are reduced",
    "REDUCE_MIN": "as large as its operand where axes of one element are reduced",
    "REDUCE_SUM": "as large as its operand where axes of one element are reduced",
    "RESIZE": "a resize to the sizes that are there",
    "RESIZE_LINEAR": "a resize to the sizes that are there",
}
"""Operators that combine elements, which operations on operands as large as results do not show."""


@functools.cache
def operations() -> list[Operation]:
    """What the cases of some frontends are converted to."""
    found: list[Operation] = []
    for frontend in ("onnx", "torch", "tensorflow"):
        engine = import_module(f"conformance.engines.{frontend}").ENGINE
        for case in import_module(f"conformance.cases.{frontend}").CASES:
            with contextlib.suppress(NNAdapterError):
                found += all_operations(engine.model(case, Answer([], made=case.outputs)))
    return found


def some_of_each(fits: Callable[[Operation], bool]) -> dict[str, list[Operation]]:
    """A few operations of each operator."""
    found: dict[str, list[Operation]] = {}
    for operation in filter(fits, operations()):
        rows = found.setdefault(operation.operator.name, [])
        if len(rows) < EACH:
            rows.append(operation)
    return found


def operations_of(pattern: Pattern) -> dict[str, list[Operation]]:
    """Operations of a pattern whose result is as large as their first operand."""

    def fits(operation: Operation) -> bool:
        operator = operation.operator
        first = operation.inputs[0] if operation.inputs else None
        is_plain = operator.pattern is pattern and not operator.is_random
        return is_plain and first is not None and has_room(operation, first)

    return some_of_each(fits)


def is_static(operation: Operation) -> bool:
    ends = (*operation.inputs, *operation.outputs)
    return all(v is None or v.is_static for v in ends)


def has_room(operation: Operation, first: Value) -> bool:
    is_alike = is_static(operation) and first.shape == operation.outputs[0].shape
    return is_alike and math.prod(first.sizes) > 1


def array_of(value: Value, draw: np.random.Generator) -> np.ndarray:
    if value.constant is not None:
        return value.constant
    shape = tuple(int(d) for d in value.shape)  # type: ignore[arg-type]
    if value.precision == Precision.BOOL8:
        return draw.integers(0, 2, shape).astype(np.bool_)
    low, high = (1, 3) if value.is_integer else (0.2, 0.8)
    return np.asarray(draw.uniform(low, high, shape)).astype(value.dtype)


def leaks(operation: Operation, place: int = 0) -> bool:
    """Whether one element of the first operand changes a result at another place."""
    draw = np.random.default_rng(zlib.crc32(operation.operator.name.encode()) + place)
    arrays = [None if v is None else array_of(v, draw) for v in operation.inputs]
    before = run_operation(operation, arrays)[0]
    first = arrays[0]
    assert first is not None
    changed = first.copy()
    changed.reshape(-1)[place] = ~changed.reshape(-1)[place] if first.dtype == bool else 2
    after = run_operation(operation, [changed, *arrays[1:]])[0]
    return np.delete(before, place).tobytes() != np.delete(after, place).tobytes()


def draws(operation: Operation) -> bool:
    """Whether it gives something else the second time."""
    draw = np.random.default_rng(0)
    arrays = [None if v is None else array_of(v, draw) for v in operation.inputs]
    with contextlib.suppress(NNAdapterError):
        first, second = (run_operation(operation, arrays) for _ in range(2))
        return any(a.tobytes() != b.tobytes() for a, b in zip(first, second, strict=True))
    return False


def test_what_draws_is_random() -> None:
    """Passes fold and join what is not: it would be drawn once for all."""
    found = some_of_each(is_static)
    drawing = {name for name, rows in found.items() if any(map(draws, rows))}
    assert drawing == {name for name in found if OPERATORS[name].is_random}


def test_an_element_of_an_elementwise_result_depends_on_its_own_place() -> None:
    found = operations_of(Pattern.ELEMENTWISE)
    assert len(found) > 60
    wrong = [name for name, rows in found.items() for o in rows if leaks(o)]
    assert wrong == []


def test_what_combines_nothing_is_elementwise() -> None:
    """Passes move what is elementwise, and compute it on parts: who leaves it out loses that."""
    found = operations_of(Pattern.COMBINING)
    assert len(found) > 40
    silent = {name for name, rows in found.items() if not any(map(changes_others, rows))}
    assert silent == UNSEEN.keys()


def changes_others(operation: Operation) -> bool:
    """As `leaks`, of a few places, and of what may refuse what is drawn."""
    first = operation.inputs[0]
    assert first is not None
    count = math.prod(first.sizes)
    with contextlib.suppress(NNAdapterError):
        return any(leaks(operation, place) for place in {0, count // 2, count - 1})
    return False
