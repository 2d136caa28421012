"""NNRt's operations on truth values."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, BadType

from ...case import Case, Const, rand

A, B = rand(3, 4, dtype=np.bool_), rand(3, 4, seed=1, dtype=np.bool_)
OPS = ("LOGICAL_AND", "LOGICAL_OR")

CASES = [
    *(Case(op, (A, B)) for op in OPS),
    *(Case(op, (A, Const(B[0])), why="broadcast") for op in OPS),
    *(Case(op, (A, rand(3, 4)), raises=BadFile, why="numbers") for op in OPS),
    *(Case(op, (A, B[:, :3]), raises=BadType, why="other sizes") for op in OPS),
    Case("LOGICAL_NOT", (A,)),
    Case("LOGICAL_NOT", (rand(3, 4),), raises=BadFile, why="numbers"),
]
