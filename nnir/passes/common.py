"""Common subexpressions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from ..model import Model, Operation, Value
from .rewrite import rewrite, sweep

SMALL = 256


class _Keys(dict[Value, Hashable]):
    """What makes two operands the same: the value, or equal small or identical large data."""

    def __missing__(self, value: Value) -> Hashable:
        array = value.constant
        found: Hashable = value
        if array is not None and array.nbytes <= SMALL:
            found = (value.precision, array.shape, array.tobytes())
        elif array is not None:
            place = array.__array_interface__["data"][0]
            found = (value.precision, array.shape, array.strides, place)
        self[value] = found
        return found


def _freeze(value: Any) -> Hashable:
    return value if isinstance(value, Model) else (type(value), repr(value))


def _attributes(operation: Operation) -> Hashable:
    return tuple((k, _freeze(v)) for k, v in operation.attributes.items())


def _twins(operations: Iterable[Operation], merge: bool) -> dict[Value, Value]:
    """The results of operations that have an equal one before them, with those of that one, which
    with `merge` also stand in for them as operands."""
    keys = _Keys()
    first: dict[Hashable, Operation] = {}
    others: dict[Hashable, dict[Hashable, Operation]] = {}
    same: dict[Value, Value] = {}
    for operation in operations:
        if operation.operator.is_random:
            continue
        inputs = tuple([None if v is None else keys[v] for v in operation.inputs])
        key = operation.operator, inputs
        earlier = first.setdefault(key, operation)
        if earlier is operation:
            continue  # most have operands of their own: their attributes are not looked at
        known = others.setdefault(key, {_attributes(earlier): earlier})
        twin = known.setdefault(_attributes(operation), operation)
        if twin is not operation:
            pairs = dict(zip(operation.outputs, twin.outputs, strict=True))
            same |= pairs
            if merge:
                keys.update((mine, keys[its]) for mine, its in pairs.items())
    return same


@rewrite(ensures=lambda model: not _twins(model.operations, merge=False))
def merge_common(model: Model) -> bool:
    """Compute equal things once.

    Ensures: no two operations have the same operator, operands and attributes.
    """
    same = _twins(model.sorted(), merge=True)
    model.replace_all(same)
    return bool(same) and sweep(model)
