"""Operations on tensors without elements, which OpenVINO's kernels are not made for."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Operation, Value
from nnir.operator import Pattern

from ...nothing import results_by_reference


def nothing(operation: Operation) -> list[np.ndarray] | None:
    """The results of an operation that makes nothing, or something of nothing.

    None for others: OpenVINO's kernels divide by, or start from, what is not there.
    """
    operator = operation.operator
    if operator.is_random or operation.models or operator.reads_quantization:
        return None
    if all(v.is_static and 0 in v.shape for v in operation.outputs):
        return [empty(v) for v in operation.outputs]
    computes = operator.pattern is not Pattern.MOVEMENT  # such kernels divide by the size
    if computes and any(0 in v.shape for v in operation.outputs):
        raise NoLowering(f"openvino: {operator.name} of nothing, of a size that is not known")
    arrays = []
    for value in operation.inputs:
        if value is None or value.constant is not None:
            arrays.append(None if value is None else value.constant)
        elif value.is_static and 0 in value.shape:
            arrays.append(empty(value))
        else:
            return None
    if not any(v is not None and v.constant is None for v in operation.inputs):
        return None
    if not all(v.is_static for v in operation.outputs):
        raise NoLowering(f"openvino: {operation.operator.name} of nothing")
    return results_by_reference(operation, arrays)


def empty(value: Value) -> np.ndarray:
    """The array of a value that has no elements."""
    sizes = [0 if isinstance(d, Expr) else d for d in value.shape]
    return np.empty(sizes, value.dtype)
