"""TFLite's resizing of images."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, Tolerance, i, rand
from .numbers import QUANTUM, name, q, same, sizes

IMAGE = rand(2, 3, 4, 2)
OPS = ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
WAYS: tuple[dict[str, bool], ...] = ({}, {"align_corners": True}, {"half_pixel_centers": True})
SIZES = ((6, 8), (5, 3), (7, 9), (2, 2), (1, 1))

CASES = [
    *(Case(op, (IMAGE, sizes(*to)), way, tol=ROUNDS, why=f"{to} {way}")
      for op in OPS for way in WAYS for to in SIZES),
    *(Case(op, (IMAGE, i(5, 3, dtype=np.int32)), tol=ROUNDS, why="sizes at run time")
      for op in OPS),
    *(Case(op, (IMAGE, sizes(6, 8)), {"align_corners": True, "half_pixel_centers": True},
           raises=BadType) for op in OPS),
    *(Case("RESIZE_NEAREST_NEIGHBOR", (q(2, 3, 4, 2, dtype=d), sizes(5, 7)), way, results=same(d),
           opset=4, why=f"{name(d)} {way}")
      for d in (np.int8, np.uint8, np.int16) for way in WAYS),
    *(Case("RESIZE_BILINEAR", (q(2, 3, 4, 2, dtype=d), sizes(5, 7)), way, results=same(d),
           tol=QUANTUM, opset=4, why=f"{name(d)} {way}")
      for d in (np.int8, np.uint8) for way in WAYS),
    *(Case("RESIZE_BILINEAR", (q(2, 3, 4, 2, dtype=np.int16), sizes(5, 7)), way,
           results=same(np.int16), tol=Tolerance(absolute=80), opset=4,
           why=f"int16: positions to a 1024th there {way}") for way in WAYS),
]  # fmt: skip
