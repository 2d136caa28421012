"""Run a model with the NumPy references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .affine import is_per_channel, is_symmetric, to_integers, to_real
from .dim import Expr
from .errors import VALUES, DeviceError, NNAdapterError, OutOfMemory, describe
from .model import Model, Operation, Value
from .schema import Pattern


class Plan:
    """A model in order of execution; every buffer is dropped as soon as its last reader ran."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.operations = model.sorted()
        kept = set(model.outputs)
        last: dict[Value, int] = {}
        for step, operation in enumerate(self.operations):
            for value in (*operation.inputs, *operation.outputs):
                if value is not None and value.constant is None and value not in kept:
                    last[value] = step
        self.dead: list[list[Value]] = [[] for _ in self.operations]
        for key, step in last.items():
            self.dead[step].append(key)

    def run(
        self, arrays: Sequence[np.ndarray], watch: Callable[[Operation], None] | None = None
    ) -> list[np.ndarray]:
        """The outputs of the model for one array per input; `watch` is told what has run."""
        memory = dict(zip(self.model.inputs, arrays, strict=True))
        for operation, dead in zip(self.operations, self.dead, strict=True):
            results = run_operation(operation, [_read(memory, v) for v in operation.inputs])
            memory.update(zip(operation.outputs, results, strict=True))
            if watch is not None:
                watch(operation)
            for key in dead:
                memory.pop(key, None)
        return [_array_of(memory, v) for v in self.model.outputs]


def evaluate(model: Model, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Run a model once."""
    return Plan(model).run(arrays)


def run_operation(
    operation: Operation, arrays: Sequence[np.ndarray | None]
) -> tuple[np.ndarray, ...]:
    """Run one operation by its reference; a failure says which operation it was."""
    try:
        with np.errstate(all="ignore"):
            result = _compute(operation, arrays)
    except NNAdapterError:
        raise
    except Exception as error:
        shapes = ", ".join("none" if a is None else f"{a.dtype}{list(a.shape)}" for a in arrays)
        if isinstance(error, VALUES):
            kind = OutOfMemory if isinstance(error, MemoryError) else DeviceError
            raise kind(f"{_where(operation)} failed on {shapes}: {describe(error)}") from error
        error.add_note(f"in the reference of {_where(operation)} on {shapes}")
        raise  # a bug of the reference, which is not to pass for bad data
    results = result if isinstance(result, (tuple, list)) else (result,)
    made = tuple(np.asarray(r) for r in results)
    if not all(map(_is_as_inferred, operation.outputs, made)) or len(made) != len(
        operation.outputs
    ):
        kinds = ", ".join(f"{a.dtype}{list(a.shape)}" for a in made)
        types = ", ".join(str(v.type) for v in operation.outputs)
        raise DeviceError(f"{_where(operation)} made {kinds}, not {types}")
    return made


def _compute(operation: Operation, arrays: Sequence[np.ndarray | None]) -> Any:
    """What the reference gives; with quantised results in real numbers, rounded once."""
    if not operation.is_on_integers or _only_moves(operation):
        return operation.operator.reference(*arrays, **_constants(operation))
    pairs = zip(operation.inputs, arrays, strict=True)
    reals = [_real(v, a) for v, a in pairs]
    result = operation.operator.reference(*reals, **operation.attributes)
    results = result if isinstance(result, (tuple, list)) else (result,)
    return tuple(_integers(v, r) for v, r in zip(operation.outputs, results, strict=True))


def _only_moves(operation: Operation) -> bool:
    """Whether symmetric integers are moved as they are, also the lowest, which nothing rounds to.

    0 stands for 0 there, so that what a movement fills up with is right too.
    """
    if operation.operator.pattern is not Pattern.MOVEMENT:
        return False
    values = [v for v in (*operation.inputs, *operation.outputs) if v is not None]
    (first, *others) = {(v.precision, v.type.quantization) for v in values if not v.is_integer}
    return not others and is_symmetric(first[0]) and not is_per_channel(first[0])


def _real(value: Value | None, array: np.ndarray | None) -> np.ndarray | None:
    """An operand as real numbers."""
    how = None if value is None else value.type.quantization
    return array if how is None or array is None else to_real(array, how)


def _integers(value: Value, result: Any) -> np.ndarray:
    """A result as the integers of its type."""
    array, how = np.asarray(result), value.type.quantization
    return array if how is None else to_integers(array, value.precision, how)


def _is_as_inferred(value: Value, array: np.ndarray) -> bool:
    """Whether a result has the type its operation promised: sizes that contradict break that."""
    shape = value.type.shape
    return (
        array.dtype == value.type.dtype
        and array.ndim == len(shape)
        and (
            array.shape == shape
            or all(isinstance(d, Expr) or d == n for d, n in zip(shape, array.shape, strict=True))
        )
    )


def _where(operation: Operation) -> str:
    return f"{operation.operator.name} {operation.origin or ''}".strip()


def _constants(operation: Operation) -> dict[str, Any]:
    """The attributes, and what else the reference wants to know: how the first operand is
    quantised, or the type of the result."""
    operator = operation.operator
    source = operation.inputs[0] if operation.inputs else None
    if operator.reads_result:
        return operation.attributes | {"result": operation.outputs[0].type}
    if not operator.reads_quantization or source is None:
        return operation.attributes
    return operation.attributes | {"quantization": source.type.quantization}


def _read(memory: dict[Value, np.ndarray], value: Value | None) -> np.ndarray | None:
    return None if value is None else _array_of(memory, value)


def _array_of(memory: dict[Value, np.ndarray], value: Value) -> np.ndarray:
    return value.constant if value.constant is not None else memory[value]
