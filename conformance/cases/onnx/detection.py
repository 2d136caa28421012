"""ONNX operators on boxes and regions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, f, i, rand

ROUNDS = Tolerance(relative=2e-5, absolute=1e-5)
BOXES = f(
    0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 1, 11.1, 0, 10.1, 0, 100, 1, 101
).reshape(1, 6, 4)
SCORES = f(0.9, 0.75, 0.6, 0.95, 0.5, 0.3, 0.1, 0.2, 0.3, 0.3, 0.3, 0.25).reshape(1, 2, 6)
FEATURES = rand(2, 3, 6, 7)
ROIS = f(0, 0, 4, 5, 1.5, 2.25, 3, 4.5, -1, 2, 8, 9, 3, 3, 3, 3).reshape(4, 4)
IMAGES = i(0, 1, 0, 1)
POOLED = {"output_height": 2, "output_width": 3}

CASES = [
    Case("NonMaxSuppression", (BOXES, SCORES, i(3), f(0.5), f(0.0))),
    Case("NonMaxSuppression", (BOXES[..., :2], SCORES, i(3)), why="centres only", raises=BadType),
    Case(
        "NonMaxSuppression",
        (BOXES, SCORES, Const(i(9)), Const(f(0.5)), Const(f(0.3))),
        why="scores must be above",
    ),
    Case("NonMaxSuppression", (BOXES, SCORES, i(2), f(0.5)), why="no score_threshold"),
    Case("NonMaxSuppression", (BOXES, SCORES, i(2)), oracle="onnxruntime", why="no iou_threshold"),
    Case("NonMaxSuppression", (BOXES, SCORES), oracle="onnxruntime", why="nothing is kept"),
    Case("NonMaxSuppression", (np.abs(BOXES) + 1, SCORES, i(4), f(0.2)), {"center_point_box": 1}),
    Case("NonMaxSuppression", (BOXES, SCORES, i(3), f(0.5), f(0.0)), opset=10),
    Case("NonMaxSuppression", (BOXES, SCORES, i(3)), {"center_point_box": 2}, raises=BadType),
    Case("NonMaxSuppression", (BOXES[0], SCORES, i(3)), raises=BadType, why="boxes of rank 2"),
    Case("RoiAlign", (FEATURES, ROIS, IMAGES), POOLED, tol=ROUNDS),
    Case("RoiAlign", (FEATURES, ROIS, IMAGES), tol=ROUNDS, why="defaults"),
    *(
        Case("RoiAlign", (FEATURES, ROIS, IMAGES[:1]), {"mode": m}, raises=BadType, why=why)
        for m, why in (("avg", "regions without an image"), ("max", "maxima without an image"))
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS, IMAGES),
        opset=10,
        oracle="onnxruntime",
        tol=ROUNDS,
        why="defaults",
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS, IMAGES),
        POOLED | {"sampling_ratio": 2, "spatial_scale": 0.5},
        tol=ROUNDS,
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS, IMAGES),
        POOLED | {"coordinate_transformation_mode": "output_half_pixel"},
        tol=ROUNDS,
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS[:2], IMAGES[:2]),
        POOLED | {"mode": "max", "sampling_ratio": 2},
        tol=ROUNDS,
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS, IMAGES),
        POOLED,
        opset=10,
        oracle="onnxruntime",
        tol=ROUNDS,
        why="no half pixel",
    ),
    Case(
        "RoiAlign",
        (FEATURES, ROIS[:0], IMAGES[:0]),
        POOLED,
        opset=21,
        oracle="onnxruntime",
        why="no region",
    ),
    Case("RoiAlign", (FEATURES, ROIS, IMAGES), {"mode": "sum"}, raises=Unsupported),
    Case(
        "RoiAlign",
        (FEATURES, ROIS, IMAGES),
        {"coordinate_transformation_mode": "asymmetric"},
        raises=Unsupported,
    ),
    Case("RoiAlign", (FEATURES, IMAGES, IMAGES), raises=BadType, why="regions of rank 1"),
    Case(
        "MaxRoiPool",
        (FEATURES, f(0, 0, 0, 4, 5, 1, 1.5, 2.25, 3, 4.5).reshape(2, 5)),
        {"pooled_shape": [2, 3]},
        opset=21,
        oracle="onnxruntime",
    ),
    Case(
        "MaxRoiPool",
        (FEATURES, f(1, 0, 0, 9, 11, 0, 2, 2, 2, 2).reshape(2, 5)),
        {"pooled_shape": [3, 2], "spatial_scale": 0.6},
        opset=21,
        oracle="onnxruntime",
    ),
    Case(
        "MaxRoiPool",
        (FEATURES, ROIS),
        {"pooled_shape": [2, 2]},
        raises=BadType,
        why="regions without an image",
    ),
]
LIMITS: list[Limit] = []
