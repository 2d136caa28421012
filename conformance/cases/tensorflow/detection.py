"""TensorFlow's suppression of overlapping boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NotConstant, Unsupported

from ...case import Case, Const, Limit, rand, scalar

CORNERS = rand(9, 2, low=0.0, high=0.6)
BOXES = np.concatenate([CORNERS, CORNERS + rand(9, 2, seed=1, low=0.2, high=0.6)], axis=1)
FLIPPED = BOXES[:, [2, 3, 0, 1]]
SCORES = rand(9, low=0.0, high=1.0)
EQUAL = np.full(9, 0.5, np.float32)
LIMIT = Const(np.array(5, np.int32))
IOU, SCORE, SIGMA = (Const(scalar(v)) for v in (0.3, 0.35, 0.0))
IMAGES = np.stack([BOXES, BOXES[::-1] * 0.9])[:, :, None]
CLASSES = rand(2, 9, 3, low=0.0, high=1.0)
EACH = np.stack([IMAGES[:, :, 0] * s for s in (1.0, 0.8, 1.1)], axis=2).astype(np.float32)


def combined(boxes: np.ndarray, most: tuple[int, int], why: str, **attrs: Any) -> Case:
    """A combined suppression with limits for a class and for an image."""
    limits = [Const(np.array(n, np.int32)) for n in most]
    inputs = (boxes, CLASSES, *limits, IOU, SCORE)
    return Case("CombinedNonMaxSuppression", inputs, attrs, why=why, outputs=4)


CASES = [
    Case("NonMaxSuppression", (BOXES, SCORES, LIMIT)),
    Case("NonMaxSuppression", (BOXES, SCORES, LIMIT), {"iou_threshold": 0.1}),
    Case("NonMaxSuppressionV2", (BOXES, SCORES, np.array(3, np.int32), scalar(0.4)), why="limits"),
    *(Case("NonMaxSuppressionV3", (boxes, scores, LIMIT, IOU, SCORE), why=why)
      for why, boxes, scores in (("plain", BOXES, SCORES), ("flipped", FLIPPED, SCORES),
                                 ("equal scores", BOXES, EQUAL), ("none", BOXES, SCORES * 0))),
    *(Case("NonMaxSuppressionV4", (BOXES, SCORES, LIMIT, IOU, SCORE),
           {"pad_to_max_output_size": pads}, outputs=2) for pads in (False, True)),
    Case("NonMaxSuppressionV4", (BOXES, SCORES, np.array(3, np.int32), IOU, SCORE),
         {"pad_to_max_output_size": True}, raises=NotConstant, why="computed limit"),
    *(Case("NonMaxSuppressionV5", (BOXES, SCORES, LIMIT, IOU, SCORE, SIGMA),
           {"pad_to_max_output_size": pads}, outputs=3) for pads in (False, True)),
    Case("NonMaxSuppressionV5", (BOXES, SCORES, LIMIT, IOU, SCORE, Const(scalar(0.5))),
         raises=Unsupported, why="soft", outputs=3),
    combined(IMAGES, (3, 5), "boxes of all classes"),
    combined(EACH, (3, 5), "boxes of each class", clip_boxes=False),
    combined(IMAGES, (2, 20), "more than there are"),
    combined(IMAGES, (2, 20), "as many as there may be", pad_per_class=True),
    combined(IMAGES, (9, 40), "more than boxes"),
]  # fmt: skip
LIMITS: list[Limit] = []
