"""Operators that only frameworks give rows: one of each, so that what does not fit is tried too."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.ops import OPERATORS
from nnir.types import InterpolateMode, PadMode

from ...case import i, rand
from .direct import DirectCase

X, MATRIX = rand(2, 3, low=0.2, high=0.8), rand(2, 3, 3)
NUMBERS = {
    1: (
        *(
            "AIRY_AI",
            "BESSEL_I0",
            "BESSEL_I0E",
            "BESSEL_I1",
            "BESSEL_I1E",
            "BESSEL_J0",
            "BESSEL_J1",
        ),
        *("BESSEL_K0", "BESSEL_K0E", "BESSEL_K1", "BESSEL_K1E", "BESSEL_Y0", "BESSEL_Y1", "DAWSN"),
        *("DIGAMMA", "ERFCX", "ERFINV", "EXPINT", "FRESNEL_COS", "FRESNEL_SIN", "LGAMMA"),
        *("LOG_NDTR", "NDTRI", "SPENCE"),
    ),
    2: ("IGAMMA", "IGAMMAC", "NEXT_AFTER", "POLAR", "ZETA"),
    3: ("BETAINC",),
}
"""Functions of so many numbers."""

MATRICES = (
    *("DETERMINANT", "EIG", "EIGENVALUES", "MATRIX_EXP", "MATRIX_INVERSE", "SIGN_LOG_DET"),
    "SINGULAR_VALUES",
)
ODD: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "COMPLEX_TO_PAIRS": ((rand(2, 3, dtype=np.complex64),), {}),
    "GRID_SAMPLE_3D": (
        (rand(1, 2, 3, 4, 5), rand(1, 2, 3, 4, 3)),
        {"align_corners": True, "mode": InterpolateMode.BILINEAR, "pad_mode": PadMode.CONSTANT},
    ),
    "GROUPED_MAT_MUL": ((rand(6, 3), rand(4, 3, 2), i(2, 2, 5, 6, dtype=np.int32)), {}),
    "HOUSEHOLDER": ((MATRIX,), {}),
    "PAIRS_TO_COMPLEX": ((rand(3, 2),), {}),
    "PIVOT_ORDER": ((i(2, 3, 3, dtype=np.int32),), {"size": 4}),
    "POLYGAMMA": ((X,), {"order": 2}),
    "POLYNOMIAL": ((X, X), {"kind": "hermite_h"}),
}
ROWS = [
    *(DirectCase(OPERATORS[op], (X,) * n) for n, ops in NUMBERS.items() for op in ops),
    *(DirectCase(OPERATORS[op], (MATRIX,)) for op in MATRICES),
    *(DirectCase(OPERATORS[op], given, attrs) for op, (given, attrs) in ODD.items()),
]
