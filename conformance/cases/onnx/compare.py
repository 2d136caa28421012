"""ONNX comparisons and selection by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, Const, Limit, f, i, rand, scalar

OPS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
OLD = ("Equal", "Greater", "Less")
EDGES = f(-np.inf, -0.0, 0.0, 1, np.nan, np.inf)
KINDS = (
    np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
    np.float16, np.float32, np.float64,
)  # fmt: skip
A, B = rand(2, 3, 4, dtype=np.int32), rand(3, 4, dtype=np.int32, seed=1)

CASES = [
    *(Case(op, (EDGES[:, None], EDGES), why="edges") for op in OPS),
    *(Case(op, (i(1, 2, 3, dtype=d), i(2, dtype=d))) for op in OPS for d in KINDS),
    *(Case(op, (A, B), {"broadcast": 1}, opset=1, why="at the end") for op in OLD),
    *(Case(op, (A, B), {"broadcast": 1, "axis": 1}, opset=1, why="from axis 1") for op in OLD),
    *(Case(op, (f(1), i(1)), why="two types", raises=BadType) for op in OPS),
    Case("Equal", (np.array([True, False]), np.array([True])), why="truth values"),
    Case("Greater", (scalar(1), scalar(0)), why="rank 0"),
    *(
        Case("Where", (np.array([True, False, True]), i(1, 2, 3, dtype=d), i(9, dtype=d)),
             why=f"of {np.dtype(d)}")
        for d in (*KINDS, np.bool_, np.complex64)
    ),
    Case("Where", (rand(2, 1, dtype=bool), rand(3), rand(1, 3, seed=1)), why="all three broadcast"),
    Case("Where", (np.array([True, False]), f(1, np.nan), f(np.nan, 2)), why="nan is not picked"),
    Case("Where", (Const(np.array(True)), Const(i(1, 2)), Const(i(3))), why="constants"),
    Case("Where", (np.array([True]), f(1), i(1)), why="two types", raises=BadType),
    Case("Where", (i(1), f(1), f(1)), why="no mask", raises=BadType),
]  # fmt: skip
LIMITS: list[Limit] = []
