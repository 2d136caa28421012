"""The NNAdapter view of an operation: one ordered list of operands, as its API and HAL have it.

Inside a model, tensors and compile-time constants are kept apart; the standard knows only operands,
in signature order, where a scalar is a constant of shape [1] and a list a constant of rank 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from .errors import Unsupported
from .model import Model, Operation, Value
from .records import dataclass
from .types import Lifetime, Precision, TensorType, precision_of


@dataclass(frozen=True)
class Operand:
    """One operand: `value` is the operand of the model, `data` what a constant holds."""

    name: str
    type: TensorType
    lifetime: Lifetime
    value: Value | None = None
    data: np.ndarray | None = None


def operands(operation: Operation) -> list[Operand | None]:
    """The operands in the order of the standard; None for an absent optional one."""
    operator = operation.operator
    tensors = dict(zip(operator.tensors, operation.inputs, strict=False))
    rest = operation.inputs[len(operator.tensors) :]
    found: list[Operand | None] = []
    for name in operator.operands:
        if name == operator.variadic:
            found += [_tensor(name, v) for v in rest]
        elif name in tensors:
            found.append(_tensor(name, tensors[name]))
        else:
            found.append(_constant(name, operation.attributes[name]))
    return found


def _tensor(name: str, value: Value | None) -> Operand | None:
    if value is None:
        return None
    type = value.type if value.rank else value.type.with_shape((1,))
    data = None if value.constant is None else value.constant.reshape(value.constant.shape or (1,))
    return Operand(name, type, _lifetime_of(value), value, data)


def _lifetime_of(value: Value) -> Lifetime:
    if value.constant is not None:
        return Lifetime.CONSTANT_REFERENCE
    if value in value.model.inputs:
        return Lifetime.MODEL_INPUT
    if value in value.model.outputs:
        return Lifetime.MODEL_OUTPUT
    is_shape = value.content is not None
    return Lifetime.TEMPORARY_SHAPE if is_shape else Lifetime.TEMPORARY_VARIABLE


def _constant(name: str, value: Any) -> Operand | None:
    """An attribute as a constant operand, with the element types that the standard uses."""
    if value is None:
        return None
    if isinstance(value, (Model, str)):
        raise Unsupported(
            f"{name} is a {type(value).__name__}, which the standard has no operand for"
        )
    data = np.atleast_1d(np.asarray(value, _dtype(value)))
    kind = TensorType(precision_of(data.dtype), data.shape)
    return Operand(name, kind, Lifetime.CONSTANT_COPY, None, data)


def _dtype(value: Any) -> np.dtype:
    items = value if isinstance(value, tuple) else (value,)
    if all(isinstance(v, bool) for v in items) and items:
        return Precision.BOOL8.dtype
    if all(isinstance(v, (int, IntEnum)) for v in items):
        return Precision.INT32.dtype
    return Precision.FLOAT32.dtype
