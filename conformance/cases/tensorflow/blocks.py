"""TensorFlow's moves between space, batch and channels."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, i, rand

IMAGE = rand(2, 4, 6, 3)
BLOCKS = Const(np.array([2, 3], np.int32))
NONE = Const(np.zeros((2, 2), np.int32))
SOME = Const(np.array([[1, 1], [0, 0]], np.int32))
TALL = rand(12, 2, 3, 2)

CASES = [
    Case("SpaceToBatchND", (IMAGE, BLOCKS, NONE)),
    Case("SpaceToBatchND", (IMAGE, BLOCKS, SOME), why="padded"),
    Case("SpaceToBatchND", (IMAGE, BLOCKS, SOME.array), why="run-time paddings"),
    Case("SpaceToBatchND", (rand(2, 4), Const(i(2)), Const(np.array([[2, 0]]))), why="one axis"),
    Case("SpaceToBatchND", (rand(2, 5, 6, 3), BLOCKS, NONE), why="uneven", raises=BadType),
    Case("SpaceToBatch", (IMAGE, SOME), {"block_size": 2}),
    Case("BatchToSpaceND", (TALL, BLOCKS, NONE)),
    Case("BatchToSpaceND", (TALL, BLOCKS, SOME), why="cropped"),
    Case("BatchToSpaceND", (TALL, BLOCKS, SOME.array), why="run-time crops"),
    Case("BatchToSpace", (TALL, SOME), {"block_size": 2}),
    *(Case(op, (rand(2, 4, 6, 8),), {"block_size": 2}) for op in ("SpaceToDepth", "DepthToSpace")),
    Case("DepthToSpace", (i(*range(16)).reshape(1, 2, 2, 4),), {"block_size": 2}, why="integers"),
    Case("DepthToSpace", (IMAGE,), {"block_size": 2, "data_format": "NCHW_VECT_C"},
         raises=Unsupported),
]  # fmt: skip
