"""NNAPI's resizing of images."""

from __future__ import annotations

from nnir.errors import BadModel

from ...case import ROUNDS, Case, rand
from .numbers import q

IMAGE = rand(2, 4, 5, 3)
CASES = [
    *(
        Case("RESIZE_BILINEAR", (IMAGE,), {"new_height": h, "new_width": w}, tol=ROUNDS)
        for h, w in ((8, 10), (3, 7), (2, 2), (4, 5), (1, 1), (13, 4))
    ),
    Case(
        "RESIZE_BILINEAR",
        (IMAGE,),
        {"new_height": 0, "new_width": 4},
        raises=BadModel,
        why="no rows",
    ),
    Case(
        "RESIZE_BILINEAR",
        (q(1, 2, 2, 1),),
        {"new_height": 3, "new_width": 4},
        raises=BadModel,
        why="integers",
    ),
]
