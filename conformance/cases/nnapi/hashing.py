"""NNAPI's projections by hashes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel

from ...case import Case, Const, f, rand

SPARSE, DENSE = {"type": 1}, {"type": 2}
SEEDS = Const(rand(3, 5, seed=1))
LSH = "LSH_PROJECTION"
WORDS = rand(6, seed=2, dtype=np.int32, low=-(1 << 31), high=(1 << 31) - 1)
REALS = f(0.0, -0.0, 1.5, -2.75, 1e-42, 3e38, -1e-20, 123456.7)


def rows(count: int, width: int) -> np.ndarray:
    """Items of so many integers."""
    return rand(count, width, seed=4, dtype=np.int32, low=-1000, high=1000)


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
    Case(LSH, (Const(rand(2, 33)), WORDS, None), SPARSE, raises=BadModel, why="33 seeds"),
    Case(LSH, (SEEDS, WORDS, None), {"type": 3}, raises=BadModel, why="no such type"),
    Case(LSH, (SEEDS, WORDS, rand(5)), DENSE, raises=BadModel, why="other weights"),
]
