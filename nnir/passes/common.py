"""Common subexpressions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any

from ..model import Model, Operation, Value
from .rewrite import rewrite, sweep

SMALL = 256


def _key(value: Value | None) -> Hashable:
    """What makes two operands the same: the value, or equal small or identical large data."""
    if value is None or value.constant is None:
        return value
    array = value.constant
    if array.nbytes <= SMALL:
        return (value.precision, array.shape, array.tobytes())
    return (value.precision, array.shape, array.strides, array.__array_interface__["data"][0])


def _freeze(value: Any) -> Hashable:
    return value if isinstance(value, Model) else (type(value), repr(value))


def signature(operation: Operation, same: Mapping[Value, Value] = MappingProxyType({})) -> Hashable:
    """Operations with equal signatures have equal results; `same` stands in for operands."""
    attributes = tuple((k, _freeze(v)) for k, v in operation.attributes.items())
    inputs = tuple(_key(None if v is None else same.get(v, v)) for v in operation.inputs)
    return (operation.operator.name, inputs, attributes)


def _has_no_twins(model: Model) -> bool:
    seen = [signature(o) for o in model.operations if not o.operator.is_random]
    return len(set(seen)) == len(seen)


@rewrite(ensures=_has_no_twins)
def merge_common(model: Model) -> bool:
    """Compute equal things once.

    Ensures: no two operations have the same operator, operands and attributes.
    """
    seen: dict[Hashable, Operation] = {}
    same: dict[Value, Value] = {}
    for operation in model.sorted():
        if operation.operator.is_random:
            continue
        first = seen.setdefault(signature(operation, same), operation)
        if first is not operation:
            same.update(zip(operation.outputs, first.outputs, strict=True))
    model.replace_all(same)
    return bool(same) and sweep(model)
