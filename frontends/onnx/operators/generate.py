"""ONNX tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import generate

from ...table import Table
from ...translate import Translator

table = Table()


@table.convert("Constant")
def constant(
    *,
    value: np.ndarray | None = None,
    sparse_value: np.ndarray | None = None,
    value_float: float | None = None,
    value_floats: tuple[float, ...] | None = None,
    value_int: int | None = None,
    value_ints: tuple[int, ...] | None = None,
    value_string: str | None = None,
    value_strings: tuple[str, ...] | None = None,
    translator: Translator,
) -> Value:
    if value_string is not None or value_strings is not None:
        raise Unsupported("Constant with strings")
    given = {
        np.float32: value_float if value_floats is None else value_floats,
        np.int64: value_int if value_ints is None else value_ints,
    }
    for dtype, numbers in given.items():
        if numbers is not None:
            return translator.model.constant(numbers, dtype)
    array = sparse_value if value is None else value
    if not isinstance(array, np.ndarray):
        raise (
            BadType("Constant without a value")
            if array is None
            else Unsupported(f"Constant of {array!r}")
        )
    return translator.model.constant(array)


@table.convert("ConstantOfShape")
def constant_of_shape(input: Index, *, value: np.ndarray | None = None) -> Value:
    element = np.zeros(1, np.float32) if value is None else value
    if not isinstance(element, np.ndarray) or element.size != 1:
        raise Unsupported(f"ConstantOfShape with value={element!r}")
    return generate.fill(input, input.model.constant(element.reshape(())))


@table.convert("Range")
def range_(start: Value, limit: Value, delta: Value, *, stash_type: int = 1) -> Value:
    """The reference computes 16-bit floats in float32, as `stash_type` 1 asks."""
    if stash_type != 1:
        raise Unsupported(f"Range with stash_type={stash_type!r}")
    return generate.range_(start, limit, delta)
