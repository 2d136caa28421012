"""TensorFlow's complex numbers."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, f, rand

C = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
WIDE = C.astype(np.complex128)
EDGES = f(0, 1j, -1, np.inf, complex(np.nan, 1), complex(-0.0, -2), dtype=np.complex64)
PARTS = ("ComplexAbs", "Real", "Imag", "Angle")

CASES = [
    Case("Complex", (rand(2, 3), rand(3, seed=1))),
    Case("Complex", (rand(2, dtype=np.float64), rand(2, dtype=np.float64)),
         {"Tout": Precision.COMPLEX128}),
    Case("Complex", (rand(2), rand(2)), {"Tout": Precision.COMPLEX128}, why="width",
         raises=BadType),
    *(Case(op, (C,), tol=ROUNDS) for op in PARTS),
    *(Case(op, (WIDE,), {"Tout": Precision.FLOAT64}, tol=ROUNDS) for op in PARTS),
    *(Case(op, (EDGES,), why="edges", tol=ROUNDS) for op in PARTS),
    *(Case(op, (C,), {"Tout": Precision.FLOAT64}, why="width", raises=BadType) for op in PARTS),
    Case("Conj", (C,)),
    Case("Conj", (EDGES,), why="edges"),
    Case("Conj", (WIDE,)),
]  # fmt: skip
LIMITS = [
    Limit("Angle", "no Atan of float64", "onnxruntime", "complex128", raises=NoLowering),
]
