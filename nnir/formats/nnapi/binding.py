"""An operation of a model with its operands by the names of its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...records import dataclass
from .operations import SIGNATURES, Argument, Form, Signature
from .rules import require
from .structures import LifeTime, Model, Operand, Operation, OperationType, constant_value

Dims = tuple[int, ...]
Values = Mapping[int, np.ndarray]
"""The values of operands that are known, by index."""


@dataclass(frozen=True)
class Bound:
    """An operation: its form, and the operands of its arguments.

    `inputs` has indexes by the name of the argument, several of a variadic one, none of one that
    has no value. `dims` are the dimensions that are known of every operand of the model.
    """

    model: Model
    operation: Operation
    signature: Signature
    form: Form
    inputs: Mapping[str, tuple[int, ...]]
    dims: Sequence[Dims]
    values: Values

    @property
    def type(self) -> OperationType:
        return self.operation.type

    def __contains__(self, name: str) -> bool:
        """Whether an argument is there and has a value."""
        return bool(self.inputs.get(name))

    def operand(self, name: str) -> Operand:
        """The operand of an argument."""
        return self.model.operands[self.inputs[name][0]]

    def operands(self, name: str) -> list[Operand]:
        """All operands of a variadic argument."""
        return [self.model.operands[k] for k in self.inputs[name]]

    def shape(self, name: str) -> Dims:
        """The dimensions of an argument, 0 where one is not known."""
        return self.dims[self.inputs[name][0]]

    def shapes(self, name: str) -> list[Dims]:
        return [self.dims[k] for k in self.inputs[name]]

    def output(self, number: int = 0) -> Operand:
        return self.model.operands[self.operation.outputs[number]]

    def value(self, name: str) -> np.ndarray | None:
        """The value of an argument where it is known."""
        places = self.inputs.get(name)
        return self.values.get(places[0]) if places else None

    def number(self, name: str, default: Any = None) -> Any:
        """A scalar where it is known."""
        found = self.value(name)
        return default if found is None else found.reshape(-1)[0].item()


def constants_of(model: Model) -> dict[int, np.ndarray]:
    """The values of all constants by index, as views."""
    return {k: constant_value(model, o) for k, o in enumerate(model.operands) if o.is_constant}


def bind(model: Model, operation: Operation, dims: Sequence[Dims], values: Values) -> Bound:
    """The operands of an operation by their arguments; BadModel where they do not fit."""
    signature = find_signature(operation.type)
    name, given = operation.type.name, operation.inputs
    form = signature.form(len(given))
    arguments = form.spread(len(given))
    inputs: dict[str, tuple[int, ...]] = {}
    for argument, index in zip(arguments, given, strict=True):
        if model.operands[index].lifetime != LifeTime.NO_VALUE:
            inputs[argument.name] = (*inputs.get(argument.name, ()), index)
        else:
            require(argument.optional, "no-value", f"{name} without {argument.name}")
    bound = Bound(model, operation, signature, form, inputs, dims, values)
    _check_types(bound, arguments)
    return bound


def find_signature(type: OperationType) -> Signature:
    """The signature of an operation; BadModel for one that has none."""
    require(type != OperationType.OEM_OPERATION, "oem", "OEM_OPERATION")
    require(type in SIGNATURES, "operation-type", f"an operation of type {int(type)}")
    return SIGNATURES[type]


def _check_types(bound: Bound, arguments: Sequence[Argument]) -> None:
    """All operands are of one column of the signature's types, and of its ranks."""
    name, operands = bound.type.name, bound.model.operands
    outputs = bound.operation.outputs
    expected = bound.signature.outputs
    found = f"{name} with {len(outputs)} outputs, not {len(expected)}"
    require(len(outputs) == len(expected), "output-count", found)
    column = None
    sides = (("input-type", arguments, bound.operation.inputs), ("output-type", expected, outputs))
    for rule, side, indexes in sides:
        for argument, index in zip(side, indexes, strict=True):
            operand, types = operands[index], argument.types
            if operand.lifetime == LifeTime.NO_VALUE:
                continue  # what it would be does not matter
            found = f"{name} with {argument.name} of type {operand.type.name}"
            require(operand.type in types, rule, found)
            if len(types) > 1:
                column = types.index(operand.type) if column is None else column
                require(operand.type == types[column], rule, found)
            rank = len(operand.dimensions)
            found = f"{name} with {argument.name} of {rank} dimensions"
            require(rank in argument.ranks, "rank", found)
