"""NNAPI's tables."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel, NNAdapterError

from ...case import Case, Const, i, rand
from .numbers import q

I32 = np.int32
TABLE = rand(5, 3, 2)
KEYS = i(-7, 0, 3, 100, 123456, dtype=I32)
WANTED = i(3, 5, 123456, -7, 101, 3, dtype=I32)

CASES = [
    Case("EMBEDDING_LOOKUP", (i(3, 0, 4, 3, dtype=I32), TABLE)),
    Case("EMBEDDING_LOOKUP", (Const(i(1, 2, dtype=I32)), rand(4, 2)), why="known rows"),
    Case(
        "EMBEDDING_LOOKUP",
        (i(1, 5, dtype=I32), TABLE),
        raises=NNAdapterError,
        why="beyond the table",
    ),
    Case(
        "EMBEDDING_LOOKUP", (i(1, dtype=I32), rand(4)), raises=BadModel, why="a table of one axis"
    ),
    Case("HASHTABLE_LOOKUP", (WANTED, KEYS, TABLE), why="hits and misses"),
    Case("HASHTABLE_LOOKUP", (WANTED, Const(KEYS), Const(TABLE)), why="a known table"),
    Case("HASHTABLE_LOOKUP", (WANTED, KEYS, rand(5, 4)), why="two axes"),
    Case("HASHTABLE_LOOKUP", (WANTED, KEYS, rand(5)), why="one axis"),
    Case("HASHTABLE_LOOKUP", (WANTED, KEYS, q(5, 4)), why="quantised"),
    Case(
        "HASHTABLE_LOOKUP", (WANTED, KEYS, rand(4, 4)), raises=BadModel, why="fewer rows than keys"
    ),
]
