"""Questions about boxes and regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, f, i
from ..question import Arrays, Question, number, plain, torch

HALF_OVER = f([0, 0, 2, 1], [1, 0, 3, 1])
"""Two boxes that share a third of what they cover."""

UNIT = f([0, 0, 1, 1], [0, 0, 1, 2])
"""Half of the second box: the ratio is 0.5 exactly."""

FLIPPED = f([2, 1, 0, 0], [0, 0, 2, 1])
APART = f([0, 0, 1, 1], [5, 5, 6, 6], [9, 9, 10, 10])
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
REGION = f([0, 0, 4, 4])
TINY = f([1, 1, 1, 1])


def last(results: Arrays) -> Arrays:
    """The boxes of ONNX's (image, class, box)."""
    return [results[0][:, 2]]


def cut_boxes(results: Arrays) -> Arrays:
    """As many boxes as TFLite says."""
    return [results[0][: int(results[1])]]


VIEWS = {"onnx": last, "tflite": cut_boxes}


def kept_boxes(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> dict[str, Case]:
    """Which boxes a suppression keeps."""
    level, most = number(threshold, np.float32), number(len(boxes))
    none = number(-9, np.float32)
    return {
        "onnx": plain("NonMaxSuppression", boxes[None], scores[None, None],
                      i(len(boxes)), f(threshold)),
        "torch": torch("torchvision.nms.default", boxes, scores, threshold),
        "tensorflow": plain("NonMaxSuppressionV3", boxes, scores, most, level, none),
        "tflite": Case("NON_MAX_SUPPRESSION_V4", (boxes, scores, most, level, none),
                       results=(np.int32, np.int32), outputs=2),
        "paddle": plain("nms", boxes, threshold=threshold),
    }  # fmt: skip


def roi_align_row(rois: np.ndarray, **given: Any) -> dict[str, Case]:
    """A region pooled to two by two, by default where nothing is given."""
    ratio = given.get("ratio")
    size = {"output_height": 2, "output_width": 2}
    more = {} if ratio is None else {"sampling_ratio": ratio}
    batch = np.concatenate([np.zeros((len(rois), 1), np.float32), rois], axis=1)
    return {
        "onnx": Case("RoiAlign", (IMAGE, rois, i(*[0] * len(rois))), size | more, opset=16),
        "torch": torch("torchvision.roi_align.default", IMAGE, batch, 1.0, 2, 2, ratio or -1,
                       given.get("half", False)),
        "paddle": plain("roi_align", IMAGE, rois, i(len(rois), dtype=np.int32), pooled_height=2,
                        pooled_width=2, sampling_ratio=ratio or -1),
    }  # fmt: skip


QUESTIONS = [
    Question(
        "NON_MAX_SUPPRESSION",
        "Is a box suppressed whose overlap is the threshold exactly?",
        (UNIT, f(0.9, 0.8)),
        kept_boxes(UNIT, f(0.9, 0.8), 0.5),
        "The second box has twice the area of the first one, which lies in it: the ratio is "
        "0.5. TFLite alone lets it go. Paddle's operator has no scores and takes boxes in "
        "order.",
        views=VIEWS,
    ),
    Question(
        "NON_MAX_SUPPRESSION",
        "Which of two boxes with equal scores stays?",
        (HALF_OVER, f(0.5, 0.5)),
        kept_boxes(HALF_OVER, f(0.5, 0.5), 0.2),
        "The first one, by a stable order.",
        views=VIEWS,
    ),
    Question(
        "NON_MAX_SUPPRESSION",
        "May the corners of a box be given in any order?",
        (FLIPPED, f(0.9, 0.8)),
        kept_boxes(FLIPPED, f(0.9, 0.8), 0.5),
        "Both boxes are the same area; a negative width makes the overlap zero where nobody sorts "
        "the corners.",
        views=VIEWS,
    ),
    Question(
        "NON_MAX_SUPPRESSION",
        "How many boxes are kept by default?",
        (APART, f(0.9, 0.8, 0.7)),
        {
            "onnx": Case("NonMaxSuppression", (APART[None], f(0.9, 0.8, 0.7)[None, None]),
                         oracle="onnxruntime"),
            "torch": torch("torchvision.nms.default", APART, f(0.9, 0.8, 0.7), 0.5),
            "paddle": plain("nms", APART, threshold=0.5),
        },
        "ONNX's default is to keep none, the maximum being 0. ONNX Runtime is asked.",
        views={"onnx": last},
    ),
    Question(
        "NON_MAX_SUPPRESSION",
        "Does a score that equals the threshold count?",
        (APART, f(0.9, 0.5, 0.25)),
        {
            "onnx": plain("NonMaxSuppression", APART[None], f(0.9, 0.5, 0.25)[None, None], i(3),
                          f(0.5), f(0.5)),
            "tensorflow": plain("NonMaxSuppressionV3", APART, f(0.9, 0.5, 0.25), number(3),
                                number(0.5, np.float32), number(0.5, np.float32)),
            "tflite": Case("NON_MAX_SUPPRESSION_V4",
                           (APART, f(0.9, 0.5, 0.25), number(3), number(0.5, np.float32),
                            number(0.5, np.float32)), results=(np.int32, np.int32), outputs=2),
        },
        "It does not: scores have to be above the threshold.",
        views=VIEWS,
    ),
    Question(
        "ROI_ALIGN",
        "Are regions moved by half an element by default?",
        (IMAGE[0, 0], REGION),
        roi_align_row(REGION),
        "ONNX moves them since opset 16 (`half_pixel`); torchvision's and Paddle's operators only "
        "when `aligned` is true, which is the default of Paddle's Python function and not of "
        "torchvision's. Samples are as many as needed; ONNX Runtime and the reference count 0 as "
        "that.",
    ),
    Question(
        "ROI_ALIGN",
        "Does an empty region have a size?",
        (IMAGE[0, 0], TINY),
        roi_align_row(TINY, ratio=1),
        "Without `aligned` its sides are at least 1.",
    ),
    Question(
        "ROI_ALIGN",
        "Do regions agree with two samples, moved alike?",
        (IMAGE[0, 0], REGION),
        {
            "onnx": Case("RoiAlign", (IMAGE, REGION, i(0)),
                         {"output_height": 2, "output_width": 2, "sampling_ratio": 2,
                          "coordinate_transformation_mode": "output_half_pixel"}, opset=16),
            "torch": torch("torchvision.roi_align.default", IMAGE, f([0, 0, 0, 4, 4]), 1.0, 2, 2,
                           2, False),
            "paddle": plain("roi_align", IMAGE, REGION, i(1, dtype=np.int32), pooled_height=2,
                            pooled_width=2, sampling_ratio=2),
        },
        "The old meaning, by which regions are not moved.",
    ),
]  # fmt: skip
