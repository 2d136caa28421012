"""TensorFlow's Fourier transforms."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Case, Tolerance, rand
from .shape import ints, known

NEAR = Tolerance(relative=1e-4, absolute=1e-5)
X = rand(2, 4, 3, 6)
C = (X + 1j * rand(2, 4, 3, 6, seed=1)).astype(np.complex64)
AXES = {"": 1, "2D": 2, "3D": 3}
SHORTER = (3, 2, 4)

CASES = [
    *(Case(f"{op}{n}", (C,), tol=NEAR) for op in ("FFT", "IFFT") for n in AXES),
    *(Case(f"{op}{n}", (C.astype(np.complex128),), tol=NEAR) for op in ("FFT", "IFFT")
      for n in AXES),
    *(Case(f"RFFT{n}", (X, known(*X.shape[-c:])), tol=NEAR) for n, c in AXES.items()),
    *(Case(f"RFFT{n}", (X, ints(*SHORTER[-c:])), why="run-time", tol=NEAR)
      for n, c in AXES.items()),
    *(Case(f"RFFT{n}", (X.astype(np.float64), known(*SHORTER[-c:])),
           {"Tcomplex": Precision.COMPLEX128}, tol=NEAR) for n, c in AXES.items()),
    *(Case(f"IRFFT{n}", (C, known(*(4, 3, 10)[-c:])), why="even", tol=NEAR)
      for n, c in AXES.items()),
    *(Case(f"IRFFT{n}", (C, known(*SHORTER[-c:])), why="shorter", tol=NEAR)
      for n, c in AXES.items()),
    *(Case(f"IRFFT{n}", (C, ints(*(4, 3, 9)[-c:])), why="run-time", tol=NEAR)
      for n, c in AXES.items()),
    *(Case(f"IRFFT{n}", (C.astype(np.complex128), known(*(4, 3, 7)[-c:])),
           {"Treal": Precision.FLOAT64}, tol=NEAR) for n, c in AXES.items()),
    Case("FFT", (X,), why="real", raises=BadType),
    Case("FFT2D", (C[0, 0, 0],), why="one axis", raises=BadType),
    Case("RFFT", (X, known(4, 4)), why="two lengths", raises=BadType),
    Case("RFFT", (X, known(4)), {"Tcomplex": Precision.COMPLEX128}, why="width", raises=BadType),
]  # fmt: skip
