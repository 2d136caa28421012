"""NNAPI's normalisations."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import ROUNDS, Case, rand

IMAGE = rand(2, 3, 4, 5)
USUAL = {"radius": 2, "bias": 1.0, "alpha": 0.1, "beta": 0.75}
LRN = "LOCAL_RESPONSE_NORMALIZATION"

CASES = [
    Case("L2_NORMALIZATION", (IMAGE,), tol=ROUNDS),
    Case("L2_NORMALIZATION", (IMAGE * 1e4,), tol=ROUNDS, why="large numbers"),
    Case("L2_NORMALIZATION", (rand(3, 4),), raises=BadModel, why="two axes"),
    Case(LRN, (IMAGE,), USUAL, tol=ROUNDS),
    *(
        Case(LRN, (IMAGE,), {**USUAL, "radius": r}, tol=ROUNDS, why=f"radius {r}")
        for r in (0, 1, 9)
    ),
    Case(
        LRN, (IMAGE,), {**USUAL, "bias": 2.0, "alpha": 3.0, "beta": 0.5}, tol=ROUNDS, why="a root"
    ),
    Case(LRN, (IMAGE,), {**USUAL, "bias": 0.0}, raises=BadModel, why="no bias"),
    Case(LRN, (IMAGE,), {**USUAL, "radius": -1}, raises=BadModel, why="a radius below 0"),
]
