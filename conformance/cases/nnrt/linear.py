"""NNRt's matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType

from ...case import Case, Const, Tolerance, rand
from .numbers import BYTES, FLOATS, QUANTUM, name, q, stored

NEAR = {"": Tolerance(relative=1e-5, absolute=1e-5), "float16": Tolerance(2e-2, 2e-2)}
ROWS, CUBE = rand(3, 4), rand(2, 3, 4)
WEIGHT, BIAS = Const(rand(5, 4, seed=1)), Const(rand(5, seed=2))


def flags(x: bool = False, y: bool = False, code: int = 0) -> dict[str, Any]:
    """The parameters of MATMUL."""
    return {"transposeX": x, "transposeY": y, "activationType": code}


CASES = [
    Case("MATMUL", (ROWS, rand(4, 5)), flags(), tol=NEAR),
    Case("MATMUL", (rand(4, 3), rand(4, 5)), flags(x=True), tol=NEAR),
    Case("MATMUL", (ROWS, rand(5, 4)), flags(y=True), tol=NEAR),
    Case("MATMUL", (rand(4, 3), rand(5, 4)), flags(x=True, y=True), tol=NEAR),
    Case("MATMUL", (CUBE, rand(2, 4, 5)), flags(), tol=NEAR, why="stacks"),
    Case("MATMUL", (CUBE, Const(rand(4, 5))), flags(), tol=NEAR, why="a known matrix"),
    Case("MATMUL", (rand(2, 1, 3, 4), rand(3, 4, 5)), flags(), tol=NEAR, why="broadcast"),
    *(Case("MATMUL", (ROWS, rand(4, 5)), flags(code=c), tol=NEAR, why=f"activation {c}")
      for c in (1, 2)),
    *(Case("MATMUL", (ROWS.astype(d), rand(4, 5).astype(d)), flags(), tol=NEAR, why=name(d))
      for d in FLOATS),
    *(Case("MATMUL", (q(3, 4, dtype=d), q(4, 5, seed=1, dtype=d)), flags(code=c),
           results=stored(0.1, 2, d), tol=QUANTUM, why=f"{name(d)} with scales, activation {c}")
      for d in BYTES for c in (0, 1)),
    Case("MATMUL", (ROWS, rand(3, 5)), flags(), raises=BadType, why="sizes that do not fit"),
    Case("FULL_CONNECTION", (ROWS, WEIGHT, BIAS), {"activationType": 0}, tol=NEAR),
    *(Case("FULL_CONNECTION", (ROWS, WEIGHT, BIAS), {"hasBias": True, "activationType": c},
           tol=NEAR, why=f"activation {c}") for c in (0, 1, 2)),
    Case("FULL_CONNECTION", (ROWS, WEIGHT), {"hasBias": False, "activationType": 0}, tol=NEAR,
         why="no bias"),
    Case("FULL_CONNECTION", (ROWS, WEIGHT, BIAS), {"hasBias": False, "activationType": 0},
         tol=NEAR, why="a bias that does not count"),
    Case("FULL_CONNECTION", (rand(3, 2, 2), WEIGHT, BIAS), {"activationType": 0}, tol=NEAR,
         why="three axes as rows"),
    Case("FULL_CONNECTION", (rand(3, 2, 2), WEIGHT, BIAS), {"axis": 1, "activationType": 0},
         tol=NEAR, why="from an axis"),
    Case("FULL_CONNECTION", (rand(3, 2, 2), WEIGHT, BIAS),
         {"axis": 1, "useAxis": True, "activationType": 0}, tol=NEAR, why="from an axis in use"),
    Case("FULL_CONNECTION", (rand(2, 2), WEIGHT, BIAS), {"useAxis": True, "activationType": 1},
         tol=NEAR, why="all in one row"),
    *(Case("FULL_CONNECTION",
           (q(3, 4, dtype=d), q(5, 4, seed=1, dtype=d, constant=True),
            Const(rand(5, seed=2, dtype=np.int32, low=-300, high=300))),
           {"activationType": c}, results=stored(0.1, 2, d), tol=QUANTUM,
           why=f"{name(d)} with scales, activation {c}") for d in BYTES for c in (0, 1)),
    Case("FULL_CONNECTION", (ROWS, WEIGHT, BIAS),
         {"axis": 1, "useAxis": False, "activationType": 0}, raises=BadType, why="no axis in use"),
    Case("FULL_CONNECTION", (ROWS, WEIGHT), {"hasBias": True, "activationType": 0},
         raises=BadType, why="no bias where one is said"),
    Case("FULL_CONNECTION", (rand(3, 5), WEIGHT, BIAS), {"activationType": 0}, raises=BadType,
         why="other columns"),
    Case("FULL_CONNECTION", (ROWS, BIAS, BIAS), {"activationType": 0}, raises=BadType,
         why="a vector of weights"),
    Case("FULL_CONNECTION", (ROWS, WEIGHT, BIAS), raises=BadFile, why="no activation"),
]  # fmt: skip
