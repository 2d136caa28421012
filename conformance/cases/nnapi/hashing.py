"""NNAPI's projections by hashes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel

from ...case import Case, Const, f, rand
from ...engines.tflite import Scaled
from .numbers import q

SPARSE, DENSE = {"type": 1}, {"type": 2}
SEEDS = Const(rand(3, 5, seed=1))
MANY_SEEDS = Const(rand(8, 16, seed=5))
"""So many bits that one hash among a hundred shows."""

LSH = "LSH_PROJECTION"
WORDS = rand(6, seed=2, dtype=np.int32, low=-(1 << 31), high=(1 << 31) - 1)
REALS = f(0.0, -0.0, 1.5, -2.75, 1e-42, 3e38, -1e-20, 123456.7)
CORNERS = (
    f(np.inf),
    f(-np.inf),
    f(np.nan),
    f(np.finfo(np.float32).max),
    np.ldexp(np.float32(1), np.arange(-149, 128, dtype=np.int32)),
    np.ldexp(np.float32(-1.9999999), np.arange(-148, 127, dtype=np.int32)),
)


def rows(count: int, width: int) -> np.ndarray:
    """Items of so many integers."""
    return rand(count, width, seed=4, dtype=np.int32, low=-1000, high=1000)


def bytes_(count: int, width: int) -> Scaled:
    """Items of so many bytes."""
    return q(count, width, seed=4)


CASES = [
    *(
        Case(
            LSH,
            (SEEDS, given, weight),
            kind,
            why=f"{name}, {', '.join(map(str, kind.values()))}, {more}",
        )
        for kind in (SPARSE, DENSE)
        for name, given in (("integers", WORDS), ("reals", REALS))
        for more, weight in (
            ("plain", None),
            ("weights", rand(len(given), seed=3)),
        )
    ),
    *(
        Case(LSH, (SEEDS, rows(4, n), None), DENSE, why=f"keys of {4 + 4 * n} bytes")
        for n in (2, 3, 4, 6, 7, 9, 14, 15)
    ),
    *(
        Case(LSH, (SEEDS, bytes_(1, n), None), DENSE, why=f"keys of {4 + n} single bytes")
        for n in (1, 2, 3, 4, 5, 11, 12, 13, 28, 29, 59, 60)
    ),
    *(
        Case(LSH, (MANY_SEEDS, given, None), DENSE, why=f"reals from {given[0]} to {given[-1]}")
        for given in CORNERS
    ),
    Case(LSH, (Const(rand(2, 33)), WORDS, None), SPARSE, raises=BadModel, why="33 seeds"),
    Case(LSH, (SEEDS, WORDS, None), {"type": 3}, raises=BadModel, why="no such type"),
    Case(LSH, (SEEDS, WORDS, rand(5)), DENSE, raises=BadModel, why="other weights"),
]
