"""What is computed while compiling: known sizes, constants, results that hold nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Operation
from nnir.types import Precision

from .kernels import HALVES, STORED


def numbers(shape: Sequence[Dim], what: str = "a tensor") -> tuple[int, ...]:
    """Sizes that are known; NoLowering where one is not."""
    found = tuple(d for d in shape if not isinstance(d, Expr))
    if len(found) < len(shape):
        text = ", ".join(map(str, shape))
        raise NoLowering(
            f"litert needs the sizes of {what} of [{text}]: fix them with --dim NAME=SIZE"
        )
    return found


def without_running(operation: Operation) -> list[np.ndarray] | None:
    """The results of an operation where they hold nothing, or are made of nothing.

    Kernels divide by sizes, or end the process where there are no elements.
    """
    outputs = operation.outputs
    if all(0 in v.shape and v.is_static and v.precision in STORED for v in outputs):
        return [np.zeros(numbers(v.shape), v.dtype) for v in outputs]
    empty = [v is not None and 0 in v.shape and v.is_static for v in operation.inputs]
    if not any(empty) or operation.models or operation.operator.is_random:
        return None
    arrays: list[np.ndarray | None] = []
    for value, nothing in zip(operation.inputs, empty, strict=True):
        if value is None or value.constant is not None:
            arrays.append(None if value is None else value.constant)
        elif nothing:
            arrays.append(np.zeros(numbers(value.shape), value.dtype))
        else:
            return None
    if any(v.precision.is_quantized for v in outputs) or operation.operator.reads_quantization:
        return None
    with np.errstate(all="ignore"):
        found = operation.operator.reference(*arrays, **operation.attributes)
    whole = list(found) if isinstance(found, (tuple, list)) else [found]
    return [np.asarray(a) for a in whole]


def cast_data(data: np.ndarray, to: Precision) -> np.ndarray:
    """A constant in another type, as CAST computes it."""
    if to in HALVES:
        return data.astype(to.dtype).astype(np.float32)
    if to == Precision.BOOL8:
        return data != data.dtype.type(0)
    return data.astype(to.dtype)
