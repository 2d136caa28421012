"""ONNX operators that select or place elements by position."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, DeviceError, Unsupported

from ...case import EXACT, ROUNDS, Case, Const, f, i, rand, scalar

X = rand(3, 4, 5)
M = rand(3, 4)
FAR = np.iinfo(np.int64).max
HALF = ml_dtypes.bfloat16


def c(*values: int) -> Const:
    """Positions that the model holds as a constant."""
    return Const(i(*values))


def m(*rows: list[int]) -> np.ndarray:
    """A matrix of positions."""
    return np.array(rows, np.int64)


GATHER = [
    Case("Gather", (X, i(2, 0, 0)), why="axis 0"),
    Case("Gather", (X, m([1, 0], [3, 3])), {"axis": 1}, why="a matrix of indices"),
    Case("Gather", (X, c(-1, 1)), {"axis": -1}, why="negative indices and axis"),
    Case("Gather", (X, scalar(1, np.int32)), why="rank 0 drops the axis"),
    Case("Gather", (X, c()), why="no index"),
    Case("Gather", (rand(3, dtype=HALF), i(2, 1)), why="bfloat16"),
    Case("Gather", (X, c(3)), why="out of bounds", raises=BadType),
    Case("Gather", (X, i(3)), why="out of bounds at run time", raises=DeviceError),
    Case("Gather", (X, f(1)), why="indices of floats", raises=BadType),
    Case("Gather", (scalar(1), i(0)), why="from rank 0", raises=BadType),
    Case("GatherElements", (M, m([0, 2, 1, 0], [1, 1, 0, -1])), why="axis 0"),
    Case("GatherElements", (M, m([0], [3], [-1])), {"axis": 1}),
    Case("GatherElements", (M, i(0)), why="another rank", raises=BadType),
    Case("GatherND", (X, m([0, 1], [2, -1])), why="slices"),
    Case("GatherND", (X, m([0, 1, 2], [2, 3, 4])), why="elements"),
    Case("GatherND", (X, m([1], [0], [-1])), {"batch_dims": 1}),
    Case("GatherND", (M, m([0, 1, 2])), why="too long a position", raises=BadType),
]
U = rand(2, 4)
ROWS = m([0, 2, 1, 0], [1, 0, 0, -1])
SCATTER = [
    Case("ScatterElements", (M, ROWS, U), why="axis 0"),
    Case("ScatterElements", (M, m([3], [0], [-2]), rand(3, 1)), {"axis": 1}),
    *(
        Case(
            "ScatterElements",
            (M, m([0, 0, 0, 0], [0, 1, 2, 0]), U),
            {"reduction": r},
            opset=18,
            tol=ROUNDS if r == "mul" else EXACT,  # of several factors, in no given order
        )
        for r in ("add", "mul", "max", "min")
    ),
    Case("ScatterElements", (M, ROWS, U), {"reduction": "x"}, why="bad", raises=BadType),
    Case("ScatterElements", (M[:, :1], ROWS, U), why="more columns than there are", raises=BadType),
    Case("ScatterElements", (M, ROWS, i(1)), why="another type", raises=BadType),
    Case("Scatter", (M, ROWS, U), opset=9, why="the old name", oracle="onnxruntime"),
    Case("Scatter", (M, m([3], [0], [2]), rand(3, 1)), {"axis": 1}, opset=9, oracle="onnxruntime"),
    Case("Scatter", (M, ROWS, U), {"reduction": "add"}, opset=9, raises=Unsupported),
    Case("ScatterND", (X, m([0, 1], [2, 3]), rand(2, 5)), why="slices"),
    Case("ScatterND", (X, m([0, 1, 2], [2, 3, -1]), rand(2)), why="elements"),
    *(
        Case(
            "ScatterND",
            (M, m([1], [1]), rand(2, 4)),
            {"reduction": r},
            opset=18,
            tol=ROUNDS if r == "mul" else EXACT,
        )
        for r in ("add", "mul", "max", "min")
    ),
    Case("ScatterND", (i(1, 2, 3), m([1], [0]), i(8, 9)), why="integers"),
    Case("ScatterND", (M, m([1], [1]), rand(3, 4)), why="too many", raises=BadType),
]
SLICE = [
    Case("Slice", (X, c(1, 0), c(3, 2)), why="the first axes"),
    Case("Slice", (X, i(1), i(-1), i(2)), why="bounds at run time"),
    Case("Slice", (X, i(1), i(3), c(-1), i(2)), why="a known axis"),
    Case("Slice", (X, c(-1), c(-FAR), c(1), c(-1)), why="backwards"),
    Case("Slice", (X, c(FAR), c(0), c(2), c(-2)), why="backwards in steps"),
    Case("Slice", (X, c(-3), c(FAR), c(-1)), why="to the end"),
    Case("Slice", (X, c(2), c(1), c(0)), why="empty"),
    Case("Slice", (X, c(0), c(FAR), c(1), c(3)), why="steps"),
    Case("Slice", (X, Const(i(1, dtype=np.int32)), Const(i(9, dtype=np.int32))), why="int32"),
    Case("Slice", (X,), {"starts": [1, -2], "ends": [2, 9], "axes": [0, 2]}, opset=1),
    Case("Slice", (X,), {"starts": [1], "ends": [-1]}, opset=9, why="no axes"),
    Case("Slice", (X, c(0), c(2), c(0), c(0)), why="step 0", raises=BadType),
    Case("Slice", (X, c(0, 1), c(2)), why="bounds of two lengths", raises=BadType),
    Case("Slice", (X, c(0, 1), c(2, 2), c(1, 1)), why="an axis twice", raises=BadType),
]
SELECT = [
    Case("NonZero", (f(0, 2, 0, -1, np.nan),), why="nan is not zero"),
    Case("NonZero", (rand(2, 3, dtype=np.bool_),), why="bools"),
    Case("NonZero", (rand(2, 3, dtype=np.int8, low=0, high=1),), why="integers"),
    Case("Compress", (M, np.array([True, False, True])), {"axis": 0}),
    Case("Compress", (M, Const(np.zeros(0, np.bool_))), why="no conditions"),
    Case("Compress", (M, np.array([False, True])), {"axis": -1}, why="a short condition"),
    Case("Compress", (M, np.array([True, False, False, True, True])), why="flattened"),
    Case("ReverseSequence", (M, i(1, 3, 2, 3)), why="time first"),
    Case("ReverseSequence", (X, i(1, 0, 4)), {"batch_axis": 0, "time_axis": 1}),
    Case("ReverseSequence", (rand(3, 4, dtype=HALF), i(1, 3, 2, 3)), why="bfloat16"),
    Case("ReverseSequence", (M, i(1, 3)), why="too few lengths", raises=BadType),
    Case("ReverseSequence", (M, i(1, 3, 2)), {"time_axis": 1}, why="one axis", raises=BadType),
]
V = f(2, 5)
HOT = [
    Case("OneHot", (i(0, -1, 2), scalar(3, np.int64), V), why="the last axis"),
    Case(
        "OneHot",
        (m([0, 2], [1, -3]), c(3), V),
        {"axis": 1},
        why="an inner axis",
        oracle="onnxruntime",
    ),
    Case("OneHot", (f(0, 1), scalar(3), i(7, 8)), {"axis": 0}, why="float indices"),
    Case("OneHot", (i(3, -4), c(3), V), why="outside the range", oracle="onnxruntime"),
    Case("OneHot", (i(0), c(3), V), {"axis": 2}, why="no such axis", raises=BadType),
    Case("Trilu", (X,), why="upper"),
    Case("Trilu", (X, c(-1)), {"upper": 0}),
    Case("Trilu", (M, scalar(2, np.int64)), why="k at run time"),
    Case("Trilu", (rand(3, 4, dtype=np.int64), c(9)), {"upper": 1}, why="beyond"),
    Case("Trilu", (rand(3, 4, dtype=np.bool_),), {"upper": 0}, why="bools"),
    Case("Trilu", (rand(2, 0, 3),), why="zero size"),
    Case("EyeLike", (M,)),
    Case("EyeLike", (M,), {"k": -1, "dtype": 9}, why="bools below the diagonal"),
    Case("EyeLike", (rand(3, 3, dtype=np.int32),), {"k": 1}),
    Case("EyeLike", (f(1),), why="rank 1", raises=BadType),
]
PAST = rand(2, 3, 6, 2)
NEW = rand(2, 3, 2, 2)
CACHE = [
    Case("TensorScatter", (PAST, NEW, i(4, 0)), opset=24),
    Case("TensorScatter", (PAST, NEW), opset=24, why="from the start"),
    Case("TensorScatter", (PAST, NEW, i(5, 1)), {"mode": "circular"}, opset=24),
    Case("TensorScatter", (rand(2, 6), rand(2, 2), i(3, 1)), {"axis": 1}, opset=24),
    Case("TensorScatter", (PAST, NEW), {"mode": "x"}, opset=24, why="bad", raises=Unsupported),
]
CASES = [*GATHER, *SCATTER, *SLICE, *SELECT, *HOT, *CACHE]
