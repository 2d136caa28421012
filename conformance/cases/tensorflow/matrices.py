"""TensorFlow's diagonals and bands of matrices."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported

from ...case import Case, Const, f, i, rand, scalar

X = rand(2, 4, 5)


def band(*k: int) -> Const:
    """Which diagonals."""
    return Const(np.array(k if len(k) > 1 else k[0], np.int32))


ANY = Const(scalar(-1, np.int32))
ZERO, PAD = Const(scalar(0)), Const(scalar(9))
RIGHTS = ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT")

CASES = [
    Case("MatrixBandPart", (X, Const(scalar(1, np.int64)), Const(scalar(0, np.int64)))),
    Case("MatrixBandPart", (X, Const(scalar(-1, np.int32)), Const(scalar(2, np.int32))),
         why="upper"),
    Case("MatrixBandPart", (X, scalar(1, np.int32), scalar(-1, np.int32)), why="run-time"),
    Case("MatrixBandPart", (rand(3, 3, dtype=np.bool_), ANY, Const(scalar(0, np.int32))),
         why="bool"),
    Case("MatrixDiag", (rand(2, 3),)),
    Case("MatrixDiag", (f(np.nan, np.inf),), why="edges"),
    Case("MatrixDiagPart", (X,)),
    Case("MatrixDiagPart", (rand(5, 3),), why="tall"),
    Case("MatrixSetDiag", (X, rand(2, 4, seed=1))),
    *(Case(op, (x, x[..., 0].copy(), *k), why=f"a square of {list(x.shape)}", is_open=is_open)
      for op, k in (("MatrixSetDiag", ()), ("MatrixSetDiagV2", (band(0),)),
                    ("MatrixSetDiagV3", (band(0),)))
      for x in (rand(3, 3), rand(2, 3, 3), i([1, 2], [3, 4], [5, 6], [7, 8]).reshape(2, 2, 2))
      for is_open in (False, True)),
    Case("MatrixSetDiagV3", (rand(3, 3), rand(2, 3), band(0, 1)), is_open=True, raises=NotConstant,
         why="two diagonals of open sizes"),
    Case("MatrixSetDiagV3", (rand(3, 4), rand(3), band(0)), is_open=True, raises=NotConstant,
         why="no square, and open"),
    *(Case("MatrixBandPart", (x, ANY, band(upper)), why=f"above {upper} of {list(x.shape)}")
      for upper in (-1, 0, 1) for x in (rand(3, 4), rand(2, 4, 3))),
    Case("MatrixDiagV2", (rand(2, 3), band(0), ANY, ANY, ZERO)),
    Case("MatrixDiagV2", (rand(2, 3), band(-1, 0), ANY, ANY, PAD), why="two diagonals"),
    Case("MatrixDiagPartV2", (X, band(-1, 2), PAD)),
    Case("MatrixSetDiagV2", (X, rand(2, 3, 4), band(-1, 1))),
    *(Case("MatrixDiagPartV3", (X, band(-2, 1), PAD), {"align": a}) for a in RIGHTS),
    Case("MatrixDiagPartV3", (X, band(2), PAD), why="one above"),
    Case("MatrixDiagPartV3", (X, band(0), PAD), {"align": "MIDDLE"}, raises=Unsupported),
    *(Case("MatrixDiagV3", (rand(2, 4, 3), band(-2, 1), ANY, ANY, PAD), {"align": a})
      for a in RIGHTS),
    Case("MatrixDiagV3", (rand(3), band(1), ANY, ANY, ZERO), why="above"),
    Case("MatrixDiagV3", (rand(3), band(0), ANY, ANY, ZERO), why="square"),
    Case("MatrixDiagV3", (i(1, 2), band(-1), Const(scalar(3, np.int32)),
                          Const(scalar(4, np.int32)), Const(scalar(7, np.int64))), why="sizes"),
    *(Case("MatrixDiagV3", (rand(3), band(k), *given, PAD), why=f"{k}, {words} given")
      for k in (-2, -1, 0, 1, 2)
      for words, given in (("rows", (Const(scalar(3 + max(-k, 0), np.int32)), ANY)),
                           ("columns", (ANY, Const(scalar(3 + max(k, 0), np.int32)))))),
    *(Case("MatrixDiagV3", (rand(2, 2, 3), band(k, k + 1), ANY, ANY, PAD), why=f"two from {k} on")
      for k in (-3, -2, -1, 0, 1, 2)),
    Case("MatrixDiagV3", (rand(3), band(1, 0), ANY, ANY, ZERO), why="k", raises=BadType),
    *(Case("MatrixSetDiagV3", (X, rand(2, 4, 4), band(-2, 1)), {"align": a}) for a in RIGHTS),
    Case("MatrixSetDiagV3", (X, rand(2, 4), band(0)), why="main"),
    Case("Diag", (rand(3),)),
    Case("Diag", (rand(2, 3),), why="two axes"),
    Case("DiagPart", (rand(3, 3),)),
    *(Case(op, (x,), is_open=True, why=f"{list(x.shape)}")
      for op, x in (("DiagPart", rand(4, 4)), ("DiagPart", rand(2, 3, 2, 3)), ("Diag", rand(2, 3)),
                    ("Diag", rand(4)))),
    Case("DiagPart", (rand(2, 3, 2, 3),), why="two axes"),
]  # fmt: skip
