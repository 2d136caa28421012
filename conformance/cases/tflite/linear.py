"""TFLite's dense layers and products of matrices."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, i, rand
from ...engines.tflite import Blocked, Scaled, Sparse
from .numbers import QUANTUM, integers, q, stored

X = rand(3, 7)
W = Const(rand(5, 7, seed=1))
B = Const(rand(5, seed=2))
FLOAT = (np.float32,)
BYTES = q(5, 7, seed=1, scale=0.005, zero=0, constant=True)
SCALES = (0.004, 0.006, 0.003, 0.005, 0.007)
ROWS = Scaled(integers(5, 7, seed=1), SCALES, (0,) * 5, constant=True)
NIBBLES = Scaled(
    rand(5, 7, seed=1, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4), 0.05, 0, constant=True
)
WIDE = q(3, 7, dtype=np.int16)
HOLES = rand(8, 8, seed=9) * (rand(8, 8, seed=4) > 0.4)
"""A matrix of which most is 0."""
PIECES = np.kron(rand(8, 3, seed=5) > 0, np.ones((1, 4))).astype(np.float32) * rand(8, 12, seed=6)
"""Another in which blocks of 1 by 4 are 0."""
ROW_BLOCKS = Blocked(
    rand(3, 64, seed=1, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4),
    rand(3, 2, seed=2, low=0.01, high=0.1).astype(np.float16),
    32,
)
THIRDS = Blocked(
    rand(3, 96, seed=3, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4),
    rand(3, 3, seed=4, low=0.01, high=0.1).astype(np.float16),
    32,
)
LEFT, RIGHT = rand(2, 3, 4), rand(2, 4, 5, seed=1)


def bias(scale: float | tuple[float, ...], dtype: type = np.int32) -> Scaled:
    """A bias in the scale of the products."""
    zeros = (0,) * 5 if isinstance(scale, tuple) else 0
    return Scaled(rand(5, seed=3, dtype=dtype, low=-900, high=900), scale, zeros, constant=True)


CASES = [
    Case("FULLY_CONNECTED", (X, W, B), tol=ROUNDS),
    Case("FULLY_CONNECTED", (X, W, None), tol=ROUNDS, why="no bias", opset=6),
    Case("FULLY_CONNECTED", (X, W), tol=ROUNDS, why="two inputs", opset=6),
    Case("FULLY_CONNECTED", (X, Const(np.zeros((0, X.shape[-1]), np.float32)),
                             Const(np.zeros(0, np.float32))), {"keep_num_dims": True},
         tol=ROUNDS, why="no outputs", opset=5),
    Case("FULLY_CONNECTED", (X, rand(5, 7), rand(5)), tol=ROUNDS, why="all at run time"),
    *(Case("FULLY_CONNECTED", (X, W, B), {"fused_activation_function": a}, tol=ROUNDS)
      for a in ("RELU", "RELU6", "RELU_N1_TO_1")),
    Case("FULLY_CONNECTED", (rand(2, 3, 7), W, B), {"keep_num_dims": True}, tol=ROUNDS, opset=5),
    Case("FULLY_CONNECTED", (rand(2, 3, 7), W), {"keep_num_dims": True}, tol=ROUNDS, opset=6,
         why="no bias, axes kept"),
    Case("FULLY_CONNECTED", (rand(2, 3, 7), W, B), tol=ROUNDS, why="axes joined"),
    Case("FULLY_CONNECTED", (rand(2, 3, 14), W, B), tol=ROUNDS, why="rows that are cut"),
    Case("FULLY_CONNECTED", (X, W, B), {"weights_format": "SHUFFLED4x16INT8"},
         raises=Unsupported),
    Case("FULLY_CONNECTED", (X, Const(rand(7)), B), raises=BadType, why="weights of one axis"),
    Case("FULLY_CONNECTED", (q(3, 7), BYTES, bias(0.02 * 0.005)), results=stored(0.04, 3),
         tol=QUANTUM, opset=4, why="int8"),
    Case("FULLY_CONNECTED", (q(3, 7), ROWS, bias(tuple(0.03 * s for s in SCALES))),
         results=stored(0.04, 3), tol=QUANTUM, opset=12, why="int8, a bias of other scales"),
    Case("FULLY_CONNECTED", (q(3, 7), BYTES, None), results=stored(0.04, 3),
         tol=QUANTUM, opset=6, why="int8, no bias"),
    Case("FULLY_CONNECTED", (q(3, 7), BYTES, bias(0.02 * 0.005)),
         {"fused_activation_function": "RELU"}, results=stored(0.04, 3), tol=QUANTUM, opset=4,
         why="int8, relu"),
    Case("FULLY_CONNECTED", (q(3, 7), ROWS, bias(tuple(0.02 * s for s in SCALES))),
         results=stored(0.04, 3), tol=QUANTUM, opset=12, why="int8, a scale for each row"),
    Case("FULLY_CONNECTED", (q(3, 7), NIBBLES, bias(0.02 * 0.05)), results=stored(0.04, 3),
         tol=QUANTUM, opset=10, why="int4 weights"),
    Case("FULLY_CONNECTED", (q(3, 7, dtype=np.uint8), q(5, 7, dtype=np.uint8, scale=0.005,
                             constant=True), bias(0.02 * 0.005)),
         results=stored(0.04, 100, np.uint8), tol=QUANTUM, why="uint8"),
    Case("FULLY_CONNECTED", (WIDE, BYTES, bias(0.0001 * 0.005, np.int64)),
         results=stored(0.0004, 0, np.int16), tol=QUANTUM, opset=7, why="int16"),
    Case("FULLY_CONNECTED", (X, BYTES, B), results=FLOAT, tol=Tolerance(absolute=0.05), opset=3,
         why="int8 weights: LiteRT quantises the rows too"),
    Case("BATCH_MATMUL", (LEFT, RIGHT), tol=ROUNDS),
    Case("BATCH_MATMUL", (LEFT, Const(RIGHT[:1])), tol=ROUNDS, why="broadcast"),
    Case("BATCH_MATMUL", (rand(4, 3), rand(3, 5)), tol=ROUNDS, why="two axes"),
    Case("BATCH_MATMUL", (rand(2, 4, 3), RIGHT), {"adj_x": True}, tol=ROUNDS),
    Case("BATCH_MATMUL", (LEFT, rand(2, 5, 4)), {"adj_y": True}, tol=ROUNDS),
    Case("BATCH_MATMUL", (rand(2, 4, 3), rand(2, 5, 4)), {"adj_x": True, "adj_y": True},
         tol=ROUNDS),
    Case("BATCH_MATMUL", (q(2, 3, 4), q(2, 4, 5, seed=1, scale=0.005)), results=stored(0.02, 3),
         tol=QUANTUM, opset=2, why="int8"),
    Case("BATCH_MATMUL", (q(2, 3, 4), q(2, 5, 4, seed=1, scale=0.005)), {"adj_y": True},
         results=stored(0.02, 3), tol=QUANTUM, opset=2, why="int8, turned"),
    Case("BATCH_MATMUL", (q(2, 3, 4, dtype=np.int16), q(2, 4, 5, dtype=np.int16, seed=1)),
         results=stored(0.0005, 0, np.int16), tol=QUANTUM, opset=3, why="int16"),
    Case("EMBEDDING_LOOKUP", (i(2, 0, 2, dtype=np.int32), Const(rand(3, 4))), results=FLOAT),
    Case("EMBEDDING_LOOKUP", (i(2, 0, dtype=np.int32), Const(rand(3, 4, 2))), results=FLOAT,
         why="tables of tables"),
    Case("EMBEDDING_LOOKUP", (i(2, 0, dtype=np.int32), q(3, 4, zero=0, constant=True)),
         results=FLOAT, tol=ROUNDS, why="int8 rows", opset=2),
    Case("EMBEDDING_LOOKUP", (i(2, 0, dtype=np.int32), ROW_BLOCKS), results=FLOAT, tol=ROUNDS,
         opset=4, why="scales of blocks"),
    Case("EMBEDDING_LOOKUP", (i(2, 0, dtype=np.int32), THIRDS), results=FLOAT, tol=ROUNDS,
         opset=4, why="scales of three blocks"),
    Case("FULLY_CONNECTED", (rand(3, 8), Sparse(HOLES), Const(rand(8))), tol=ROUNDS, opset=8,
         why="sparse weights"),
    Case("FULLY_CONNECTED", (rand(3, 12), Sparse(PIECES, (1, 4)), Const(rand(8))), tol=ROUNDS,
         opset=8, why="sparse blocks of weights"),
    Case("DENSIFY", (Sparse(HOLES),), why="elements"),
    Case("DENSIFY", (Sparse(HOLES, turned=True),), why="columns first"),
    Case("DENSIFY", (Sparse(PIECES, (1, 4)),), why="blocks"),
    Case("DENSIFY", (Sparse(PIECES, (2, 4), turned=True),), why="blocks, columns first"),
    Case("DENSIFY", (Sparse((HOLES * 50).astype(np.int8)),), why="bytes"),
    Case("DENSIFY", (Sparse(HOLES.astype(np.float16)),), why="halves"),
    Case("DENSIFY", (Sparse(np.zeros((3, 4), np.float32)),), why="nothing but zeros"),
]  # fmt: skip
