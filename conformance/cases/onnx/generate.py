"""ONNX tensors made from numbers and sizes."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, f, i, scalar

HALF = ml_dtypes.bfloat16


def r(
    start: float, limit: float, delta: float, dtype: object = np.float32
) -> tuple[np.ndarray, ...]:
    """Three numbers at run time."""
    return tuple(scalar(n, dtype) for n in (start, limit, delta))


CASES = [
    Case("Constant", (), {"value": np.array([[1, 2]], np.float16)}, why="a tensor"),
    Case("Constant", (), {"value_float": 1.5}),
    Case("Constant", (), {"value_floats": [1.5, -2.0]}),
    Case("Constant", (), {"value_int": 3}),
    Case("Constant", (), {"value_ints": [3, -4]}),
    Case("Constant", (), {"value_string": "x"}, raises=Unsupported),
    Case("Constant", (), {"value_strings": ["x", "y"]}, raises=Unsupported),
    Case("Constant", (), why="no value", raises=BadType),
    Case("ConstantOfShape", (Const(i(2, 3)),), why="zeros"),
    Case("ConstantOfShape", (i(2, 3),), {"value": i(7)}, why="a shape at run time"),
    Case("ConstantOfShape", (Const(i(2, 0)),), {"value": f(1, dtype=HALF)}, why="zero size"),
    Case("ConstantOfShape", (Const(i()),), why="rank 0"),
    Case("ConstantOfShape", (Const(i(-1)),), why="a negative size", raises=BadType),
    Case("Range", r(3, 9, 3), why="whole steps", tol=ROUNDS),
    Case("Range", r(0, 1, 0.3), why="the end is not reached", tol=ROUNDS),
    Case("Range", r(5, -2, -2, np.int64), why="downwards"),
    Case("Range", r(5, 9, -1, np.int32), why="a step away from the end"),
    Case("Range", tuple(Const(a) for a in r(0, 5, 2, np.int64)), why="known now"),
    Case("Range", r(0, 3, 0.5, np.float64), why="float64", tol=ROUNDS),
    Case("Range", r(0, 300, 1, HALF), opset=27, why="above what bfloat16 counts"),
    Case("Range", r(0, 3, 1), {"stash_type": 11}, opset=27, raises=Unsupported),
    Case("Range", (scalar(0), scalar(5, np.int64), scalar(1)), why="types", raises=BadType),
    Case("Range", tuple(Const(a) for a in r(0, 5, 0)), why="step 0", raises=BadType),
]
