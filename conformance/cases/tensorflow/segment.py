"""TensorFlow's reductions of groups of rows, and counts of values."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, f, i, rand, scalar
from .shape import axis, ints

X = rand(5, 2)
IDS = ints(0, 0, 2, 2, 4)
MIXED = ints(3, 0, -1, 0, 2)
KINDS = ("Sum", "Prod", "Min", "Max")
SPARSE = ("Sum", "Mean", "SqrtN")
CHOSEN = (ints(3, 0, 4), ints(0, 0, 2))

CASES = [
    *(Case(f"UnsortedSegment{k}", (X, MIXED, axis(5)), tol=ROUNDS) for k in KINDS),
    *(Case(f"UnsortedSegment{k}", (X, Const(i(3, 0, 1, 0, 2)), axis(4)), why="known", tol=ROUNDS)
      for k in KINDS),
    *(Case(f"UnsortedSegment{k}", (i(5, -7, 2, 3, 1), MIXED, scalar(4, np.int32)),
           why="integers and a run-time number") for k in KINDS),
    *(Case(f"UnsortedSegment{k}", (rand(2, 3, 2), ints(1, 0, 1, 2, 2, -1, shape=(2, 3)), axis(3)),
           why="two axes", tol=ROUNDS) for k in KINDS),
    Case("UnsortedSegmentSum", (rand(0, 2), ints(), axis(2)), why="nothing"),
    Case("UnsortedSegmentSum", (rand(2, 0, 3), ints(shape=(2, 0)), axis(2)), why="empty rows"),
    Case("UnsortedSegmentMax", (f(1, -np.inf, np.inf, 2, 3), MIXED, axis(4)), why="infinities"),
    *(Case(f"Segment{k}", (X, IDS), tol=ROUNDS) for k in (*KINDS, "Mean")),
    *(Case(f"Segment{k}", (X, Const(IDS)), why="known", tol=ROUNDS) for k in (*KINDS, "Mean")),
    *(Case(f"Segment{k}", (i(-1, 2, -4, -5, 7), IDS), why="integers") for k in (*KINDS, "Mean")),
    *(Case(f"Segment{k}", (X, Const(ints(*ids))), why=f"known, {ids}", tol=ROUNDS)
      for ids in ((0, 0, 1, 1, 2), (1, 1, 1, 3, 3)) for k in (*KINDS, "Mean")),
    *(Case(f"Segment{k}", (rand(0, 2), ids), why=f"nothing, {why}") for k in (*KINDS, "Mean")
      for ids, why in ((ints(), "while running"), (Const(ints()), "known"))),
    *(Case(f"Segment{k}", (rand(2, 2), ids), why=f"ids {list(ids.shape)}", raises=BadType)
      for k in (*KINDS, "Mean") for ids in (ints(0, 1, shape=(2, 1)), scalar(0, np.int32))),
    *(Case(f"SparseSegment{k}", (X, i(3, 0), ids), why=f"ids {list(ids.shape)}", raises=BadType)
      for k in SPARSE for ids in (ints(0, 1, shape=(2, 1)), ints(0, 1, shape=(1, 2)))),
    *(Case(f"SparseSegment{k}", (X, *CHOSEN), tol=ROUNDS) for k in SPARSE),
    *(Case(f"SparseSegment{k}", (X, i(3, 0, 4), Const(ints(0, 0, 1))), why="known", tol=ROUNDS)
      for k in SPARSE),
    *(Case(f"SparseSegment{k}WithNumSegments", (X, *CHOSEN, axis(4)), tol=ROUNDS) for k in SPARSE),
    *(Case(f"SparseSegment{k}WithNumSegments", (X, *CHOSEN, scalar(4, np.int32)), why="run-time",
           tol=ROUNDS) for k in SPARSE),
    Case("Bincount", (ints(1, 5, 2, 1), axis(3), Const(f()))),
    Case("Bincount", (ints(1, 5, 2, 1), axis(6), f(1, 2, 3, 4)), why="weights"),
    Case("Bincount", (ints(1, 5, 2, 1, shape=(2, 2)), scalar(4, np.int32), Const(i())),
         why="run-time"),
    Case("DenseBincount", (ints(1, 5, 2, 1), axis(3), Const(f()))),
    Case("DenseBincount", (i(1, 5, 2, 1), Const(scalar(6, np.int64)), Const(f())),
         {"binary_output": True}),
    Case("DenseBincount", (ints(1, 5, 2, 1, 0, 1, shape=(2, 3)), axis(3), Const(f())), why="rows"),
    Case("DenseBincount", (ints(1, 5, 2, 1, 0, 1, shape=(2, 3)), axis(6), rand(2, 3)),
         why="weights of rows", tol=ROUNDS),
    Case("DenseBincount", (ints(1, 5, 2, 1, 0, 1, shape=(2, 3)), scalar(4, np.int32), Const(f())),
         {"binary_output": True}),
    Case("DenseBincount", (ints(1, 2, shape=(1, 1, 2)), axis(3), Const(f())), why="a block",
         raises=BadType),
    Case("Bucketize", (f(-1, 0, 1, 5, np.nan, np.inf),), {"boundaries": [0.0, 1.0, 2.5]}),
    Case("Bucketize", (rand(2, 3, dtype=np.float64),), {"boundaries": [0.1, 1.0]}),
    Case("Bucketize", (ints(-1, 0, 1, 9),), {"boundaries": [0.0, 1.0, 2.5]}),
    Case("Bucketize", (scalar(2),), {"boundaries": []}, why="no boundaries"),
    Case("HistogramFixedWidth", (f(-1, 0, 1.5, 2, 5, 15), f(0, 5), axis(5))),
    Case("HistogramFixedWidth", (rand(3, 4), Const(f(-1, 1)), scalar(3, np.int32)),
         {"dtype": Precision.INT64}),
    Case("HistogramFixedWidth", (ints(1, 2, 7), ints(0, 8), axis(3)), why="integers"),
    *(Case(f"SparseSegment{k}", (X, *CHOSEN), {"sparse_gradient": True}, tol=ROUNDS)
      for k in SPARSE),
    *(Case(f"SparseSegment{k}WithNumSegments", (X, *CHOSEN, axis(4)), {"sparse_gradient": True},
           tol=ROUNDS) for k in SPARSE),
]  # fmt: skip
