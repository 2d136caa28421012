"""Models of a few operations as rows of data: what single operators do not show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.model import Model, Operator, Value
from nnir.notation import parse
from nnir.types import TensorType, precision_of

from ...case import Const


@dataclass(frozen=True)
class Open:
    """An input of which `shape` says what its sizes are in the model: numbers, or text as "n"."""

    array: np.ndarray
    shape: tuple[int | str, ...]


@dataclass(frozen=True)
class Step:
    """One operation. An operand is the number of a value, a `Const` or None; the inputs of the
    model have the first numbers, then the results of one step after the other."""

    operator: Operator[Any]
    operands: tuple[int | Const | None, ...]
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GraphCase:
    """A model; `why` it exists is its name. `outputs` are numbers of values, the last by default.

    What is right is what the references of its operations give.
    """

    inputs: tuple[np.ndarray | Open, ...]
    steps: tuple[Step, ...]
    why: str = ""
    outputs: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.why

    def arrays(self) -> list[np.ndarray]:
        """What goes in at run time."""
        return [x.array if isinstance(x, Open) else x for x in self.inputs]

    def model(self) -> Model:
        """The model."""
        model = Model("graph")
        values = [_input(model, f"x{k}", x) for k, x in enumerate(self.inputs)]
        for step in self.steps:
            operands = tuple(_operand(model, values, x) for x in step.operands)
            bound = step.operator.bind_inputs(model, operands)
            values += model.append(step.operator, bound, step.operator.bind_attributes(step.attrs))
        model.outputs = [values[k] for k in self.outputs or (len(values) - 1,)]
        return model


def _input(model: Model, name: str, given: np.ndarray | Open) -> Value:
    array, sizes = (given.array, given.shape) if isinstance(given, Open) else (given, given.shape)
    shape = tuple(d if isinstance(d, int) else parse(d) for d in sizes)
    for name_of in {n for d in sizes if isinstance(d, str) for n in _names(d)}:
        model.symbols.setdefault(name_of, (min(array.size, 1), None))
    return model.input(name, TensorType(precision_of(array.dtype), shape))


def _names(text: str) -> set[str]:
    from nnir.dim import symbols_of

    return set(symbols_of(parse(text)))


def _operand(model: Model, values: list[Value], given: int | Const | None) -> Value | None:
    if isinstance(given, Const):
        return model.constant(given.array)
    return None if given is None else values[given]
