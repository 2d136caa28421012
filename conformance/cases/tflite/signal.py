"""TFLite's Fourier transforms, and the features of sound of its custom operators."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, Tolerance, rand
from .flexible import flexible
from .numbers import number, sizes

WAVES = (np.complex64,)
FLOAT = (np.float32,)
HEARD = Tolerance(relative=1e-4, absolute=2e-4)
NEAR = Tolerance(relative=1e-4, absolute=1e-4)
CASES = [
    Case("RFFT2D", (rand(2, 4, 8), sizes(4, 8)), results=WAVES, tol=NEAR),
    Case("RFFT2D", (rand(3, 6), sizes(2, 4)), results=WAVES, tol=NEAR, why="cut"),
    Case("RFFT2D", (rand(3, 6), sizes(4, 16)), results=WAVES, tol=NEAR, why="padded"),
    Case("RFFT2D", (rand(1, 16), sizes(1, 16)), results=WAVES, tol=NEAR, why="one line"),
    Case("RFFT2D", (rand(2, 5), sizes(2, 16)), results=WAVES, tol=NEAR, why="only the line grows"),
    *(Case("AudioSpectrogram", (rand(300, 1, seed=1, low=-1, high=1),),
           flexible(window_size=w, stride=s, magnitude_squared=m), results=FLOAT, tol=HEARD,
           why=f"{w} {s} {m}") for w, s, m in ((64, 32, True), (50, 20, False))),
    *(Case("Mfcc", (rand(1, 4, 257, seed=2, low=0.1, high=2), number(16000)),
           flexible(upper_frequency_limit=u, lower_frequency_limit=20.0,
                    filterbank_channel_count=c, dct_coefficient_count=13), results=FLOAT,
           tol=HEARD, why=f"{u} {c}") for u, c in ((4000.0, 40), (7000.0, 20))),
    Case("Mfcc", (rand(1, 4, 257, seed=2, low=0.1, high=2), number(16000)),
         flexible(upper_frequency_limit=4000.0, lower_frequency_limit=300.0,
                  filterbank_channel_count=30, dct_coefficient_count=7), results=FLOAT, tol=HEARD,
         why="300.0, 7 coefficients"),
    Case("Mfcc", (rand(1, 4, 257, seed=2, low=0.1, high=2), number(7000)),
         flexible(upper_frequency_limit=4000.0, lower_frequency_limit=20.0,
                  filterbank_channel_count=40, dct_coefficient_count=13), results=FLOAT,
         raises=BadType, why="bands above the highest frequency: LiteRT computes nothing"),
]  # fmt: skip
