"""TensorFlow's Fourier transforms."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Case, Tolerance, rand
from .shape import axis, ints, known

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
    *(Case("AudioSpectrogram", (rand(50, 2),),
           {"window_size": w, "stride": 7, "magnitude_squared": q}, tol=NEAR)
      for w, q in ((16, True), (20, False))),
    Case("AudioSpectrogram", (rand(10, 1),), {"window_size": 16, "stride": 7}, why="too short",
         tol=NEAR),
    Case("AudioSpectrogram", (rand(50),), {"window_size": 16, "stride": 7}, why="one axis",
         raises=BadType),
    Case("AudioSpectrogram", (rand(5, 2),), {"window_size": 2, "stride": 1}, why="two samples",
         tol=NEAR),
    Case("AudioSpectrogram", (rand(5, 2),), {"window_size": 1, "stride": 1}, why="one sample",
         raises=BadType),
    Case("Mfcc", (rand(1, 3, 129, low=0), axis(16000)), tol=NEAR),
    Case("Mfcc", (rand(2, 3, 65, low=0), axis(8000)),
         {"upper_frequency_limit": 3000.0, "lower_frequency_limit": 100.0,
          "filterbank_channel_count": 20, "dct_coefficient_count": 8}, tol=NEAR),
    Case("Mfcc", (rand(1, 3, 129), axis(16000)), {"lower_frequency_limit": 5000.0},
         why="limits", raises=BadType),
]  # fmt: skip
