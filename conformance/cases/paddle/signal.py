"""Paddle's Fourier transforms and overlapping frames of a signal."""

from __future__ import annotations

import numpy as np

from nnir.errors import Unsupported

from ...case import ROUNDS, Case, f, rand

C = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
WIDE = rand(2, 5, dtype=np.float64)
NORMS = ("backward", "ortho", "forward")
LINE = f(1, 2, 3, 4, 5, 6)

CASES = [
    *(Case("fft_c2c", (C, [1], norm, True), tol=ROUNDS, why=norm) for norm in NORMS),
    *(
        Case("fft_c2c", (C, [0, 1], norm, False), tol=ROUNDS, why=f"{norm} inverse")
        for norm in NORMS
    ),
    Case("fft_c2c", (C, [1], "other", True), raises=Unsupported),
    *(Case("fft_r2c", (WIDE, [1], norm, True, True), tol=ROUNDS, why=norm) for norm in NORMS),
    *(
        Case("fft_r2c", (WIDE, [0, 1], norm, False, True), tol=ROUNDS, why=f"{norm} inverse")
        for norm in NORMS
    ),
    Case("fft_r2c", (rand(4), [0], "ortho", True, False), tol=ROUNDS, why="the whole spectrum"),
    Case("fft_r2c", (rand(4), [0], "", True, False), raises=Unsupported),
    *(Case("fft_c2r", (C, [1], norm, False), tol=ROUNDS, why=norm) for norm in NORMS),
    *(
        Case("fft_c2r", (C, [0, 1], norm, True), tol=ROUNDS, why=f"{norm} forward")
        for norm in NORMS
    ),
    Case("fft_c2r", (C, [1], "backward", False, 5), tol=ROUNDS, why="an odd size"),
    Case("fft_c2r", (C, [1], "half", False), raises=Unsupported),
    Case("frame", (LINE, 4, 2)),
    Case("frame", (rand(2, 6), 4, 1), why="rows"),
    Case("frame", (rand(6, 2), 4, 2), {"axis": 0}),
    Case("frame", (LINE, 4, 2), {"axis": 0}, why="a vector"),
    Case("frame", (rand(2, 6, 2), 4, 2), {"axis": 1}, raises=Unsupported),
    Case("overlap_add", (rand(4, 2), 2), tol=ROUNDS),
    Case("overlap_add", (rand(3, 4, 2), 1), tol=ROUNDS, why="rows"),
    Case("overlap_add", (rand(2, 4), 2), {"axis": 0}, tol=ROUNDS),
    Case("overlap_add", (rand(2, 4, 3), 2), {"axis": 0}, tol=ROUNDS, why="columns"),
    Case("overlap_add", (rand(2, 4, 2), 2), {"axis": 1}, raises=Unsupported),
    Case("add_position_encoding", (rand(2, 3, 4),), tol=ROUNDS),
    Case("add_position_encoding", (rand(1, 3, 2),), {"alpha": 0.5, "beta": 2.0}, tol=ROUNDS),
    Case("add_position_encoding", (rand(3, 4),), why="two axes", raises=Unsupported),
    Case("stft", (rand(2, 8), rand(4), 4, 2, False, True), tol=ROUNDS),
    Case("stft", (rand(1, 9), rand(4), 4, 1, True, True), tol=ROUNDS, why="normalised"),
]
