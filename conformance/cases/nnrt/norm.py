"""NNRt's normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import Case, Const, Tolerance, rand
from .numbers import QUANTUM, q, stored

IMAGE, ROWS = rand(2, 5, 6, 4), rand(3, 5, 4)
NEAR = Tolerance(relative=1e-5, absolute=1e-5)
POSITIVE = Const(rand(4, seed=4, low=0.2, high=2))


def row(seed: int, *shape: int) -> Const:
    """Known factors."""
    return Const(rand(*(shape or (4,)), seed=seed))


STATISTICS = (row(1), row(2), row(3), POSITIVE)
LAYER: dict[str, Any] = {"beginAxis": 2, "epsilon": 1e-5, "beginParamsAxis": 2}
L2: dict[str, Any] = {"axis": -1, "activationType": 0}
CASES = [
    *(Case("BATCH_NORM", (x, *STATISTICS), {"epsilon": e}, tol=NEAR, why=f"{x.ndim} axes, {e}")
      for x in (IMAGE, ROWS, ROWS[0]) for e in (1e-5, 0.1)),
    Case("BATCH_NORM", (IMAGE, rand(4), rand(4), rand(4), rand(4, low=0.5)), {"epsilon": 1e-3},
         tol=NEAR, why="statistics while running"),
    Case("BATCH_NORM", (q(2, 3, 3, 4), *STATISTICS), {"epsilon": 1e-5}, results=stored(0.1, 2),
         tol=QUANTUM, why="int8"),
    Case("BATCH_NORM", (ROWS[0, 0], *STATISTICS), {"epsilon": 1e-5}, raises=BadType,
         why="one axis"),
    Case("BATCH_NORM", (IMAGE, *STATISTICS), raises=BadFile, why="no epsilon"),
    *(Case("INSTANCE_NORM", (IMAGE, row(1), row(2)), {"epsilon": e}, tol=NEAR)
      for e in (1e-5, 0.1)),
    Case("INSTANCE_NORM", (ROWS, row(1), row(2)), {"epsilon": 1e-5}, raises=BadFile,
         why="three axes"),
    Case("INSTANCE_NORM", (q(2, 3, 3, 4), row(1), row(2)), {"epsilon": 1e-5},
         results=stored(0.1, 2), tol=QUANTUM, why="int8"),
    Case("LAYER_NORM", (ROWS, row(1), row(2)), LAYER, tol=NEAR),
    Case("LAYER_NORM", (ROWS, row(1), row(2)), LAYER | {"epsilon": 0.1}, tol=NEAR),
    Case("LAYER_NORM", (ROWS, row(1, 5, 4), row(2, 5, 4)),
         LAYER | {"beginAxis": 1, "beginParamsAxis": 1}, tol=NEAR, why="over two axes"),
    Case("LAYER_NORM", (ROWS, row(1), row(2)), LAYER | {"beginAxis": 1}, tol=NEAR,
         why="parameters of fewer axes"),
    Case("LAYER_NORM", (ROWS, row(1, 5, 4), row(2, 5, 4)), LAYER | {"beginParamsAxis": 1},
         tol=NEAR, why="parameters of more axes"),
    Case("LAYER_NORM", (ROWS, row(1, 3, 5, 4), row(2, 3, 5, 4)),
         LAYER | {"beginAxis": 0, "beginParamsAxis": 0}, raises=BadType, why="from axis 0"),
    Case("LAYER_NORM", (ROWS, row(1, 5), row(2, 5)), LAYER, raises=BadType, why="other sizes"),
    Case("LAYER_NORM", (q(3, 5, 4), row(1), row(2)), LAYER, results=stored(0.05), tol=QUANTUM,
         why="int8"),
    *(Case("L2_NORMALIZE", (ROWS,), L2 | {"axis": a}, tol=NEAR) for a in (-1, 0, 1)),
    *(Case("L2_NORMALIZE", (ROWS,), L2 | {"activationType": c}, tol=NEAR, why=f"activation {c}")
      for c in (1, 2)),
    Case("L2_NORMALIZE", (ROWS * np.float32(1e-3),), L2 | {"epsilon": 0.01}, tol=NEAR,
         why="below epsilon"),
    Case("L2_NORMALIZE", (q(3, 5),), L2, results=stored(1 / 128), tol=QUANTUM, why="int8"),
    *(Case("LRN", (IMAGE,), {"depthRadius": r} | way, tol=NEAR, why=f"{r} {way}")
      for r in (1, 2) for way in ({}, {"bias": 2.0, "alpha": 0.3, "beta": 0.75},
                                  {"normRegion": 0}, {"beta": 1.0})),
    Case("LRN", (IMAGE,), {"depthRadius": 1, "normRegion": 1}, raises=Unsupported,
         why="within a channel"),
    Case("LRN", (ROWS,), {"depthRadius": 1}, raises=BadFile, why="three axes"),
]  # fmt: skip
