"""TensorFlow's operators that select elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar
from .shape import axis, ints, known

X = rand(3, 4, 5)
ONE, ZERO = Const(scalar(1)), Const(scalar(0))


def strided(
    begin: object, end: object, strides: object, why: str, x: object = X, **masks: int
) -> Case:
    """A slice with masks."""
    return Case("StridedSlice", (x, begin, end, strides), masks, why=why)


CASES = [
    strided(known(0, 1), known(2, 4), known(1, 1), "two axes"),
    strided(known(0, -1), known(-1, 0), known(2, -1), "negative"),
    strided(known(9, -9), known(-9, 9), known(-1, 1), "clipped"),
    strided(known(2, 2), known(1, 1), known(1, 1), "nothing"),
    strided(known(1, 2), known(2, 3), known(1, 1), "begin", begin_mask=3),
    strided(known(1, 2), known(2, 3), known(1, 1), "end", end_mask=2),
    strided(known(1, 2), known(2, 3), known(-1, -2), "backwards", begin_mask=1, end_mask=3),
    strided(known(1, 0, 2), known(2, 0, 4), known(1, 1, 1), "dots", ellipsis_mask=2),
    strided(known(0, 2), known(0, 4), known(1, 1), "dots in front", ellipsis_mask=1),
    strided(known(0, 0, 1), known(0, 0, 3), known(1, 1, 1), "new axis", new_axis_mask=2),
    strided(known(0, 0, 0), known(0, 0, 0), known(1, 1, 1), "dots and new", ellipsis_mask=1,
            new_axis_mask=6),
    strided(known(0, 0, 1), known(0, 0, 2), known(1, 1, 1), "new, dots, one", ellipsis_mask=2,
            new_axis_mask=1, shrink_axis_mask=4),
    strided(known(1), known(2), known(1), "one", shrink_axis_mask=1),
    strided(known(-1, 0, -2), known(0, 9, 1), known(1, 1, 1), "two of them", shrink_axis_mask=5,
            begin_mask=2),
    strided(known(1, 0, 1, 0), known(2, 0, 3, 0), known(1, 1, 2, 1), "one and new",
            shrink_axis_mask=1, new_axis_mask=10),
    strided(ints(1), ints(2), known(1), "run-time one", shrink_axis_mask=1),
    strided(ints(1, 0), ints(3, 2), known(1, 1), "run-time bounds"),
    strided(i(-2, 0), i(3, -1), Const(i(1, 2)), "run-time int64", end_mask=2),
    strided(known(1), known(3), known(1), "integers", x=i(4, 5, 6, 7)),
    strided(known(0), known(2), known(1), "bools", x=np.array([True, False, True])),
    Case("StridedSlice", (X, known(0), known(2), ints(1)), why="run-time", raises=NotConstant),
    Case("StridedSlice", (X, known(7), known(8), known(1)), {"shrink_axis_mask": 1},
         why="outside", raises=BadType),
    Case("StridedSlice", (rand(2), known(0, 0), known(1, 1), known(1, 1)), why="too many",
         raises=BadType),
    Case("TensorStridedSliceUpdate", (X, known(0, 1), known(2, 3), known(1, 1), rand(2, 2, 5))),
    *(Case("TensorStridedSliceUpdate", (rand(*sizes), known(*begin), known(*end), known(*by), new),
           why=f"{new.shape} into {list(sizes)}")
      for sizes, begin, end, by, new in (
          ((5,), (1,), (4,), (2,), rand(2)), ((5,), (4,), (0,), (-1,), scalar(9)),
          ((3, 4), (0, 1), (2, 4), (1, 2), rand(2, 2)), ((3, 4), (0, 1), (2, 4), (1, 2), rand(2)),
          ((3, 4), (1,), (3,), (1,), rand(1, 4)), ((2, 3, 1), (0, 0), (2, 3), (1, 2), scalar(1)))),
    Case("TensorStridedSliceUpdate", (X, known(0, 1), known(3, 2), known(2, 1), rand(2, 5)),
         {"shrink_axis_mask": 2, "end_mask": 1}),
    Case("Slice", (X, known(1, 0, 2), known(2, -1, 3))),
    Case("Slice", (X, ints(1, 0, 2), known(2, 4, 1)), why="run-time begin"),
    Case("Slice", (X, known(1, 0, 2), ints(1, 2, 0)), why="run-time size"),
    Case("Slice", (X, ints(1, 0, 2), ints(1, 2, 1)), why="run-time"),
    Case("Slice", (X, known(0, 0, 0), known(-1, -1, 5)), why="all"),
    Case("Slice", (scalar(1), known(), known()), why="no axes"),
    Case("Slice", (X, known(2, 0, 0), known(2, 1, 1)), why="outside", raises=BadType),
    Case("Gather", (X, ints(2, 0))),
    Case("Gather", (X, i(1).reshape(1, 1)), {"validate_indices": False}),
    Case("GatherV2", (X, ints(2, 0, 0), axis(1))),
    Case("GatherV2", (X, scalar(1, np.int64), axis(-1)), why="one"),
    Case("GatherV2", (X, ints(), axis(0)), why="none"),
    Case("GatherV2", (X, rand(3, 2, low=0, high=3, dtype=np.int32), axis(1)), {"batch_dims": 1}),
    Case("GatherV2", (X, rand(3, 2, 2, low=0, high=4, dtype=np.int32), axis(2)),
         {"batch_dims": 1}, why="axis behind"),
    Case("GatherV2", (X, rand(3, 4, low=0, high=4, dtype=np.int32), axis(2)), {"batch_dims": -1},
         why="one per batch"),
    Case("GatherV2", (X, ints(0), axis(0)), {"batch_dims": 1}, why="axis", raises=BadType),
    Case("GatherNd", (X, ints(2, 0, 1, 3, shape=(2, 2)))),
    Case("GatherNd", (X, i(1)), why="one"),
    Case("GatherNd", (X, np.zeros((2, 0), np.int32)), why="no axes"),
    Case("GatherNd", (X, i(1)), {"bad_indices_policy": "IGNORE"}, raises=Unsupported),
    Case("OneHot", (i(0, 2, -1, 3), axis(3), ONE, ZERO)),
    Case("OneHot", (ints(0, 2, 1, 3, shape=(2, 2)), axis(3), scalar(5), scalar(-5)), {"axis": 1}),
    Case("OneHot", (ints(0, 2), axis(3), Const(scalar(True, np.bool_)),
                    Const(scalar(False, np.bool_))), {"axis": 0}, why="bools"),
    Case("OneHot", (i(0, 2, dtype=np.uint8), axis(300), Const(scalar(1, np.int64)),
                    Const(scalar(0, np.int64))), why="uint8"),
    Case("OneHot", (ints(0, 2), scalar(4, np.int32), ONE, ZERO), why="run-time depth"),
    Case("OneHot", (scalar(1, np.int32), axis(2), ONE, ZERO), why="one"),
    Case("InvertPermutation", (ints(2, 0, 3, 1),)),
    Case("InvertPermutation", (i(),), why="nothing"),
    Case("Where", (rand(2, 3, dtype=np.bool_),)),
    Case("Where", (f(0, np.nan, -0.0, 2),), why="numbers"),
    Case("DynamicPartition", (rand(4, 2), ints(1, 0, 1, 1)), {"num_partitions": 3}, outputs=3),
    Case("DynamicPartition", (rand(2, 3), ints(1, 0, 1, 1, 0, 0, shape=(2, 3))),
         {"num_partitions": 2}, outputs=2, why="two axes"),
    Case("DynamicPartition", (rand(3), scalar(1, np.int32)), {"num_partitions": 2}, outputs=2,
         why="one"),
    *(
        Case(op, ([ints(0, 3), ints(2, 1)], [rand(2, 2), rand(2, 2, seed=1)]), why="run-time")
        for op in ("DynamicStitch", "ParallelDynamicStitch")
    ),
    Case("DynamicStitch", ([known(0, 3), known(2, 1, shape=(1, 2))], [rand(2, 3), rand(1, 2, 3)])),
    Case("DynamicStitch", ([known(0, 1), known(1)], [rand(2, 3), rand(1, 3)]), why="twice"),
    Case("DynamicStitch", ([known(2, 0)], [rand(2, 3)]), why="one list"),
    Case("ListDiff", (i(1, 2, 3, 2, 4), i(2, 9)), outputs=2),
    Case("ListDiff", (f(1, 2, np.nan), f(2, np.nan)), {"out_idx": Precision.INT64}, outputs=2),
    Case("ListDiff", (i(1, 2), i()), outputs=2, why="nothing"),
    Case("UnravelIndex", (ints(5, 3, 22), known(2, 3, 4))),
    Case("UnravelIndex", (scalar(7, np.int64), i(3, 4)), why="run-time"),
    Case("DataFormatDimMap", (ints(0, 1, 2, 3, -1),)),
    Case("DataFormatDimMap", (ints(0, 1, 3),), {"src_format": "NCHW", "dst_format": "NHWC"}),
    Case("DataFormatVecPermute", (ints(1, 2, 3, 4),)),
    Case("DataFormatVecPermute", (ints(1, 2, 3, 4, 5, 6, 7, 8, shape=(4, 2)),),
         {"src_format": "NCHW", "dst_format": "NHWC"}),
    Case("DataFormatVecPermute", (ints(1, 2),), why="the image alone"),
    Case("DataFormatVecPermute", (ints(1, 2, 3, 4),), {"dst_format": "NCXY"}, raises=Unsupported),
    Case("TensorStridedSliceUpdate", (X, known(1, 1), known(2, 3), known(1, 1), rand(2, 2, 5)),
         {"begin_mask": 1}),
    Case("TensorStridedSliceUpdate", (X, known(0, 1), known(0, 3), known(1, 1), rand(3, 4, 2)),
         {"ellipsis_mask": 1}),
    Case("TensorStridedSliceUpdate",
         (X, known(0, 0, 1), known(0, 2, 3), known(1, 1, 1), rand(1, 2, 2, 5)),
         {"new_axis_mask": 1}),
]  # fmt: skip
