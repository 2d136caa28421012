"""NNRt's reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, NotConstant

from ...case import EXACT, ROUNDS, Case, Tolerance, rand
from .numbers import FLOATS, QUANTUM, name, q, sizes, stored

X = rand(2, 3, 4, low=0.5, high=2)
EARLY = ("REDUCE_MEAN", "REDUCE_PROD")
LATE = ("REDUCE_L2", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_SUM")
OPS = (*EARLY, *LATE)
NEAR = {"": ROUNDS, "float16": Tolerance(relative=2e-3, absolute=2e-3)}
TRUTH = rand(2, 3, 4, dtype=np.bool_) | rand(2, 3, 4, seed=1, dtype=np.bool_)


def flags(op: str, keep: bool = False, to_end: bool = False, coeff: float = 1.0) -> dict[str, Any]:
    """The parameters; those of API 9 may leave out what came later."""
    later = {"reduceToEnd": to_end, "coeff": coeff}
    is_plain = op in (*EARLY, "REDUCE_ALL") and not to_end and coeff == 1
    return {"keepDims": keep} | ({} if is_plain else later)


CASES = [
    *(Case(op, (X, sizes(*axes)), flags(op, keep), tol=ROUNDS, why=f"{axes}, {keep}")
      for op in OPS for axes in ((0,), (1,), (-1,), (0, 2), (0, 1, 2)) for keep in (False, True)),
    *(Case(op, (X, sizes(1)), flags(op, keep, to_end=True), tol=ROUNDS, why=f"to the end, {keep}")
      for op in OPS for keep in (False, True)),
    *(Case(op, (X, sizes(1)), flags(op, coeff=-0.5), tol=ROUNDS, why="a factor") for op in OPS),
    *(Case(op, (X.astype(d), sizes(1)), flags(op), tol=NEAR, why=name(d))
      for op in OPS for d in FLOATS),
    *(Case(op, (rand(2, 3, dtype=d, low=0, high=3), sizes(1)), flags(op), why=name(d))
      for op in ("REDUCE_MAX", "REDUCE_MIN", "REDUCE_SUM", "REDUCE_PROD")
      for d in (np.int32, np.int64)),
    *(Case(op, (X, sizes(1, dtype=np.int64)), flags(op), tol=ROUNDS, why="axes of int64")
      for op in OPS),
    *(Case(op, (q(3, 5), sizes(1)), flags(op), results=stored(0.05), tol=QUANTUM, why="int8")
      for op in OPS if op != "REDUCE_PROD"),
    *(Case(op, (X, sizes(0, 0)), flags(op), raises=BadType, why="an axis twice") for op in OPS),
    *(Case(op, (X, sizes()), flags(op), raises=BadType, why="no axis") for op in OPS),
    *(Case(op, (X, sizes(3)), flags(op), raises=BadType, why="no such axis") for op in OPS),
    *(Case(op, (X, sizes(0, 1)), flags(op, to_end=True), raises=BadType, why="two to the end")
      for op in OPS),
    *(Case(op, (X, sizes(1).array), flags(op), raises=NotConstant, why="axes while running")
      for op in OPS),
    *(Case(op, (X, sizes(1)), raises=BadFile, why="no keepDims") for op in OPS),
    *(Case("REDUCE_ALL", (TRUTH, sizes(*axes)), flags("REDUCE_ALL", keep), why=f"{axes}, {keep}")
      for axes in ((0,), (-1,), (0, 2)) for keep in (False, True)),
    Case("REDUCE_ALL", (TRUTH, sizes(1)), flags("REDUCE_ALL", to_end=True), why="to the end"),
    Case("REDUCE_ALL", (TRUTH, sizes(1)), flags("REDUCE_ALL", coeff=2.0), raises=BadType,
         why="a factor"),
    *(Case("ALL", (x, sizes(*axes)), {"keepDims": keep}, why=f"{name(x.dtype)}, {axes}, {keep}")
      for x in (TRUTH, rand(2, 3, 4, dtype=np.int32, low=0, high=3)) for axes in ((1,), (0, 2))
      for keep in (0, 1)),
    Case("ALL", (rand(2, 3, 4), sizes(1)), {"keepDims": 0}, why="floats"),
    *(Case("ARG_MAX", (X,), {"axis": a, "keepDims": k}, why=f"{a}, {k}")
      for a in (0, 1, -1) for k in (False, True)),
    *(Case("ARG_MAX", (X,), {"axis": a, "keepDims": False, "topK": 2, "outMaxValue": o},
           why=f"two along {a}, {o}") for a in (1, -1) for o in (False, True)),
    *(Case("ARG_MAX", (X,), {"axis": 1, "keepDims": k, "outMaxValue": True}, why=f"elements, {k}")
      for k in (False, True)),
    *(Case("ARG_MAX", (rand(3, 4, dtype=d, low=0, high=9),), {"axis": 0, "keepDims": False},
           why=name(d)) for d in (np.float64, np.int8)),
    Case("ARG_MAX", (q(3, 5),), {"axis": 1, "keepDims": False}, tol=EXACT, why="int8 with scales"),
    Case("ARG_MAX", (X,), {"axis": 1, "keepDims": False, "topK": 0}, raises=BadType, why="none"),
    Case("ARG_MAX", (X,), {"axis": 5, "keepDims": False}, raises=BadType, why="no such axis"),
]  # fmt: skip
