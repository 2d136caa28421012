"""TensorFlow's resizing, crops, projective transforms and colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported

from ...case import Case, Const, Limit, Tolerance, f, i, rand, scalar

IMAGE = rand(2, 5, 6, 3)
BYTES = rand(1, 4, 5, 2, dtype=np.uint8, low=0, high=255)
COLOURS = rand(2, 3, 4, 3, low=0.0, high=1.0)
GREYS = f([0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.2, 0.5])
LOOSE = Tolerance(relative=1e-4, absolute=1e-5)
HALF: dict[str, Any] = {"half_pixel_centers": True}
CORNERS: dict[str, Any] = {"align_corners": True}
BOXES = f([0, 0, 1, 1], [0.2, 0.6, 0.7, 0.1], [-0.5, 0.1, 1.2, 0.9])
WHICH = i(1, 0, 1, dtype=np.int32)
TURN = f([0.9, 0.2, 0.5, -0.1, 1.1, -0.3, 0, 0], [1, 0, 2, 0, 1, -1, 0.01, 0.02])


def size(*numbers: int) -> Const:
    """Sizes that are known."""
    return Const(i(*numbers, dtype=np.int32))


OPS = ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")

CASES = [
    *(Case(op, (IMAGE, size(*to)), attrs, tol=LOOSE, why=f"{why} to {to}")
      for op in OPS
      for to in ((10, 18), (3, 4), (7, 11), (1, 1))
      for why, attrs in (("plain", {}), ("half pixels", HALF), ("corners", CORNERS))),
    *(Case(op, (BYTES, size(7, 3)), HALF, tol=LOOSE, why="bytes") for op in OPS),
    *(Case(op, (IMAGE, size(7, 3)), {**HALF, **CORNERS}, raises=BadType, why="both") for op in OPS),
    *(Case(op, (IMAGE, i(7, 3, dtype=np.int32)), HALF, tol=LOOSE, why="computed size")
      for op in OPS[:2]),
    Case("ResizeBicubic", (IMAGE, i(7, 3, dtype=np.int32)), raises=NotConstant, why="computed"),
    *(Case("ResizeArea", (IMAGE, size(*to)), attrs, tol=LOOSE, why=f"{to} {attrs}")
      for to in ((10, 18), (3, 4), (7, 11)) for attrs in ({}, CORNERS)),
    Case("ResizeArea", (BYTES, size(2, 2)), tol=LOOSE),
    Case("ResizeArea", (rand(2, 1, 4, 3), size(3, 6)), CORNERS, tol=LOOSE, why="one row, corners"),
    *(Case("ScaleAndTranslate", (IMAGE, size(7, 4), Const(f(1.4, 0.7)), Const(f(*by))),
           {"kernel_type": kind, "antialias": anti}, tol=LOOSE, why=f"{kind} {anti} {by}")
      for kind in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle",
                   "keyscubic", "mitchellcubic")
      for anti, by in ((True, (0, 0)), (False, (0.5, -1)))),
    *(Case("ScaleAndTranslate",
           (rand(1, 9, 6, 1), size(3, 2), Const(f(1 / 3, 1 / 3)), Const(f(0, 0))),
           {"kernel_type": kind}, tol=LOOSE, why=f"{kind}, on the middle of elements")
      for kind in ("lanczos3", "gaussian", "mitchellcubic")),
    Case("ScaleAndTranslate", (IMAGE, size(7, 4), f(1.4, 0.7), f(0, 0)), raises=NotConstant,
         why="computed scale"),
    *(Case("CropAndResize", (IMAGE, BOXES, WHICH, size(*to)),
           {"method": how, "extrapolation_value": 0.5}, tol=LOOSE, why=f"{how} {to}")
      for how in ("bilinear", "nearest") for to in ((4, 3), (1, 2))),
    Case("CropAndResize", (BYTES, BOXES, WHICH * 0, size(2, 3)), tol=LOOSE, why="bytes"),
    Case("CropAndResize", (IMAGE, BOXES, WHICH, size(2, 3)), {"method": "cubic"},
         raises=Unsupported, why="another method"),
    *(Case("ImageProjectiveTransformV3", (IMAGE, TURN, size(4, 7), scalar(0.25)),
           {"interpolation": how, "fill_mode": mode}, tol=LOOSE, why=f"{how} {mode}")
      for how in ("BILINEAR", "NEAREST") for mode in ("CONSTANT", "NEAREST")),
    Case("ImageProjectiveTransformV2", (IMAGE, TURN[:1], size(5, 6)),
         {"interpolation": "BILINEAR"}, tol=LOOSE),
    Case("ImageProjectiveTransformV3", (IMAGE, TURN, size(4, 7), scalar(0.25)),
         {"interpolation": "BILINEAR", "fill_mode": "REFLECT"}, raises=Unsupported, why="mirrored"),
    *(Case(op, (x,), tol=LOOSE, why=why) for op in ("RGBToHSV", "HSVToRGB")
      for why, x in (("random", COLOURS), ("greys and pure colours", GREYS),
                     ("one colour", COLOURS.reshape(-1, 3)[0]))),
    Case("RGBToHSV", (COLOURS.astype(np.float64),), tol=LOOSE),
    Case("RGBToHSV", (rand(2, 4),), raises=BadType, why="four channels"),
    *(Case("AdjustHue", (x, scalar(by)), tol=LOOSE, why=f"by {by} of {x.ndim} axes")
      for x in (COLOURS, GREYS[None]) for by in (0.3, -0.45)),
    *(Case("AdjustSaturation", (x, scalar(by)), tol=LOOSE, why=f"by {by} of {x.ndim} axes")
      for x in (COLOURS, GREYS[None]) for by in (0.3, 2.5)),
    *(Case("AdjustContrastv2", (x, scalar(by)), tol=LOOSE, why=f"by {by} of {x.ndim} axes")
      for x in (COLOURS, COLOURS[0]) for by in (0.3, 2.5)),
    Case("ImageProjectiveTransformV2", (IMAGE, TURN, size(4, 7)),
         {"interpolation": "NEAREST", "fill_mode": "NEAREST"}, tol=LOOSE),
]  # fmt: skip
LIMITS: list[Limit] = []
