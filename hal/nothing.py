"""Operations on nothing: their results are known while compiling."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from nnir.errors import DeviceError, NoLowering
from nnir.evaluate import run_operation
from nnir.model import Operation, Value
from nnir.types import Precision


def _zeros(value: Value) -> np.ndarray:
    return np.zeros(value.sizes, value.dtype)


def holds_nothing(operation: Operation, stored: Container[Precision]) -> bool:
    """Whether it is known that no result of an operation has elements."""
    return all(0 in v.shape and v.is_static and v.precision in stored for v in operation.outputs)


def without_running(operation: Operation, stored: Container[Precision]) -> list[np.ndarray] | None:
    """The results of an operation where they hold nothing, or are made of nothing.

    Kernels divide by sizes, or end the process where there are no elements. `stored` are the
    precisions that the device has.
    """
    if holds_nothing(operation, stored):
        return [_zeros(v) for v in operation.outputs]
    outputs = operation.outputs
    empty = [v is not None and 0 in v.shape and v.is_static for v in operation.inputs]
    if not any(empty) or operation.models or operation.operator.is_random:
        return None
    arrays: list[np.ndarray | None] = []
    for value, nothing in zip(operation.inputs, empty, strict=True):
        if value is None or value.constant is not None:
            arrays.append(None if value is None else value.constant)
        elif nothing:
            arrays.append(_zeros(value))
        else:
            return None
    if any(v.precision.is_quantized for v in outputs) or operation.operator.reads_quantization:
        return None
    return results_by_reference(operation, arrays)


def results_by_reference(
    operation: Operation, arrays: Sequence[np.ndarray | None]
) -> list[np.ndarray]:
    """The results that the reference gives; NoLowering where it has none, as of an edge of nothing
    that is to be repeated."""
    try:
        return list(run_operation(operation, arrays))
    except DeviceError as error:
        raise NoLowering(str(error)) from error
