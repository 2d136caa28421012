"""A model and its arrays as a row that can be pasted into `conformance/cases/nnir/found.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Model, Operation, Operator, Value
from nnir.ops import FAMILIES

from ...case import Const, rand
from ...cases.nnir.graph import GraphCase, Open, Step
from ..rows import source

SEEDS = 8
"""So many seeds of random arrays are tried before an array is written out."""


def case_of(model: Model, arrays: list[np.ndarray], why: str = "") -> GraphCase:
    """The model as data."""
    numbers: dict[Value, int] = {v: k for k, v in enumerate(model.inputs)}
    steps = []
    for operation in model.sorted():
        if operation.models:
            raise Unsupported("a row of a model with models in it")
        operands = tuple(_operand(numbers, v) for v in operation.inputs)
        steps.append(Step(operation.operator, operands, _attributes(operation)))
        numbers.update({v: len(numbers) + k for k, v in enumerate(operation.outputs)})
    inputs = tuple(_input(v, a) for v, a in zip(model.inputs, arrays, strict=True))
    outputs = tuple(numbers[v] for v in model.outputs)
    is_last = outputs == (len(numbers) - 1,)
    return GraphCase(inputs, tuple(steps), why, () if is_last else outputs)


def _operand(numbers: dict[Value, int], value: Value | None) -> int | Const | None:
    if value is None:
        return None
    return numbers[value] if value.constant is None else Const(value.constant)


def _attributes(operation: Operation) -> dict[str, Any]:
    """The attributes that have not their default."""
    given, default = operation.attributes, operation.operator.attributes
    return {k: v for k, v in given.items() if v is not default[k] and v != default[k]}


def _input(value: Value, array: np.ndarray) -> np.ndarray | Open:
    if value.is_static:
        return array
    return Open(array, tuple(str(d) if isinstance(d, Expr) else d for d in value.shape))


def row_of(case: GraphCase) -> str:
    """A case as source."""
    lines = ["GraphCase(", f"    ({_join(map(_source_of, case.inputs))}),", "    ("]
    lines += [f"        {_step(step)}," for step in case.steps]
    lines += ["    ),", f"    why={case.why!r},"]
    if case.outputs:
        lines.append(f"    outputs={case.outputs!r},")
    return "\n".join([*lines, "),"])


def _join(words: Any) -> str:
    found = list(words)
    return ", ".join(found) + ("," if len(found) == 1 else "")


def _step(step: Step) -> str:
    name = _name(step.operator)
    operands = f"({_join(map(_source_of, step.operands))})"
    attributes = f", {source(step.attrs)}" if step.attrs else ""
    return f"Step({name}, {operands}{attributes})"


def _name(operator: Operator[Any]) -> str:
    """An operator in the module that has it: of those that others make, that is not its family."""
    name = operator.rule.__name__
    modules = [m for m in FAMILIES if vars(m).get(name) is operator]
    places = [m.__name__.rpartition(".")[2] for m in modules]
    return f"{operator.family if operator.family in places else places[0]}.{name}"


def _source_of(given: Any) -> str:
    match given:
        case Open():
            return f"Open({array_source(given.array)}, {given.shape!r})"
        case Const():
            return f"Const({array_source(given.array)})"
        case np.ndarray():
            return array_source(given)
    return repr(given)


def random_array(array: np.ndarray, seed: int) -> np.ndarray:
    """Random numbers in the place of an array, which a row can name."""
    low, high = (-9, 9) if array.dtype.kind == "i" else (0 if array.dtype.kind == "u" else -2, 2)
    return rand(*array.shape, seed=seed, dtype=array.dtype, low=low, high=high)


def array_source(array: np.ndarray) -> str:
    """An array as source: by its seed where it was made from one."""
    for seed in range(SEEDS):
        if array.size > 2 and array.dtype.kind in "fiu":
            made = random_array(array, seed)
            if np.array_equal(made, array):
                return _random_source(array, seed)
    return source(array)


def _random_source(array: np.ndarray, seed: int) -> str:
    words = [*map(str, array.shape), f"seed={seed}"]
    if array.dtype != np.float32:
        low, high = (-9, 9) if array.dtype.kind == "i" else (0, 2)
        words += [f"dtype=np.{array.dtype.name}", f"low={low}", f"high={high}"]
    return f"rand({', '.join(words)})"
