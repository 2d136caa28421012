"""From integers to real numbers."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import ROUNDS, Case, rand
from .numbers import q

CASES = [
    Case(
        "DEQUANTIZE",
        (q(2, 3, 4, scale=0.013, zero=z),),
        results=("float32",),
        tol=ROUNDS,
        why=f"zero point {z}",
    )
    for z in (0, 130, 255)
] + [
    Case("DEQUANTIZE", (rand(3),), results=("float32",), raises=BadModel, why="real numbers"),
]
