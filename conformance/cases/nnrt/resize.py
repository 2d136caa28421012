"""NNRt's resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import Case, Tolerance, rand
from .numbers import BYTES, QUANTUM, alike, name, q

IMAGE = rand(2, 5, 7, 3)
NEAR = Tolerance(relative=1e-5, absolute=1e-5)
OP = "RESIZE_BILINEAR"


def to(height: int, width: int, mode: int = 0, **given: Any) -> dict[str, Any]:
    """The parameters."""
    plain: dict[str, Any] = {"preserveAspectRatio": False, "excludeOutside": 0}
    sizes = {"newHeight": height, "newWidth": width, "coordinateTransformMode": mode}
    return sizes | plain | given


CASES = [
    *(Case(OP, (IMAGE,), to(h, w, m), tol=NEAR, why=f"{h} x {w}, {m}")
      for h, w in ((10, 14), (3, 4), (8, 5), (1, 1), (5, 7)) for m in (0, 1, 2)),
    *(Case(OP, (q(1, 4, 5, 2, dtype=d),), to(8, 7, m), results=alike(d), tol=QUANTUM,
           why=f"{name(d)}, {m}") for d in BYTES for m in (0, 1, 2)),
    Case(OP, (IMAGE,), to(10, 14, 3), raises=BadType, why="no such mode"),
    Case(OP, (IMAGE,), to(0, 14), raises=BadType, why="no rows"),
    Case(OP, (IMAGE,), to(10, 14, preserveAspectRatio=True), raises=Unsupported, why="the ratio"),
    Case(OP, (IMAGE,), to(10, 14, excludeOutside=1), raises=Unsupported, why="excludeOutside"),
    Case(OP, (IMAGE[0],), to(10, 14), raises=BadFile, why="three axes"),
    Case(OP, (rand(1, 4, 5, 2, dtype=np.int32),), to(8, 8), raises=Unsupported, why="integers"),
]  # fmt: skip
