"""ONNX logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, i, rand

LOGICAL = ("And", "Or", "Xor")
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
A = rand(2, 3, 4, dtype=bool)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
SIGNED = (np.int8, np.int16, np.int32, np.int64)

CASES = [
    *(Case(op, (A, rand(3, 4, dtype=bool, seed=1)), why="broadcast") for op in LOGICAL),
    *(
        Case(op, (A, rand(3, 4, dtype=bool, seed=1)), {"broadcast": 1}, opset=1, why="at the end")
        for op in LOGICAL
    ),
    *(
        Case(op, (A, rand(3, 4, dtype=bool)), opset=6, why="not asked to broadcast", raises=BadType)
        for op in LOGICAL
    ),
    *(
        Case(op, (A, rand(3, 4, dtype=bool, seed=1)), {"broadcast": 1, "axis": 1}, opset=1,
             why="from axis 1")
        for op in LOGICAL
    ),
    *(Case(op, (i(1), i(1)), why="integers", raises=BadType) for op in LOGICAL),
    Case("Not", (A,)),
    Case("Not", (np.array(True),), why="rank 0"),
    Case("Not", (i(1),), why="an integer", raises=BadType),
    *(
        Case(op, (i(12, 255 if d in UNSIGNED else -1, 3, dtype=d), i(10, 7, 0, dtype=d)))
        for op in BITWISE
        for d in (*UNSIGNED, *SIGNED)
    ),
    *(Case(op, (rand(2, 3), rand(2, 3)), why="floats", raises=BadType) for op in BITWISE),
    *(Case("BitwiseNot", (i(0, 5, 127, dtype=d),)) for d in (*UNSIGNED, *SIGNED)),
    Case("BitwiseNot", (rand(2),), why="floats", raises=BadType),
    *(
        Case("BitShift", (i(129, 2, 255, dtype=d), i(1, 3, 0, dtype=d)), {"direction": way})
        for way in ("LEFT", "RIGHT")
        for d in UNSIGNED
    ),
    *(
        Case("BitShift", (i(-100, 2, 127, -1, dtype=d), i(1, 3, 0, 60, dtype=d)),
             {"direction": way}, opset=28, why=f"signed {way}")
        for way in ("LEFT", "RIGHT")
        for d in SIGNED
    ),
    Case("BitShift", (i(1, dtype=np.uint8), i(1, dtype=np.uint8)), {"direction": "UP"},
         why="no such direction", raises=Unsupported),
    Case("BitShift", (i(1, dtype=np.uint8), i(1, dtype=np.uint8)), why="no direction",
         raises=BadType),
]  # fmt: skip
