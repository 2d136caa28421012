"""TFLite's operators that change how elements are arranged."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar
from .numbers import QUANTUM, name, number, q, real, same, sizes, stored

X = rand(2, 3, 4)
IMAGE = rand(2, 4, 6, 3)
COUNTS = rand(2, 3, 4, dtype=np.int32)
FLOAT = (np.float32,)
INT = (np.int32,)
BYTES = (np.int8, np.uint8)
THREE = (*BYTES, np.int16)


def pads(*pairs: tuple[int, int], dtype: Any = np.int32) -> Const:
    """Elements before and after each axis."""
    return Const(np.array(pairs, dtype))


BORDER = pads((0, 0), (1, 2), (3, 0))
SQUARES = pads((0, 0), (1, 1), (2, 1), (0, 0))

CASES = [
    Case("RESHAPE", (X, sizes(4, 6))),
    Case("RESHAPE", (X, sizes(-1, 2)), why="the rest"),
    Case("RESHAPE", (f(3), sizes(*[1] * 64)), why="as many axes as NumPy has"),
    Case("RESHAPE", (X,), {"new_shape": (6, 4)}),
    Case("RESHAPE", (X,), {"new_shape": (3, -1)}),
    Case("RESHAPE", (X, i(8, 3, dtype=np.int32)), why="sizes at run time"),
    Case("RESHAPE", (rand(1, 1), sizes()), why="to a scalar"),
    Case("RESHAPE", (rand(0, 3), sizes(3, 0)), why="empty"),
    Case("RESHAPE", (COUNTS, sizes(24)), why="int32"),
    Case("RESHAPE", (X, sizes(5, 5)), raises=BadType, why="another number of elements"),
    *(Case("RESHAPE", (q(2, 3, 4, dtype=d), sizes(6, 4)), results=same(d), why=name(d))
      for d in THREE),
    Case("SQUEEZE", (rand(1, 3, 1, 2),)),
    Case("SQUEEZE", (rand(1, 3, 1, 2),), {"squeeze_dims": (2,)}),
    Case("SQUEEZE", (rand(1, 3, 1, 2),), {"squeeze_dims": (-4,)}),
    Case("SQUEEZE", (q(1, 3, 1, 2),), {"squeeze_dims": (0, 2)}, results=same(), opset=2,
         why="int8"),
    Case("EXPAND_DIMS", (X, number(1))),
    Case("EXPAND_DIMS", (X, number(-1)), why="behind the last axis"),
    Case("EXPAND_DIMS", (scalar(3), number(0)), why="scalar"),
    Case("EXPAND_DIMS", (q(2, 3), number(0)), results=same(), why="int8"),
    *(Case("SHAPE", (X,), {"out_type": p}, results=(p.dtype,))
      for p in (Precision.INT32, Precision.INT64)),
    Case("SHAPE", (X,), {"out_type": Precision.FLOAT32}, raises=BadType),
    Case("SHAPE", (scalar(3),), {"out_type": Precision.INT32}, results=INT, why="scalar"),
    Case("SHAPE", (q(2, 3),), {"out_type": Precision.INT32}, results=INT, why="int8"),
    Case("RANK", (X,), results=INT),
    Case("RANK", (q(2, 3),), results=INT, why="int8"),
    *(Case("CONCATENATION", (X, rand(2, 3, 4, seed=1)), {"axis": a}) for a in (0, 1, -1)),
    Case("CONCATENATION", (X,), {"axis": 1}, why="one"),
    Case("CONCATENATION", (X, rand(2, 0, 4), Const(rand(2, 2, 4))), {"axis": 1},
         why="empty and known"),
    Case("CONCATENATION", (COUNTS, COUNTS), {"axis": 1}, why="int32"),
    *(Case("CONCATENATION", (q(2, 3, dtype=d), q(2, 4, dtype=d)), {"axis": 1}, results=same(d),
           opset=3, why=f"{name(d)}, one scale") for d in THREE),
    *(Case("CONCATENATION", (q(2, 3, dtype=d), q(2, 4, dtype=d, scale=0.013, zero=20)),
           {"axis": 1}, results=stored(0.03, 4, d), tol=QUANTUM, opset=2,
           why=f"{name(d)}, three scales") for d in (np.uint8,)),
    *(Case("PACK", (X, rand(2, 3, 4, seed=1)), {"axis": a, "values_count": 2})
      for a in (0, 2, -1)),
    Case("PACK", (scalar(1), scalar(2)), {"values_count": 2}, why="scalars"),
    Case("PACK", (q(2, 3), q(2, 3, seed=1)), {"axis": 1, "values_count": 2}, results=same(),
         opset=2, why="int8"),
    *(Case("UNPACK", (X,), {"axis": a, "num": X.shape[a]}, outputs=X.shape[a],
           results=FLOAT * X.shape[a]) for a in (0, 1, -1)),
    Case("UNPACK", (q(2, 3),), {"num": 2}, outputs=2, results=same() * 2, opset=2, why="int8"),
    *(Case("SPLIT", (number(a), X), {"num_splits": n}, outputs=n, results=FLOAT * n,
           why=f"axis {a}") for a, n in ((0, 2), (1, 3), (-1, 2))),
    Case("SPLIT", (number(0), COUNTS), {"num_splits": 2}, results=INT * 2, why="int32"),
    *(Case("SPLIT", (number(1), q(2, 4, dtype=d)), {"num_splits": 2}, results=same(d) * 2, opset=4,
           why=name(d)) for d in THREE),
    Case("SPLIT", (i(1, dtype=np.int32), X), {"num_splits": 3}, results=FLOAT * 3,
         raises=NotConstant, why="an axis at run time"),
    Case("SPLIT_V", (X, sizes(1, 3), number(2)), {"num_splits": 2}, results=FLOAT * 2),
    Case("SPLIT_V", (X, sizes(1, -1), number(-1)), {"num_splits": 2}, results=FLOAT * 2,
         why="the rest"),
    Case("SPLIT_V", (X, sizes(0, 2), number(0)), {"num_splits": 2}, results=FLOAT * 2,
         why="an empty part"),
    Case("SPLIT_V", (q(2, 4), sizes(1, 3), number(1)), {"num_splits": 2}, results=same() * 2,
         opset=2, why="int8"),
    Case("TRANSPOSE", (X, sizes(2, 0, 1))),
    Case("TRANSPOSE", (COUNTS, sizes(0, 2, 1)), why="int32"),
    Case("TRANSPOSE", (rand(2, 3, 4, 2, 3), sizes(4, 1, 0, 3, 2)), opset=4, why="five axes"),
    *(Case("TRANSPOSE", (q(2, 3, 4, dtype=d), sizes(1, 0, 2)), results=same(d), opset=2,
           why=name(d)) for d in THREE),
    *(Case(op, (q(2, 3), *rest), results=stored(0.03, 7), why="int8, another scale")
      for op, rest in (("RESHAPE", (sizes(6),)), ("TRANSPOSE", (sizes(1, 0),)))),
    *(Case("TILE", (X, Const(i(2, 1, 3, dtype=d))), why=f"by {name(d)}")
      for d in (np.int32, np.int64)),
    Case("TILE", (X, sizes(2, 0, 3)), why="to nothing"),
    Case("TILE", (COUNTS, i(1, 2, 1, dtype=np.int32)), why="at run time"),
    Case("BROADCAST_TO", (rand(3, 1), sizes(2, 3, 4)), opset=2),
    Case("BROADCAST_TO", (rand(3, 1), i(2, 3, 4)), opset=2, why="at run time"),
    Case("BROADCAST_TO", (COUNTS[:, :1], sizes(2, 3, 4)), opset=2, why="int32"),
    Case("BROADCAST_TO", (q(3, 1), sizes(2, 3, 4)), results=same(), opset=3, why="int8"),
    Case("BROADCAST_ARGS", (i(2, 1, 3, dtype=np.int32), i(4, 1, dtype=np.int32))),
    Case("BROADCAST_ARGS", (i(3), Const(i(2, 1))), why="int64"),
    Case("FILL", (sizes(2, 3), real(2.5)), results=FLOAT),
    Case("FILL", (i(2, 3), scalar(7, np.int32)), results=INT, why="sizes at run time"),
    Case("FILL", (sizes(), scalar(7)), results=FLOAT, why="scalar"),
    Case("FILL", (sizes(2, 0), scalar(7)), results=FLOAT, why="empty"),
    Case("RANGE", (scalar(1, np.int32), scalar(9, np.int32), scalar(3, np.int32)), results=INT),
    Case("TILE", (np.zeros((0, 3, 1), np.int32), i(1, 2, 1, dtype=np.int32)),
         why="copies of nothing, as many as only a run says"),
    Case("RANGE", (scalar(1, np.int32), scalar(1, np.int32), scalar(1, np.int32)), results=INT,
         why="nothing, which is only known while running"),
    Case("RANGE", (scalar(1.0), scalar(-1.0), scalar(-0.25)), results=FLOAT),
    Case("RANGE", (number(1), number(9), number(2)), results=INT, why="known"),
    Case("FILL", (sizes(2, 2), q()), results=same(), opset=3, why="int8"),
    *(Case("PAD", (X, pads((0, 0), (1, 2), (3, 0), dtype=d)), why=f"by {name(d)}")
      for d in (np.int32, np.int64)),
    Case("PAD", (X, BORDER.array), why="at run time"),
    Case("PAD", (COUNTS, BORDER), why="int32"),
    *(Case("PAD", (q(2, 3, 4, dtype=d), BORDER), results=same(d), opset=2, why=name(d))
      for d in THREE),
    Case("PADV2", (X, BORDER, real(1.5))),
    Case("PADV2", (COUNTS, BORDER, number(-3)), why="int32"),
    *(Case("PADV2", (q(2, 3, 4, dtype=d), BORDER, q(dtype=d, constant=True)), results=same(d),
           opset=2, why=name(d)) for d in BYTES),
    *(Case("MIRROR_PAD", (X, pads((0, 1), (2, 1), (1, 3))), {"mode": m})
      for m in ("REFLECT", "SYMMETRIC")),
    Case("MIRROR_PAD", (q(2, 3, 4), pads((0, 0), (2, 1), (1, 3))), {"mode": "REFLECT"},
         results=same(), opset=2, why="int8"),
    Case("REVERSE_V2", (X, sizes(1)), opset=3),
    Case("REVERSE_V2", (X, sizes(-1)), opset=3, why="a negative axis"),
    Case("REVERSE_V2", (COUNTS, sizes(0)), why="int32"),
    Case("REVERSE_SEQUENCE", (X, i(1, 2, dtype=np.int32)), {"seq_dim": 1, "batch_dim": 0}),
    Case("REVERSE_SEQUENCE", (X, i(1, 2, 0, 2)), {"seq_dim": 0, "batch_dim": 2}),
    Case("SPACE_TO_DEPTH", (IMAGE,), {"block_size": 2}),
    Case("SPACE_TO_DEPTH", (q(1, 4, 6, 3),), {"block_size": 2}, results=same(), opset=2,
         why="int8"),
    Case("DEPTH_TO_SPACE", (rand(2, 2, 3, 8),), {"block_size": 2}),
    Case("DEPTH_TO_SPACE", (q(2, 2, 3, 8),), {"block_size": 2}, results=same(), opset=2,
         why="int8"),
    Case("SPACE_TO_BATCH_ND", (IMAGE, sizes(2, 3), pads((1, 1), (0, 0)))),
    Case("SPACE_TO_BATCH_ND", (rand(2, 4, 3), sizes(2), pads((0, 2))), why="three axes"),
    Case("SPACE_TO_BATCH_ND", (q(2, 4, 6, 3), sizes(2, 3), pads((1, 1), (0, 0))), results=same(),
         opset=2, why="int8"),
    Case("BATCH_TO_SPACE_ND", (rand(8, 2, 3, 3), sizes(2, 2), pads((1, 0), (0, 1)))),
    Case("BATCH_TO_SPACE_ND", (rand(4, 2, 3), sizes(2), pads((0, 1))), why="three axes"),
    Case("BATCH_TO_SPACE_ND", (q(8, 2, 3, 3), sizes(2, 2), pads((0, 0), (0, 0))), results=same(),
         opset=2, why="int8"),
    Case("SPACE_TO_BATCH_ND", (rand(2, 4), sizes(2, 2), pads((0, 0), (0, 0))), raises=BadType,
         why="two axes of one"),
    Case("BATCH_TO_SPACE_ND", (rand(8, 2), sizes(2, 2), pads((0, 0), (0, 0))), raises=BadType,
         why="two axes of one"),
    Case("DILATE", (X, sizes(1, 2, 3), real(0.5))),
    Case("DILATE", (COUNTS, sizes(2, 1, 1), number(-7)), why="int32"),
    Case("DILATE", (X, sizes(1, 0, 3), real(0)), raises=BadType,
         why="a dilation of 0"),
]  # fmt: skip
