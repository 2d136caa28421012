"""NNRt's operations that change how elements are arranged."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, NotConstant, Unsupported

from ...case import Case, Const, f, rand
from .numbers import INTEGERS, QUANTUM, alike, name, number, q, sizes, stored

X, IMAGE = rand(2, 3, 4), rand(4, 4, 6, 8)
Y = rand(2, 3, 4, seed=1)
ONES = rand(1, 3, 1, 4)
KINDS = (*INTEGERS, np.bool_, np.float16, np.float64)
PAIRS = Const(np.array([[1, 2], [0, 1], [2, 0]], np.int32))
BLOCKS: dict[str, Any] = {"blockSize": (2, 2), "crops": (0, 0, 0, 0)}
SPACES: dict[str, Any] = {"blockShape": (2, 2), "paddings": (0, 0, 0, 0)}

CASES = [
    *(Case("RESHAPE", (X, sizes(*s)), why=f"to {s}")
      for s in ((4, 6), (24,), (-1, 2), (2, 2, 3, 2))),
    *(Case("RESHAPE", (rand(2, 3, dtype=d, high=3, low=0), sizes(3, 2)), why=name(d))
      for d in KINDS),
    Case("RESHAPE", (q(2, 6), sizes(3, 4)), results=alike(), why="int8 with one scale"),
    Case("RESHAPE", (q(2, 6), sizes(3, 4)), results=stored(0.05), tol=QUANTUM,
         why="int8 with two scales"),
    Case("RESHAPE", (X, sizes(5, 5)), raises=BadType, why="another count"),
    *(Case("TRANSPOSE", (X, sizes(*p)), why=f"{p}")
      for p in ((2, 0, 1), (0, 2, 1), (0, 1, 2))),
    Case("TRANSPOSE", (q(2, 6), sizes(1, 0)), results=alike(), why="int8 with one scale"),
    Case("TRANSPOSE", (X, sizes(0, 1)), raises=BadType, why="two axes"),
    Case("TRANSPOSE", (X, sizes(2, 0, 1).array), raises=NotConstant, why="while running"),
    *(Case("SQUEEZE", (ONES,), {"axis": a}) for a in ((0,), (2,), (0, 2), (-2,), ())),
    Case("SQUEEZE", (ONES,), {"axis": (1,)}, raises=BadType, why="an axis of 3"),
    *(Case("UNSQUEEZE", (X,), {"axis": a}) for a in ((0,), (1,), (-1,), (0, 2), (3,))),
    Case("UNSQUEEZE", (X,), {"axis": ()}, raises=BadType, why="no axis"),
    Case("UNSQUEEZE", (X,), {"axis": (7,)}, raises=BadType, why="no such axis"),
    *(Case("EXPAND_DIMS", (X, number(a)), why=f"axis {a}") for a in (0, 1, 3, -1, -4)),
    Case("EXPAND_DIMS", (X, number(4)), raises=BadType, why="no such axis"),
    Case("EXPAND_DIMS", (X, number(0).array), raises=NotConstant, why="while running"),
    *(Case("FLATTEN", (X,), {"axis": a}) for a in (0, 1, 2)),
    Case("FLATTEN", (X,), {"axis": 9}, raises=BadType, why="no such axis"),
    *(Case("CONCAT", (X, Y), {"axis": a}) for a in (0, 1, 2, -1)),
    Case("CONCAT", (X, Const(Y), X), {"axis": 0}, why="three"),
    Case("CONCAT", (X,), {"axis": 0}, why="one"),
    *(Case("CONCAT", (rand(2, 3, dtype=d, high=3, low=0),) * 2, {"axis": 1}, why=name(d))
      for d in KINDS),
    Case("CONCAT", (q(2, 6), q(3, 6, seed=1)), {"axis": 0}, results=alike(), why="int8, one scale"),
    Case("CONCAT", (q(2, 6), q(3, 6, seed=1, scale=0.05)), {"axis": 0}, results=alike(),
         tol=QUANTUM, why="int8, two scales"),
    Case("CONCAT", (X, Y[:, :2]), {"axis": 0}, raises=BadType, why="other sizes"),
    Case("CONCAT", (X, Y), raises=BadFile, why="no axis"),
    *(Case("STACK", (X, Y), {"axis": a}) for a in (0, 1, 3, -1)),
    Case("STACK", (X, Y[:1]), {"axis": 0}, raises=BadType, why="other sizes"),
    *(Case("UNSTACK", (X,), {"axis": a}, outputs=n) for a, n in ((0, 2), (1, 3), (-1, 4))),
    *(Case("UNSTACK", (X,), {"axis": 1}, results=(X[:, 0],) * n, raises=BadType,
           why=f"{n} results for 3")
      for n in (2, 4)),
    Case("UNSTACK", (X,), {"axis": 3}, outputs=2, raises=BadType, why="no such axis"),
    *(Case("SPLIT", (X,), {"outputNum": 2, "sizeSplits": (), "axis": a}, outputs=2)
      for a in (0, -1)),
    *(Case("SPLIT", (X,), {"outputNum": len(s), "sizeSplits": s, "axis": 2}, outputs=len(s))
      for s in ((1, 3), (1, 2, 1), (4,))),
    Case("SPLIT", (X,), {"outputNum": 2, "sizeSplits": (1, 1), "axis": 2}, outputs=2,
         raises=BadType, why="less than all"),
    Case("SPLIT", (X,), {"outputNum": 3, "sizeSplits": (), "axis": 2}, outputs=3, raises=BadType,
         why="no equal parts"),
    *(Case("TILE", (X, sizes(*m)), why=f"{m} times")
      for m in ((1, 2, 3), (2, 1, 1), (2, 1, 2, 1), (1, 1, 1))),
    Case("TILE", (X, sizes(2, 3)), {"dims": (0, 2)}, why="of two axes"),
    Case("TILE", (X, sizes(2)), {"dims": (-1,)}, why="of the last axis"),
    Case("TILE", (X, sizes(2, 3)), raises=BadType, why="less than all axes"),
    Case("TILE", (X, sizes(2)), {"dims": (0, 1)}, raises=BadType, why="one for two axes"),
    *(Case("BROADCAST_TO", (ONES,), {"shape": s}) for s in ((2, 3, 5, 4), (1, 3, 1, 4),
                                                            (2, 1, 3, 5, 4))),
    Case("BROADCAST_TO", (ONES,), {"shape": (2, 2, 5, 4)}, raises=BadType, why="sizes that differ"),
    *(Case("PAD", (X, PAIRS), {"constantValues": v, "paddingMode": 0}) for v in (0.0, 1.5)),
    Case("PAD", (X, PAIRS), {"constantValues": 2.0}, why="without a mode"),
    *(Case("PAD", (X + np.zeros((1, 1, 1), np.float32), Const(np.array([[1, 1], [0, 2], [2, 0]]))),
           {"constantValues": 0.0, "paddingMode": m}, why=f"mode {m}") for m in (1, 2)),
    Case("PAD", (rand(2, 3, 4, dtype=np.int32), PAIRS),
         {"constantValues": np.array(7, np.int32), "paddingMode": 0}, why="integers"),
    Case("PAD", (q(2, 3, 4), PAIRS), {"constantValues": 0.0, "paddingMode": 0}, results=alike(),
         tol=QUANTUM, why="int8"),
    Case("PAD", (X, PAIRS), {"constantValues": 0.0, "paddingMode": 3}, raises=Unsupported,
         why="a reserved mode"),
    Case("PAD", (X, PAIRS), {"paddingMode": 0}, raises=BadFile, why="no number"),
    *(Case("SHAPE", (x,), why=f"{x.ndim} axes") for x in (X, IMAGE, f(1))),
    *(Case("RANK", (x,), why=f"{x.ndim} axes") for x in (X, IMAGE, f(1))),
    Case("BATCH_TO_SPACE_ND", (IMAGE,), BLOCKS),
    Case("BATCH_TO_SPACE_ND", (IMAGE,), BLOCKS | {"crops": (1, 0, 2, 1)}, why="crops"),
    Case("BATCH_TO_SPACE_ND", (IMAGE,), BLOCKS | {"blockSize": (1, 4)}, why="blocks of a row"),
    Case("BATCH_TO_SPACE_ND", (IMAGE,), BLOCKS | {"blockSize": (3, 2)}, raises=BadType,
         why="blocks that do not fit"),
    Case("SPACE_TO_BATCH_ND", (IMAGE,), SPACES),
    Case("SPACE_TO_BATCH_ND", (IMAGE,), SPACES | {"paddings": (1, 1, 2, 0)}, why="paddings"),
    Case("SPACE_TO_BATCH_ND", (IMAGE,), SPACES | {"blockShape": (1, 3)}, why="blocks of a row"),
    Case("SPACE_TO_BATCH_ND", (IMAGE,), SPACES | {"blockShape": (3, 2)}, raises=BadType,
         why="blocks that do not fit"),
    *(Case("DEPTH_TO_SPACE", (IMAGE,), {"blockSize": 2, "mode": m}) for m in (0, 1)),
    Case("DEPTH_TO_SPACE", (IMAGE,), {"blockSize": 3, "mode": 0}, raises=BadType,
         why="blocks that do not fit"),
    Case("DEPTH_TO_SPACE", (IMAGE,), {"blockSize": 2, "mode": 2}, raises=BadType, why="no mode"),
    Case("SPACE_TO_DEPTH", (IMAGE,), {"blockSize": 2}),
    Case("SPACE_TO_DEPTH", (IMAGE,), {"blockSize": 3}, raises=BadType,
         why="blocks that do not fit"),
]  # fmt: skip
