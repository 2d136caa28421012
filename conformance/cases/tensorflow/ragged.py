"""TensorFlow's ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Limit, f, i, rand, scalar

SPLITS = i(0, 2, 2, 5, 6)
DEEP = i(0, 1, 1, 3, 4)
VALUES = rand(6)
ROWS = rand(6, 3)
IDS = i(0, 0, 2, 2, 2, 3)
NONE = i(0)
ALL: dict[str, Any] = {"row_partition_types": ["ROW_SPLITS"]}
NUMBERED: dict[str, Any] = {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]}
TWO: dict[str, Any] = {"row_partition_types": ["ROW_SPLITS", "ROW_SPLITS"]}
LOOSE = Const(scalar(-1, np.int64))


def sizes(*values: int) -> Const:
    """A shape that is known."""
    return Const(i(*values))


CASES = [
    Case("RaggedRange", (i(0, 5, 8), i(3, 5, 12), i(1, 1, 2))),
    Case("RaggedRange", (i(9, 5, 3), i(0, 7, 4), i(-4, -1, 3)), why="downwards, an empty row"),
    Case("RaggedRange", (i(3, 0, 4), scalar(6, np.int64), Const(scalar(1, np.int64))),
         {"Tsplits": Precision.INT32}, why="one end for all"),
    Case("RaggedRange", (scalar(2, np.int32), scalar(9, np.int32), scalar(3, np.int32)),
         why="one row"),
    Case("RaggedRange", (f(0, 1, 2.5), f(1, 3, 2), f(0.25, 0.5, 1)), tol=ROUNDS),
    Case("RaggedRange", (Const(i(1, 2)), Const(i(3, 2)), Const(i(1, 1))), why="known"),
    *(Case("RaggedGather", ([SPLITS], values, rows), {"OUTPUT_RAGGED_RANK": rank}, why=why)
      for values in (VALUES, ROWS)
      for rows, rank, why in ((i(2, 0, 1, 2), 1, f"{values.ndim} axes"),
                              (i(3, 2, 1, 0, 0, 2).reshape(3, 2), 2, f"{values.ndim} axes, grid"),
                              (i(), 1, f"{values.ndim} axes, nothing"))),
    Case("RaggedGather", ([DEEP, SPLITS], ROWS, i(2, 0, 3)), {"OUTPUT_RAGGED_RANK": 2},
         why="two levels"),
    Case("RaggedGather", ([i(0, 1, 3, dtype=np.int32)], f(1, 2, 3), i(1, dtype=np.int32)),
         {"OUTPUT_RAGGED_RANK": 1}, why="bounds of 32 bits"),
    *(Case("RaggedTensorToTensor", (LOOSE, values, Const(scalar(-1)), [splits]), ALL, why=why)
      for values, splits, why in (
          (VALUES, SPLITS, "elements"), (ROWS, SPLITS, "rows"), (f(), i(0, 0, 0), "empty rows"),
          (f(), NONE, "no rows"), (VALUES, Const(SPLITS), "known bounds"))),
    *(Case("RaggedTensorToTensor", (sizes(*shape), VALUES, scalar(7), [SPLITS]), ALL,
           why=f"{list(shape)}")
      for shape in ((-1, -1), (4, 2), (2, -1), (6, 5), (-1, 1), (0, 3))),
    Case("RaggedTensorToTensor", (i(5, 2), VALUES, scalar(7), [SPLITS]), ALL, why="computed sizes"),
    Case("RaggedTensorToTensor", (i(-1, 2), VALUES, scalar(7), [SPLITS]), ALL,
         why="computed sizes, one of them open"),
    Case("RaggedTensorToTensor", (sizes(-1, 3, 3), ROWS, f(1, 2, 3), [SPLITS]), ALL,
         why="a default for each column"),
    Case("RaggedTensorToTensor", (LOOSE, ROWS, scalar(0), [DEEP, SPLITS]), TWO, why="two levels"),
    Case("RaggedTensorToTensor", (sizes(3, 1, 2, 3), ROWS, scalar(9), [DEEP, SPLITS]), TWO,
         why="two levels, cut"),
    Case("RaggedTensorToTensor", (sizes(5, 3, 4), VALUES, scalar(9), [DEEP, SPLITS]), TWO,
         why="two levels, longer"),
    Case("RaggedTensorToTensor", (LOOSE, VALUES, scalar(0), [scalar(5, np.int64), IDS]), NUMBERED),
    Case("RaggedTensorToTensor",
         (LOOSE, VALUES, scalar(0),
          [Const(scalar(3, np.int64)), i(0, 2, 2, 2), i(0, 0, 1, 3, 3, 3)]),
         {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"]},
         why="two levels of numbers of rows"),
    Case("RaggedTensorToTensor", (LOOSE, i(5, 6, 7), scalar(0, np.int64),
                                  [i(0, 1, 3, dtype=np.int32)]), ALL, why="bounds of 32 bits"),
    Case("RaggedTensorToTensor", (sizes(2, 3, 4), VALUES, scalar(0), [SPLITS]), ALL, raises=BadType,
         why="too many sizes"),
    Case("RaggedTensorToTensor", (LOOSE, VALUES, scalar(0), [SPLITS]),
         {"row_partition_types": ["ROW_LIMITS"]}, raises=Unsupported),
    *(Case("RaggedTensorToSparse", (nested, values), why=why)
      for nested, values, why in (
          ([SPLITS], VALUES, "elements"), ([SPLITS], ROWS, "rows"),
          ([DEEP, SPLITS], VALUES, "two levels"), ([DEEP, SPLITS], ROWS, "two levels of rows"),
          ([i(0, 2, 4), DEEP, SPLITS], VALUES, "three levels"),
          ([i(0, 1, 1, 2), i(0, 2, 4), DEEP, SPLITS], ROWS, "four levels of rows"),
          ([i(0, 0, 0)], f(), "empty rows"), ([NONE], f(), "no rows"))),
    *(Case("RaggedBincount", (SPLITS, i(1, 0, 2, 2, 5, 1), Const(scalar(4, np.int64)), weights),
           {"binary_output": binary}, why=f"{why} {binary}", tol=ROUNDS)
      for binary in (False, True)
      for weights, why in ((f(), "no weights"), (f(0.5, 1, 2, 3, 4, 5), "weights"))),
    *(Case("RaggedBincount", (SPLITS, i(1, 0, 2, 2, 5, 1), size, weights),
           {"binary_output": binary}, tol=ROUNDS, why=f"{why}, {len(weights)} weights, {binary}")
      for size, why in ((scalar(4, np.int64), "a running size"),
                        (Const(scalar(6, np.int64)), "a known size"))
      for weights in (rand(6), f()) for binary in (False, True) if not (len(weights) and binary)),
]  # fmt: skip
LIMITS: list[Limit] = []
