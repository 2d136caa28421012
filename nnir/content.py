"""What is known of the elements of small integer tensors, carried through operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from .dim import Expr
from .errors import VALUES, NNAdapterError

if TYPE_CHECKING:
    from .model import Operation, Value

CONTENT_LIMIT = 64
"""So many elements at most."""


def set_content(operation: Operation) -> None:
    """Carry the elements of small integer tensors, dimensions included, through an operation."""
    (output,) = operation.outputs
    if not output.is_integer or output.rank > 2 or not output.is_static:
        return
    if math.prod(d for d in output.shape if isinstance(d, int)) > CONTENT_LIMIT:
        return
    function = operation.operator.content or _reference_of(operation)
    try:
        dims = None if function is None else function(*operation.inputs, **operation.attributes)
    except (NNAdapterError, *VALUES):  # it fails while running too, or grows too large
        return
    if dims is not None and _is_exact(dims, output.dtype):
        output.content = dims


def _is_exact(dims: np.ndarray, dtype: np.dtype) -> bool:
    """Whether no element would wrap."""
    limits = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    return all(isinstance(d, Expr) or limits.min <= d <= limits.max for d in dims.flat)


def _reference_of(operation: Operation) -> Callable[..., np.ndarray] | None:
    """An operator that carries no dimensions still computes what has none."""
    values = [v for v in operation.inputs if v is not None]
    if operation.operator.is_random or any(v.content is None or v.known is None for v in values):
        return None

    def compute(*inputs: Value | None, **attributes: Any) -> np.ndarray:
        known = [None if v is None else v.known for v in inputs]
        return np.asarray(operation.operator.reference(*known, **attributes)).astype(object)

    return compute
