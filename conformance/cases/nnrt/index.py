"""NNRt's slices, and elements by their positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, NotConstant

from ...case import Case, Const, f, rand
from .numbers import INTEGERS, alike, name, number, q, sizes

X = rand(4, 5, 6)
PLACES = np.array([[0, 3], [2, 2]], np.int32)
MASKS = dict.fromkeys(("beginMask", "endMask", "ellipsisMask", "newAxisMask", "shrinkAxisMask"), 0)
SPARSE = (np.array([[0, 1], [2, 0]], np.int64), f(5, 7))


def masks(**given: int) -> dict[str, Any]:
    """The five masks."""
    return MASKS | given


CASES = [
    *(Case("GATHER", (X, PLACES, number(a)), why=f"axis {a}") for a in (0, 1, -1)),
    Case("GATHER", (X, Const(PLACES), number(0)), why="known places"),
    Case("GATHER", (X, PLACES[0], sizes(1)), why="an axis in a vector"),
    *(Case("GATHER", (rand(4, 5, dtype=d, low=0, high=5), PLACES, number(0)), why=name(d))
      for d in (*INTEGERS, np.bool_, np.float64)),
    Case("GATHER", (q(4, 5), PLACES, number(1)), results=alike(), why="int8 with one scale"),
    Case("GATHER", (X, PLACES.astype(np.int64), number(0)), raises=BadFile, why="int64"),
    Case("GATHER", (X, PLACES, number(3)), raises=BadType, why="no such axis"),
    Case("GATHER", (X, PLACES, number(0).array), raises=NotConstant, why="axis while running"),
    *(Case("GATHER_ND", (X, p.astype(d)), why=f"{p.shape} of {name(d)}")
      for d in (np.int32, np.int64) for p in (PLACES, np.array([[[1, 2, 3]], [[0, 4, 5]]]),
                                              np.array([[3], [0]]))),
    Case("GATHER_ND", (X, PLACES.astype(np.int8)), raises=BadFile, why="int8 places"),
    Case("SLICE", (X, sizes(1, 0, 2), sizes(2, 5, 3))),
    Case("SLICE", (X, sizes(1, 2), sizes(2, 3)), {"axes": (0, 2)}, why="of two axes"),
    Case("SLICE", (X, sizes(1), sizes(3)), {"axes": (-2,)}, why="of one axis"),
    Case("SLICE", (q(4, 5), sizes(1, 1), sizes(2, 2)), results=alike(), why="int8 with one scale"),
    Case("SLICE", (X, sizes(1, 0, 2), sizes(2, 5, 9)), raises=BadType, why="beyond the end"),
    Case("SLICE", (X, sizes(1, 0), sizes(2, 5)), raises=BadType, why="two of three axes"),
    Case("SLICE", (X, sizes(1, 0), sizes(2, 5)), {"axes": (0,)}, raises=BadType,
         why="two for one axis"),
    Case("STRIDED_SLICE", (X, sizes(1, 0, 5), sizes(4, 5, 0), sizes(2, 1, -2)), masks()),
    Case("STRIDED_SLICE", (X, sizes(1, 1, 1), sizes(2, 2, 2), sizes(1, 1, 1)),
         masks(beginMask=5, endMask=3), why="begin and end"),
    Case("STRIDED_SLICE", (X, sizes(0, 1), sizes(0, 3), sizes(1, 1)), masks(ellipsisMask=1),
         why="an ellipsis"),
    Case("STRIDED_SLICE", (X, sizes(0, 1), sizes(0, 3), sizes(1, 1)), masks(newAxisMask=1),
         why="a new axis"),
    Case("STRIDED_SLICE", (X, sizes(2, 1), sizes(3, 3), sizes(1, 1)), masks(shrinkAxisMask=1),
         why="one position"),
    Case("STRIDED_SLICE", (X, sizes(-1, -4), sizes(-4, -1), sizes(-1, 2)), masks(),
         why="from the end"),
    Case("STRIDED_SLICE", (X, sizes(0), sizes(2), sizes(0)), masks(), raises=BadType,
         why="no step"),
    Case("STRIDED_SLICE", (X, sizes(0), sizes(2), sizes(1)), raises=BadFile, why="no masks"),
    Case("CROP", (X, sizes(2, 3, 4)), {"axis": 0, "offset": (1,)}),
    Case("CROP", (X, sizes(4, 3, 4)), {"axis": 1, "offset": (2, 1)}, why="an offset for each"),
    Case("CROP", (X, sizes(4, 5, 4)), {"axis": -1, "offset": (2,)}, why="the last axis"),
    Case("CROP", (X, sizes(2, 3, 4)), {"axis": 0, "offset": (3,)}, raises=BadType,
         why="beyond the end"),
    Case("CROP", (X, sizes(2, 3)), {"axis": 0, "offset": (0,)}, raises=BadType, why="two sizes"),
    *(Case("SCATTER_ND", (PLACES.astype(d), f(1, 2), sizes(3, 4, dtype=d)), why=name(d))
      for d in (np.int32, np.int64)),
    Case("SCATTER_ND", (np.array([[1], [3], [1]], np.int32), rand(3, 4), sizes(5, 4)),
         why="a place twice"),
    Case("SCATTER_ND", (Const(PLACES), rand(2, dtype=np.int32), sizes(3, 4)), why="integers"),
    Case("SCATTER_ND", (PLACES[0], f(1), sizes(3)), raises=BadType, why="one axis of places"),
    Case("SPARSE_TO_DENSE", (*SPARSE, sizes(3, 4, dtype=np.int64))),
    Case("SPARSE_TO_DENSE", (SPARSE[0].astype(np.int32), SPARSE[1], sizes(3, 4)), why="int32"),
    Case("SPARSE_TO_DENSE", (Const(SPARSE[0]), rand(2, dtype=np.int32), sizes(3, 4)),
         why="integers"),
    Case("SPARSE_TO_DENSE", (SPARSE[0][0], SPARSE[1], sizes(3, 4)), raises=BadFile,
         why="a vector of places"),
    *(Case("ONE_HOT", (PLACES, number(4), Const(f(2).reshape(())), Const(f(-1).reshape(()))),
           {"axis": a}) for a in (-1, 0, 1)),
    Case("ONE_HOT", (np.array([0, -1, 9], np.int32), number(4), Const(f(1)), Const(f(0))),
         {"axis": -1}, why="places outside"),
    Case("ONE_HOT", (PLACES, number(4), number(1), number(0)), {"axis": -1}, why="integers"),
    Case("ONE_HOT", (PLACES, number(4), number(1), number(0)), {"axis": 5}, raises=BadType,
         why="no such axis"),
]  # fmt: skip
