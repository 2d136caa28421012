"""Numbers at the limits of their types, and operators of every element type."""

from __future__ import annotations

import numpy as np

from nnir.ops import binary, reduce, resize, unary

from ...case import ROUNDS, Const, f, i
from .engine_rows import Row

BASES = i(0, 1, -1, 2, -2, 3, -3, 7)
EXPONENTS = (0, 1, 2, 5, 31, 32, 62, 63, 64, 65, 127, 1 << 20, -1, -2, -3)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


def _bounds(dtype: type) -> np.ndarray:
    """Numbers about 0 and at both ends of an integer type."""
    info = np.iinfo(dtype)
    return np.array([info.min, info.min + 1, 0, 1, 2, 3, info.max - 1, info.max], dtype)


def _powers() -> list[Row]:
    rows = []
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        bases = BASES.astype(dtype)
        inside = np.array([e for e in EXPONENTS if info.min <= e <= info.max], dtype)
        pair = bases[:, None], inside[None]
        name = np.dtype(dtype).name
        rows += [
            Row(binary.pow_, pair, why=f"{name} to any"),
            Row(binary.pow_, (pair[0], Const(pair[1])), why=f"{name} to what is known"),
            Row(binary.pow_, (_bounds(dtype), _bounds(dtype)), why=f"{name} at its limits"),
        ]
    return rows


TRUTHS = np.array([[True, False, True, True], [False, False, True, False]])
TWOS = np.exp2(np.arange(-20, 21)).astype(np.float32)
TENS = (10.0 ** np.arange(11)).astype(np.float32)
CASES: list[Row] = [
    *_powers(),
    Row(unary.log2, (TWOS,), why="every power, exactly", opens=False),
    Row(unary.log10, (TENS,), why="every power, exactly", opens=False),
    Row(binary.pow_, (BASES[:0], BASES[:0]), why="no integers"),
    Row(binary.pow_, (BASES, i(2)), why="one power of all"),
    Row(binary.pow_, (i(3), i(-1, 0, 4, 70)), why="all powers of one"),
    *(
        Row(operator, (TRUTHS,), {"axis": axis}, why=f"truth values, axis {axis}")
        for operator in (reduce.cum_max, reduce.cum_min)
        for axis in (0, -1)
    ),
    *(
        Row(
            resize.affine_grid,
            (f(*range(2, 2 + n * (n + 1))).reshape(1, n, n + 1), size),
            {"align_corners": align_corners},
            tol=ROUNDS,
            why=f"{why}, {align_corners}, {'known' if isinstance(size, Const) else 'computed'}",
        )
        for n, sizes, why in (
            (2, (1, 1, 1, 1), "one pixel"),
            (2, (1, 1, 1, 3), "one row"),
            (2, (1, 1, 2, 1), "one column"),
            (3, (1, 2, 3, 1, 2), "one row of a volume"),
        )
        for size in (i(*sizes), Const(i(*sizes)))
        for align_corners in (True, False)
    ),
]
