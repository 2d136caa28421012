"""Operands in the order of the standard as the tensors and attributes of an operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, get_args, get_origin

import numpy as np

from nnir.errors import BadCall
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.plugins import REGISTRY

from .arguments import show, whole


class Source(Protocol):
    """An operand: a tensor of the graph, or data that is known."""

    @property
    def data(self) -> np.ndarray | None: ...

    def tensor(self) -> Value:
        """The value of the graph that the operand is."""


def operator_of(type: int | str | Operator[object]) -> Operator[object]:
    """The operator with a code or a name; BadCall when there is none."""
    if isinstance(type, Operator):
        return type
    if isinstance(type, str):
        found = REGISTRY.find_operator(type.upper())
    else:
        found = REGISTRY.find_code(whole("the code of an operation", type))
    if found is None:
        raise BadCall(f"no operation {show(type)}")
    return found


def bind(
    operator: Operator[object], operands: Sequence[Source | None]
) -> tuple[list[Value | None], dict[str, Any]]:
    """The tensors and the attributes that a list of operands means; None is absent.

    BadCall for a wrong number of operands and for attributes that are no constants.
    """
    names = list(operator.operands)
    if operator.variadic is not None:
        place = names.index(operator.variadic)
        count = len(operands) - len(names) + 1
        names[place : place + 1] = [operator.variadic] * max(0, count)
    if len(operands) != len(names):
        takes = ", ".join(operator.operands) + (", ..." if operator.variadic else "")
        raise BadCall(f"{operator.name} got {len(operands)} operands, it takes ({takes})")
    tensors: dict[str, Value | None] = {}
    rest: list[Value | None] = []
    attributes: dict[str, Any] = {}
    for name, operand in zip(names, operands, strict=True):
        if name == operator.variadic:
            rest.append(None if operand is None else operand.tensor())
        elif name in operator.tensors:
            tensors[name] = None if operand is None else operand.tensor()
        elif operand is not None:
            attributes[name] = _attribute(operator, name, operand)
    return [*(tensors[n] for n in operator.tensors), *rest], attributes


def _attribute(operator: Operator[object], name: str, operand: Source) -> Any:
    """A constant operand as the Python value that its annotation asks for."""
    if operand.data is None:
        raise BadCall(f"{name} of {operator.name} needs a value before the operation is added")
    hint = operator.hints[name]
    kinds = [hint, *get_args(hint)]
    if any(isinstance(k, type) and issubclass(k, (Model, str)) for k in kinds):
        raise BadCall(f"{name} of {operator.name} is no operand of the standard")
    items = operand.data.reshape(-1).tolist()
    if any(get_origin(k) is tuple for k in kinds):
        return tuple(items)
    if len(items) != 1:
        raise BadCall(f"{name} of {operator.name} is one number, not {len(items)}")
    return bool(items[0]) if bool in kinds and int not in kinds else items[0]
