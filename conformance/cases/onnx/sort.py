"""ONNX ordering: the largest elements, unique elements."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, Const, f, i, rand

X = rand(3, 5)
TIES = f(2, 1, 2, 3, 1, 3)

CASES = [
    Case("TopK", (X, i(2)), outputs=2, why="k at run time"),
    Case("TopK", (X, Const(i(2))), {"axis": 0, "largest": 0}, outputs=2),
    Case("TopK", (TIES, i(4)), outputs=2, why="the first of equal ones comes first"),
    Case("TopK", (TIES, i(4)), {"largest": 0}, outputs=2, why="the same for the smallest"),
    Case("TopK", (TIES, i(0)), outputs=2, why="none"),
    Case("TopK", (X, i(3)), {"sorted": 0}, outputs=2),
    Case("TopK", (X,), {"k": 2, "axis": 0}, outputs=2, opset=1, why="k as an attribute"),
    Case("TopK", (X, i(2)), outputs=2, opset=10, why="an old version"),
    *(
        Case("TopK", (i(3, 1, 7, 7, dtype=d), i(2)), outputs=2, why="integers")
        for d in (np.int8, np.uint8, np.int32, np.int64, np.uint64, np.uint32)
    ),
    Case("TopK", (i(1, (1 << 64) - 1, dtype=np.uint64), i(1)), outputs=2, why="the upper half"),
    Case("TopK", (f(3, 1, 7, dtype=np.float16), i(2)), outputs=2, why="half"),
    Case("TopK", (X, Const(i(9))), outputs=2, why="more than there are", raises=BadType),
    Case("TopK", (X, Const(i(1, 2))), outputs=2, why="two counts", raises=BadType),
    Case("Unique", (f(2, 1, 1, 3, 4, 3),), outputs=4),
    Case("Unique", (f(2, 1, 1, 3, 4, 3),), {"sorted": 0}, outputs=4),
    Case("Unique", (f(2, 1, 1),), outputs=1, why="only the elements"),
    Case("Unique", (i([[1, 0, 0], [1, 0, 0], [2, 3, 4]]),), {"axis": 0}, outputs=4, why="rows"),
    Case("Unique", (f([1, 1, 0], [2, 2, 5]),), {"axis": -1}, outputs=4, why="columns"),
    Case("Unique", (i(3, 1, 3, dtype=np.int64),), outputs=4, why="integers"),
    Case("Unique", (X,), {"axis": 2}, outputs=4, why="no such axis", raises=BadType),
]
