"""NNRt's pools."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadFile, BadModel, BadType

from ...case import ROUNDS, Case, Tolerance, rand
from .numbers import BYTES, FLOATS, QUANTUM, alike, name, q

IMAGE = rand(2, 7, 8, 3)
OPS = ("AVG_POOL", "MAX_POOL")
NEAR = {"": ROUNDS, "float16": Tolerance(relative=2e-3, absolute=2e-3)}
PLAIN: dict[str, Any] = {"kernelSize": (3, 2), "strides": (2, 1), "activationType": 0}
PADS: tuple[dict[str, Any], ...] = (
    {"padMode": 0},
    {"padMode": 1},
    {"padList": (1, 1, 1, 1)},
    {"padList": (0, 0, 0, 0)},
    {},
)

CASES = [
    *(Case(op, (IMAGE,), PLAIN | pads, tol=NEAR, why=f"{pads}") for op in OPS for pads in PADS),
    Case("MAX_POOL", (IMAGE,), PLAIN | {"padList": (2, 0, 1, 0)}, why="sides of their own"),
    *(Case(op, (IMAGE,), PLAIN | {"strides": (2, 3), "roundMode": m, "padList": (0, 0, 0, 0)},
           tol=NEAR, why=f"roundMode {m}") for op in OPS for m in (0, 1)),
    *(Case(op, (IMAGE,), PLAIN | {"strides": (3, 3), "roundMode": 1, "padList": (1, 1, 1, 1)},
           tol=NEAR, why="roundMode 1 with pads") for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"global": True}, tol=NEAR, why="global") for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"global": False, "padMode": 0}, tol=NEAR, why="not global")
      for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | pads | {"activationType": code}, tol=NEAR,
           why=f"activation {code}, {pads}") for op in OPS for pads in PADS[1:3]
      for code in (1, 2)),
    *(Case(op, (IMAGE.astype(d),), PLAIN | {"padMode": 0}, tol=NEAR, why=name(d))
      for op in OPS for d in FLOATS),
    *(Case(op, (q(2, 7, 8, 3, dtype=d),), PLAIN | pads, results=alike(d), tol=QUANTUM,
           why=f"{name(d)} with scales, {pads}") for op in OPS for d in BYTES
      for pads in PADS[:3]),
    *(Case(op, (IMAGE,), PLAIN | {"roundMode": 2}, raises=BadType, why="no such roundMode")
      for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"kernelSize": (0, 2)}, raises=BadType, why="no window")
      for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"kernelSize": (2,)}, raises=BadFile, why="one size")
      for op in OPS),
    *(Case(op, (IMAGE[0],), PLAIN, raises=BadFile, why="three axes") for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"padMode": 0, "padList": (0, 0, 0, 0)}, raises=BadFile,
           why="both forms") for op in OPS),
    *(Case(op, (IMAGE,), PLAIN | {"activationType": 3}, raises=BadModel, why="no such activation")
      for op in OPS),
]  # fmt: skip
