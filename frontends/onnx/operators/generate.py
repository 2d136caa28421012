"""ONNX tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import generate

from ...table import Floats, Ints, Table
from ...translate import Translator

table = Table()
# the reference computes 16-bit floats in float32, as `stash_type` 1 asks
table.same({"Range": generate.range_}, only={"stash_type": 1})


@table.convert("Constant")
def constant(
    *,
    value: np.ndarray | None = None,
    sparse_value: np.ndarray | None = None,
    value_float: float | None = None,
    value_floats: Floats | None = None,
    value_int: int | None = None,
    value_ints: Ints | None = None,
    translator: Translator,
) -> Value:
    for dtype, one, several in (
        (np.float32, value_float, value_floats),
        (np.int64, value_int, value_ints),
        (None, value, sparse_value),
    ):
        given = one if several is None else several
        if given is not None:
            return translator.model.constant(given, dtype)
    raise BadType("Constant without a value")


@table.convert("ConstantOfShape")
def constant_of_shape(input: Index, *, value: np.ndarray | None = None) -> Value:
    element = np.zeros(1, np.float32) if value is None else value
    if element.size != 1:
        raise Unsupported(f"ConstantOfShape with value={element!r}")
    return generate.fill(input, input.model.constant(element.reshape(())))
