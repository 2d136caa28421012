"""TFLite's slices, gathers, scatters and searches."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, f, i, rand, scalar
from .numbers import name, number, q, same, sizes, stored

X = rand(3, 4, 5)
COUNTS = rand(3, 4, 5, dtype=np.int32, low=-9, high=9)
FLOAT = (np.float32,)
INT = (np.int32,)
TIES = f(1, 3, 3, -2, 3)
LONG = rand(3, 4, dtype=np.int64, low=-9, high=9)
SEGMENTS = ("PROD", "MAX", "MIN", "SUM")


def int32(*numbers: int) -> np.ndarray:
    """Numbers at run time."""
    return i(*numbers, dtype=np.int32)


CASES = [
    *(Case("GATHER", (X, int32(2, 0, 0)[: X.shape[a]]), {"axis": a}, why=f"axis {a}")
      for a in (0, 1, -1)),
    Case("GATHER", (X, number(1)), {"axis": 1}, why="one"),
    Case("GATHER", (X, Const(i([[0, 1], [2, 2]]))), why="int64 tables"),
    Case("GATHER", (X, rand(3, 2, dtype=np.int32, low=0, high=3)), {"axis": 1, "batch_dims": 1},
         opset=5),
    Case("GATHER", (X, rand(3, 2, dtype=np.int32, low=0, high=4)), {"axis": 2, "batch_dims": 1},
         opset=5),
    Case("GATHER", (COUNTS, int32(1)), why="int32"),
    *(Case("GATHER", (q(3, 4, dtype=d), int32(2, 1)), results=same(d), opset=4, why=name(d))
      for d in (np.int8, np.uint8, np.int16)),
    Case("GATHER_ND", (X, Const(i([0, 1], [2, 3], dtype=np.int32)))),
    Case("GATHER_ND", (X, i([0, 1, 2], [2, 3, 4])), why="elements"),
    Case("GATHER_ND", (q(3, 4), int32(2, 1).reshape(2, 1)), results=same(), opset=2, why="int8"),
    Case("SCATTER_ND", (Const(i([1], [3], dtype=np.int32)), rand(2, 4),
                        sizes(5, 4)), results=FLOAT),
    Case("SCATTER_ND", (int32(2, 2).reshape(2, 1), rand(2), sizes(4)), results=FLOAT, tol=ROUNDS,
         why="one place twice"),
    Case("SCATTER_ND", (int32(0, 2).reshape(2, 1), rand(2, dtype=np.int32), int32(4)), results=INT,
         why="sizes at run time"),
    Case("SCATTER_ND", (int32(1, 0).reshape(2, 1), q(2, 3), sizes(3, 3)), results=same(),
         why="int8: what is not named is the integer 0"),
    Case("SPARSE_TO_DENSE", (int32(1, 3), sizes(5), f(2, 3), scalar(-1.0)), results=FLOAT),
    Case("SPARSE_TO_DENSE", (i([0, 1], [2, 2], dtype=np.int32), sizes(3, 4), scalar(2, np.int32),
                             scalar(7, np.int32)), results=INT, why="one value"),
    Case("SLICE", (X, sizes(0, 1, 2), sizes(3, 2, -1))),
    Case("SLICE", (X, int32(0, 1, 2), int32(3, 2, 1)), why="at run time"),
    Case("SLICE", (X, Const(i(1, 0, 0)), Const(i(1, 4, 5))), why="int64"),
    Case("SLICE", (X, sizes(0, 1, 2), sizes(3, 0, -1)), why="nothing"),
    Case("SLICE", (X, sizes(0, 1, 2), sizes(3, 3, 4)), raises=BadType, why="behind the end"),
    *(Case("SLICE", (q(3, 4, dtype=d), sizes(1, 0), sizes(2, -1)), results=same(d), opset=4,
           why=name(d)) for d in (np.int8, np.uint8, np.int16)),
    Case("STRIDED_SLICE", (X, sizes(0, 1, 0), sizes(3, 4, 5), sizes(2, 1, 3))),
    Case("STRIDED_SLICE", (X, sizes(-1, 3, 4), sizes(-4, 0, -6), sizes(-1, -2, -1)),
         why="backwards"),
    Case("STRIDED_SLICE", (X, int32(0, 1, 0), int32(3, 4, 5), sizes(2, 1, 3)), why="at run time"),
    Case("STRIDED_SLICE", (X, sizes(1, 1, 1), sizes(2, 2, 2), sizes(1, 1, 1)),
         {"begin_mask": 2, "end_mask": 4}),
    Case("STRIDED_SLICE", (X, sizes(0, 2, 0), sizes(1, 4, 5), sizes(1, 1, 1)),
         {"shrink_axis_mask": 1}, why="a position"),
    Case("STRIDED_SLICE", (X, sizes(-1), sizes(0), sizes(1)), {"shrink_axis_mask": 1},
         why="the last"),
    Case("STRIDED_SLICE", (X, sizes(0, 1), sizes(0, 3), sizes(1, 1)), {"ellipsis_mask": 1},
         opset=5),
    Case("STRIDED_SLICE", (X, sizes(0, 1), sizes(0, 3), sizes(1, 1)), {"new_axis_mask": 1},
         opset=5),
    Case("STRIDED_SLICE", (X, sizes(1, 1, 1), sizes(1, 2, 3), sizes(1, 1, 1)), {"offset": True},
         opset=8),
    Case("SLICE", (q(2, 3), sizes(0, 0), sizes(1, 2)), results=stored(0.03), opset=2,
         why="int8, another scale"),
    Case("STRIDED_SLICE", (COUNTS, sizes(0, 1, 0), sizes(3, 4, 5), sizes(2, 1, 3)), why="int32"),
    *(Case("STRIDED_SLICE", (q(3, 4, dtype=d), sizes(0, 1), sizes(3, 4), sizes(1, 2)),
           results=same(d), opset=4, why=name(d)) for d in (np.int8, np.uint8, np.int16)),
    Case("DYNAMIC_UPDATE_SLICE", (X, rand(2, 1, 5), int32(1, 2, 0))),
    Case("DYNAMIC_UPDATE_SLICE", (X, rand(2, 1, 5), i(7, -2, 3)), why="starts that are moved",
         opset=2),
    Case("DYNAMIC_UPDATE_SLICE", (COUNTS, COUNTS[:1], Const(int32(2, 0, 0))), why="int32"),
    Case("DYNAMIC_UPDATE_SLICE", (X, rand(4, 1, 5), int32(0, 0, 0)), raises=BadType,
         why="an update that is too large"),
    *(Case("ONE_HOT", (int32(0, 2, 5, -1), number(3), Const(f(5.0).reshape(())),
                       Const(f(-1.0).reshape(()))), {"axis": a}, results=FLOAT) for a in (-1, 0)),
    Case("ONE_HOT", (int32(0, 1), number(3), q(), q(seed=4)), {"axis": -1}, results=same(),
         why="int8"),
    Case("ONE_HOT", (i([0, 2], [1, 1]), scalar(3, np.int32), scalar(1, np.int32),
                     scalar(0, np.int32)), {"axis": 1}, results=INT, why="int32 at run time"),
    Case("TOPK_V2", (X, number(3)), results=(np.float32, np.int32)),
    Case("TOPK_V2", (TIES, number(4)), results=(np.float32, np.int32), why="ties"),
    Case("TOPK_V2", (COUNTS, scalar(2, np.int32)), results=(np.int32, np.int32), opset=2,
         why="int32"),
    Case("TOPK_V2", (q(3, 7), number(3)), results=(*same(), np.int32), opset=2, why="int8"),
    *(Case(op, (X, number(a)), {"output_type": Precision.INT32}, results=INT, why=f"axis {a}")
      for op in ("ARG_MAX", "ARG_MIN") for a in (0, 1, -1)),
    *(Case(op, (TIES, sizes(0)), {"output_type": Precision.INT64}, results=(np.int64,),
           why="ties") for op in ("ARG_MAX", "ARG_MIN")),
    *(Case(op, (COUNTS, number(1)), {"output_type": Precision.INT64}, results=(np.int64,),
           why="int32") for op in ("ARG_MAX", "ARG_MIN")),
    *(Case(op, (q(3, 7, dtype=d), number(1)), {"output_type": Precision.INT32}, results=INT,
           opset=2, why=name(d)) for op in ("ARG_MAX", "ARG_MIN") for d in (np.int8, np.uint8)),
    *(Case(op, (X, number(0)), {"output_type": Precision.FLOAT32}, raises=BadType)
      for op in ("ARG_MAX", "ARG_MIN")),
    Case("UNIQUE", (f(3, 1, 3, 2, 1),), {"idx_out_type": Precision.INT32},
         results=(np.float32, np.int32)),
    Case("UNIQUE", (i(3, 1, 3, 2, 1),), {"idx_out_type": Precision.INT64},
         results=(np.int64, np.int64)),
    Case("BUCKETIZE", (rand(3, 4, low=-3, high=3),), {"boundaries": (-1.0, 0.0, 2.0)},
         results=INT),
    Case("BUCKETIZE", (int32(-1, 0, 5),), {"boundaries": (-1.0, 0.0, 2.0)}, results=INT),
    *(Case("CUMSUM", (X, number(a)), {"exclusive": e, "reverse": r}, tol=ROUNDS,
           why=f"axis {a} {e} {r}")
      for a, e, r in ((0, False, False), (1, True, False), (-1, False, True), (2, True, True))),
    Case("CUMSUM", (COUNTS, number(1)), why="int32"),
    Case("MATRIX_DIAG", (rand(2, 3),)),
    Case("MATRIX_DIAG", (rand(3, dtype=np.int32),)),
    Case("MATRIX_SET_DIAG", (rand(2, 3, 4), rand(2, 3, seed=1))),
    Case("MATRIX_SET_DIAG", (rand(4, 3, dtype=np.int32), rand(3, dtype=np.int32, seed=1))),
    Case("SEGMENT_SUM", (rand(5, 2), Const(int32(0, 0, 1, 2, 2))), tol=ROUNDS),
    Case("SEGMENT_SUM", (rand(5, 2, dtype=np.int32), Const(int32(0, 0, 1, 1, 2))), why="int32"),
    *(Case(f"UNSORTED_SEGMENT_{op}", (rand(5, 2), int32(2, 0, 1, 2, 2), number(3)), tol=ROUNDS)
      for op in SEGMENTS),
    *(Case(f"UNSORTED_SEGMENT_{op}", (rand(5, 2, dtype=np.int32), int32(2, 0, 0, 2, 2), number(4)),
           why="int32 with segments of nothing") for op in SEGMENTS),
]  # fmt: skip
