"""TensorFlow's hash tables of numbers; whole models are in test_tensorflow_rows.py."""

from __future__ import annotations

import numpy as np

from frontends.source import Contents
from nnir.errors import BadType

from ...case import Case, Limit, f, i, rand, scalar

CLOSE = Contents("close", i(5, 7, 6, -2), i(0, 1, 2, 3))
FAR = Contents("far", i(10**12, -(10**15), 7, 0, 2**62, -(2**63), 99), f(1, 2, 3, 4, 5, 6, 7))
SMALL = Contents("small", i(3, 900000, -5, dtype=np.int32), f(0.5, -1, 2))
ROWS = Contents("rows", i(1, 2, 9), rand(3, 4))
NOTHING = Contents("nothing", i(), f())
ENDS = i(2**63 - 1, -(2**63), 0, 7, 6, -3, 10**12, 2**62, 2**62 + 1)

CASES = [
    *(Case("LookupTableFindV2", (CLOSE, keys, scalar(-1, np.int64)), why=f"close keys, {why}")
      for why, keys in (("vector", ENDS), ("matrix", i(5, 7, 8, 6, -2, -3).reshape(2, 3)),
                        ("one", scalar(6, np.int64)), ("nothing", i()))),
    *(Case("LookupTableFindV2", (FAR, keys, scalar(-1)), why=f"distant keys, {why}")
      for why, keys in (("vector", ENDS), ("matrix", ENDS[:8].reshape(2, 4)))),
    Case("LookupTableFindV2", (SMALL, i(3, 4, -5, 900000, -6, 900001, dtype=np.int32), scalar(9))),
    Case("LookupTableFindV2", (ROWS, i(9, 3, 1), f(1, 2, 3, 4)), why="rows"),
    Case("LookupTableFindV2", (NOTHING, i(9, 3, 1), scalar(5)), why="an empty table"),
    Case("LookupTableFindV2", (CLOSE, f(1), scalar(-1, np.int64)), why="keys of another type",
         raises=BadType),
    Case("LookupTableFindV2", (CLOSE, i(1), scalar(-1)), why="a default of another type",
         raises=BadType),
    *(Case("LookupTableSizeV2", (table,), why=table.name) for table in (CLOSE, NOTHING)),
]  # fmt: skip
LIMITS: list[Limit] = []
