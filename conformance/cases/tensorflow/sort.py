"""TensorFlow's operators that order elements, or search among ordered ones."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar
from .shape import axis, ints, known

X = rand(2, 3, 5)
ROWS = np.sort(rand(2, 5), axis=1)
NAN = f(1, np.nan, 3, np.nan, -2)
UNIQUES = ("Unique", "UniqueWithCounts")
COUNTS = {"Unique": 2, "UniqueV2": 2, "UniqueWithCounts": 3, "UniqueWithCountsV2": 3}

CASES = [
    Case("TopKV2", (X, axis(2)), outputs=2),
    Case("TopKV2", (f(1, 3, 3, -np.inf, np.inf), axis(5)), {"sorted": True}, outputs=2,
         why="ties"),
    Case("TopKV2", (rand(4, 6, dtype=np.int32, low=-99, high=99), scalar(3, np.int32)),
         {"index_type": Precision.INT64}, outputs=2, why="run-time"),
    Case("TopKV2", (f(1, 2), axis(3)), why="too many", raises=BadType, outputs=2),
    *(Case(op, (X, axis(a))) for op in ("ArgMax", "ArgMin") for a in (1,)),
    *(Case(op, (X, axis(-1)), {"output_type": Precision.INT32}) for op in ("ArgMax", "ArgMin")),
    *(Case(op, (NAN, axis(0)), why="nan") for op in ("ArgMax", "ArgMin")),
    *(Case(op, (i(3, 7, 7, 3), axis(0)), why="ties") for op in ("ArgMax", "ArgMin")),
    Case("ArgMax", (X, axis(0)), {"output_type": Precision.INT16}),
    Case("ArgMax", (rand(2, 3, dtype=np.bool_), axis(1)), why="bools"),
    Case("ArgMax", (rand(2, 3, dtype=np.float64), axis(1)), why="float64"),
    Case("ArgMax", (X, scalar(0, np.int32)), why="run-time axis", raises=NotConstant),
    *(Case(op, (i(4, 1, 4, 3, 1),), outputs=COUNTS[op]) for op in UNIQUES),
    *(Case(op, (f(4, 1, 4, 3, 1, -0.0, 0.0),), {"out_idx": Precision.INT64}, outputs=COUNTS[op])
      for op in UNIQUES),
    *(Case(op, (f(2, np.nan, 1, np.nan, 2),), outputs=COUNTS[op], why="nan") for op in UNIQUES),
    *(Case(op, (i(),), outputs=COUNTS[op], why="nothing") for op in UNIQUES),
    *(Case(op, (f(),), outputs=COUNTS[op], why="no floats") for op in UNIQUES),
    *(Case(f"{op}V2", (i(4, 1, 4, 3, 1), Const(i())), outputs=COUNTS[op]) for op in UNIQUES),
    *(Case(f"{op}V2", (i(4, 1, 4, 1, 4, 3).reshape(3, 2), known(0)), outputs=COUNTS[op],
           why="rows") for op in UNIQUES),
    *(Case(f"{op}V2", (i(4, 1, 4, 1, 4, 1).reshape(2, 3), Const(i(1))), outputs=COUNTS[op],
           why="columns") for op in UNIQUES),
    *(Case(op, (ROWS, rand(2, 3, seed=1))) for op in ("LowerBound", "UpperBound")),
    *(Case(op, (i(1, 2, 2, 3).reshape(1, 4), i(2, 0, 5).reshape(1, 3)),
           {"out_type": Precision.INT64}) for op in ("LowerBound", "UpperBound")),
    Case("LowerBound", (f(1, 2), f(1)), why="vectors", raises=BadType),
    Case("LowerBound", (f(1, 2), rand(2, 3)), why="a vector", raises=BadType),
    Case("UpperBound", (rand(2, 3), f(1, 2)), why="values in a vector", raises=BadType),
    *(Case("InTopK", (rand(4, 5), ints(1, 0, 4, 7)), {"k": k}) for k in (1, 3)),
    Case("InTopK", (f(1, np.inf, 2, np.nan, 3, 1).reshape(3, 2), ints(0, 1, 0)), {"k": 2},
         why="infinities"),
    Case("InTopKV2", (rand(4, 5), i(1, 0, 4, -1), Const(scalar(2, np.int64)))),
    Case("InTopKV2", (rand(4, 5), i(1, 0, 4, 3), scalar(3, np.int64)), why="run-time"),
    Case("NthElement", (X, axis(2))),
    Case("NthElement", (X, axis(1)), {"reverse": True}),
    Case("NthElement", (X, scalar(3, np.int32)), why="run-time"),
    Case("TopKV2", (X, axis(1)), {"sorted": False}, outputs=2, why="one has no order"),
    *(Case(f"{op}V2", (i(4, 1, 4, 3, 1), Const(i())), {"out_idx": Precision.INT64},
           outputs=COUNTS[op]) for op in UNIQUES),
]  # fmt: skip
