"""NNAPI's operations that move elements."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel

from ...case import Case, Const, i, rand
from .numbers import QUANTUM, q, stored


def sizes(*numbers: int) -> Const:
    """Known sizes."""
    return Const(i(*numbers, dtype=np.int32))


CASES = [
    *(
        Case("CONCATENATION", (rand(2, 3, 4), rand(2, 3, 4, seed=1)), {"axis": a})
        for a in (0, 1, 2)
    ),
    Case(
        "CONCATENATION", (rand(2, 3), rand(2, 1), rand(2, 4)), {"axis": 1}, why="three, other sizes"
    ),
    Case("CONCATENATION", (q(2, 3), q(2, 3, seed=1)), {"axis": 1}, why="quantised"),
    Case(
        "CONCATENATION",
        (q(2, 3), q(2, 3, seed=1)),
        {"axis": 1},
        results=stored(0.05, 90),
        tol=QUANTUM,
        why="quantised, to another scale",
    ),
    Case(
        "CONCATENATION",
        (q(2, 3), q(2, 3, scale=0.1)),
        {"axis": 1},
        raises=BadModel,
        why="two scales",
    ),
    Case(
        "CONCATENATION", (rand(2, 3), rand(2, 3)), {"axis": 2}, raises=BadModel, why="no such axis"
    ),
    Case("RESHAPE", (rand(2, 3, 4), sizes(4, 6))),
    Case("RESHAPE", (rand(2, 3, 4), sizes(2, 2, 3, 2)), why="more axes"),
    Case("RESHAPE", (q(2, 3, 4), sizes(24)), why="quantised"),
    Case("RESHAPE", (rand(2, 3), sizes(5)), raises=BadModel, why="other elements"),
    Case("RESHAPE", (rand(2, 3), sizes(2, -1)), raises=BadModel, why="the rest, which it has not"),
    *(Case("DEPTH_TO_SPACE", (rand(2, 3, 2, 8),), {"block_size": b}) for b in (1, 2)),
    Case("DEPTH_TO_SPACE", (rand(5, 2, 3, 18),), {"block_size": 3}, why="all sizes differ"),
    Case("SPACE_TO_DEPTH", (rand(5, 6, 9, 2),), {"block_size": 3}, why="all sizes differ"),
    Case("DEPTH_TO_SPACE", (q(2, 3, 2, 18),), {"block_size": 3}, why="quantised"),
    Case(
        "DEPTH_TO_SPACE",
        (rand(2, 3, 2, 6),),
        {"block_size": 2},
        raises=BadModel,
        why="no whole blocks",
    ),
    *(Case("SPACE_TO_DEPTH", (rand(2, 4, 6, 3),), {"block_size": b}) for b in (1, 2)),
    Case("SPACE_TO_DEPTH", (q(2, 6, 3, 2),), {"block_size": 3}, why="quantised"),
    Case(
        "SPACE_TO_DEPTH",
        (rand(2, 3, 2, 6),),
        {"block_size": 2},
        raises=BadModel,
        why="no whole blocks",
    ),
]
