"""A model as a driver in C sees it: numbered operands, and operations over their numbers."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import Result, Unsupported
from nnir.model import Model, Operation, Value
from nnir.types import Lifetime, TensorType
from nnir.view import Operand, operands

from . import structures as c

_numbers = itertools.count(1)
VIEWS: dict[int, View] = {}
"""The views that drivers may read now, by the number that they have for a model."""


class View:
    """Operands and operations of a model as C structures; use with `with` to let drivers read it.

    `reasons` says of each operation of the model, in its order, why C cannot be shown it; those
    are left out. `places` are the others, in order of execution. The arrays live as long as the
    view.
    """

    def __init__(self, model: Model) -> None:
        self.number = next(_numbers)
        self.operands: list[c.Operand] = []
        self.operations: list[c.Operation] = []
        self.places: list[int] = []
        self.reasons: list[str | None] = [None] * len(model.operations)
        self.held: list[Any] = []
        self._known: dict[Value, int] = {}
        self._inputs = set(model.inputs)
        self._outputs = set(model.outputs)
        self.inputs = [self._number(v) for v in model.inputs]
        order = {o: k for k, o in enumerate(model.operations)}
        for operation in model.sorted():
            place = order[operation]
            try:
                self.operations.append(self._operation(operation))
                self.places.append(place)
            except Unsupported as error:
                self.reasons[place] = str(error)
        self.outputs = [self._number(v) for v in model.outputs]

    def __enter__(self) -> View:
        VIEWS[self.number] = self
        return self

    def __exit__(self, *_: object) -> None:
        del VIEWS[self.number]

    def _operation(self, operation: Operation) -> c.Operation:
        values = (*operation.inputs, *operation.outputs)
        if any(v is not None and v.rank > c.MAX_DIMENSIONS for v in values):
            raise Unsupported(f"{operation.operator.name} with more than {c.MAX_DIMENSIONS} axes")
        shown = operands(operation)
        inputs = [c.NO_OPERAND if o is None else self._show(o) for o in shown]
        outputs = [self._number(v) for v in operation.outputs]
        return c.Operation(
            operation.operator.code,
            len(inputs),
            self._array(ctypes.c_uint32, inputs),
            len(outputs),
            self._array(ctypes.c_uint32, outputs),
        )

    def _show(self, operand: Operand) -> int:
        if operand.value is not None:
            return self._number(operand.value)
        return self._add(operand.type, operand.lifetime, operand.data)

    def _number(self, value: Value) -> int:
        if value not in self._known:
            lifetime = Lifetime.TEMPORARY_VARIABLE
            if value.constant is not None:
                lifetime = Lifetime.CONSTANT_REFERENCE
            elif value in self._outputs:
                lifetime = Lifetime.MODEL_OUTPUT
            elif value in self._inputs:
                lifetime = Lifetime.MODEL_INPUT
            self.held.append(value)
            self._known[value] = self._add(value.type, lifetime, value.constant)
        return self._known[value]

    def _add(self, type: TensorType, lifetime: Lifetime, data: np.ndarray | None) -> int:
        shown = c.Operand(self._type(type, lifetime), None, 0)
        if data is not None:
            whole = np.ascontiguousarray(data)
            self.held.append(whole)
            shown.data, shown.length = whole.ctypes.data, whole.nbytes
        self.operands.append(shown)
        return len(self.operands) - 1

    def _type(self, type: TensorType, lifetime: Lifetime) -> c.OperandType:
        made = c.OperandType(int(type.precision), int(type.layout), int(lifetime))
        set_dimensions(made, [c.UNKNOWN if isinstance(d, Expr) else d for d in type.shape])
        made.scale_axis = -1
        if (q := type.quantization) is not None:
            zeros = q.zero_points if len(q.zero_points) > 1 else q.zero_points * len(q.scales)
            made.scale_count = len(q.scales)
            made.scales = self._array(ctypes.c_float, q.scales)
            made.zero_points = self._array(ctypes.c_int32, zeros)
            made.scale_axis = -1 if q.axis is None else q.axis
        return made

    def _array(self, kind: Any, items: Sequence[Any]) -> Any:
        made = (kind * len(items))(*items)
        self.held.append(made)
        return made


def set_dimensions(type: c.OperandType, shape: Sequence[int]) -> None:
    """Write a shape; one without axes is shown as [1]. Unsupported for too many axes."""
    shown = list(shape) or [1]
    if len(shown) > c.MAX_DIMENSIONS:
        raise Unsupported(f"drivers in C know {c.MAX_DIMENSIONS} axes, not {len(shown)}")
    type.dimension_count = len(shown)
    type.dimensions[: len(shown)] = shown


def shape_of(type: c.OperandType) -> tuple[int, ...]:
    """The shape that a driver wrote."""
    return tuple(type.dimensions[: min(type.dimension_count, c.MAX_DIMENSIONS)])


def _read(items: str, target: bool) -> Any:
    """An accessor: copies one of `items` to where the driver wants it."""

    def read(number: int, index: int, out: Any) -> int:
        found = getattr(VIEWS.get(number), items, [])
        if index >= len(found):
            return int(Result.INVALID_PARAMETER)
        out[0] = found[index]
        return int(Result.NO_ERROR)

    def place(number: int, index: int) -> int:
        found = getattr(VIEWS.get(number), items, [])
        return int(found[index]) if index < len(found) else c.NO_OPERAND

    return read if target else place


def _count(items: str) -> Any:
    return c.COUNT(lambda number: len(getattr(VIEWS.get(number), items, [])))


def _host() -> c.Host:
    kinds = {name: kind for name, kind, *_ in c.Host._fields_}
    return c.Host(
        c.ABI,
        _count("operands"),
        kinds["operand"](_read("operands", True)),
        _count("operations"),
        kinds["operation"](_read("operations", True)),
        _count("inputs"),
        c.PLACE(_read("inputs", False)),
        _count("outputs"),
        c.PLACE(_read("outputs", False)),
    )


HOST = _host()
"""The functions that every driver gets; they live as long as the process."""
