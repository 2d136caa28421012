"""TFLite's suppression of overlapping boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import ROUNDS, Case, Const, f, rand
from .flexible import flexible
from .numbers import number, q

CORNERS = rand(12, 2, low=0, high=0.6)
BOXES = np.concatenate([CORNERS, CORNERS + rand(12, 2, seed=1, low=0.1, high=0.4)], axis=1)
TOUCHING = f([0, 0, 1, 1], [0, 0, 1, 2])
SCORES = rand(12, seed=2, low=0, high=1)
ANCHORS = Const(
    np.concatenate([rand(12, 2, low=0.2, high=0.8), rand(12, 2, low=0.1, high=0.4)], axis=1)
)
SHIFTS = rand(1, 12, 4, seed=4, low=-1, high=1)
CHANCES = rand(1, 12, 4, seed=5, low=0, high=1)
BYTES = (
    q(1, 12, 4, dtype=np.uint8),
    q(1, 12, 4, dtype=np.uint8, seed=1, scale=1 / 256, zero=0),
    q(12, 4, dtype=np.uint8, seed=2, scale=1 / 256, zero=0, constant=True),
)
THREE = (np.int32, np.float32, np.int32)
FOUR = (np.float32,) * 4


def level(value: float) -> Const:
    """A known number."""
    return Const(f(value).reshape(()))


def options(**given: Any) -> dict[str, Any]:
    """The options of the operator."""
    return flexible(**(PLAIN | given))


PLAIN: dict[str, Any] = {
    "max_detections": 5, "max_classes_per_detection": 1, "nms_score_threshold": 0.2,
    "nms_iou_threshold": 0.4, "num_classes": 3, "y_scale": 10.0, "x_scale": 10.0,
    "h_scale": 5.0, "w_scale": 5.0, "_output_quantized": True,
}  # fmt: skip
OP = "TFLite_Detection_PostProcess"
CASES = [
    Case("NON_MAX_SUPPRESSION_V4", (BOXES, SCORES, number(5), level(0.3), level(0.2)),
         results=(np.int32, np.int32), outputs=2),
    *(Case("NON_MAX_SUPPRESSION_V4", (TOUCHING, f(0.9, 0.8), number(2), level(to), level(0)),
           results=(np.int32, np.int32), outputs=2, why=f"an overlap of a half, {to}")
      for to in (0.49, 0.5, 0.51)),
    Case("NON_MAX_SUPPRESSION_V4", (BOXES, SCORES, number(20), level(0.3), level(0.2)),
         results=(np.int32, np.int32), outputs=2, why="zeros behind"),
    Case("NON_MAX_SUPPRESSION_V4", (BOXES, SCORES, number(5), level(0.3), level(2)),
         results=(np.int32, np.int32), outputs=2, why="nothing"),
    Case("NON_MAX_SUPPRESSION_V5", (BOXES, SCORES, number(5), level(0.3), level(0.2), level(0)),
         results=THREE, outputs=3),
    Case("NON_MAX_SUPPRESSION_V5", (BOXES, SCORES, number(20), level(0.9), level(0.5), level(0)),
         results=THREE, outputs=3, why="zeros behind"),
    Case("NON_MAX_SUPPRESSION_V5", (BOXES, SCORES, number(5), level(0.3), level(0.2), level(0.5)),
         results=THREE, outputs=3, raises=Unsupported, why="soft"),
    *(Case(OP, (SHIFTS, CHANCES, ANCHORS), options(**way), results=FOUR, outputs=4, tol=ROUNDS,
           why=str(way))
      for way in ({}, {"num_classes": 4}, {"max_classes_per_detection": 2},
                  {"use_regular_nms": True}, {"use_regular_nms": True, "max_detections": 9},
                  {"use_regular_nms": True, "detections_per_class": 1},
                  {"use_regular_nms": True, "max_detections": 20},
                  {"nms_score_threshold": 0.6}, {"nms_iou_threshold": 0.05},
                  {"use_regular_nms": True, "nms_score_threshold": 0.8},
                  {"use_regular_nms": True, "nms_iou_threshold": 0.05},
                  {"y_scale": 2.0}, {"x_scale": 2.0}, {"h_scale": 2.0}, {"w_scale": 2.0})),
    *(Case(OP, (SHIFTS, CHANCES, ANCHORS), options(**form), results=FOUR, outputs=4, tol=ROUNDS,
           why=f"options with {form}")
      for form in ({"width": 8}, {"width": 2, "far": True}, {"width": 1}, {"unsigned": True},
                   {"far": True, "unsigned": True})),
    *(Case(OP, (SHIFTS, CHANCES, ANCHORS), options(depth=n), results=FOUR, outputs=4,
           raises=error, why=f"beside its options a list {n} deep")
      for n, error in ((20, Unsupported), (21, BadFile))),
    Case(OP, BYTES, options(), results=FOUR, outputs=4, tol=ROUNDS, why="uint8"),
    Case(OP, (SHIFTS, CHANCES, ANCHORS), options(num_classes=9), results=FOUR, outputs=4,
         raises=BadType, why="too many classes"),
    Case(OP, (SHIFTS, CHANCES, ANCHORS), {"custom_options": [1, 2, 3]}, results=FOUR, outputs=4,
         raises=BadFile, why="damaged options"),
]  # fmt: skip
