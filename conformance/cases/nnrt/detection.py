"""NNRt's boxes of what is detected."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import ROUNDS, Case, Const, rand

OP = "DETECTION_POST_PROCESS"
ANCHORS = np.concatenate([rand(12, 2, low=0.2, high=0.8), rand(12, 2, low=0.1, high=0.4)], axis=1)
INPUTS = (
    rand(1, 12, 4, seed=4, low=-1, high=1),
    rand(1, 12, 4, seed=5, low=0, high=1),
    Const(ANCHORS),
)
PLAIN: dict[str, Any] = {
    "inputSize": 300, "scale": (10.0, 10.0, 5.0, 5.0), "nmsIoUThreshold": 0.4,
    "nmsScoreThreshold": 0.2, "maxDetections": 5, "detectionsPerClass": 100,
    "maxClassesPerDetection": 1, "numClasses": 3, "useRegularNms": False, "outQuantized": False,
}  # fmt: skip
WAYS: tuple[dict[str, Any], ...] = (
    {}, {"numClasses": 4}, {"maxClassesPerDetection": 2}, {"useRegularNms": True},
    {"useRegularNms": True, "maxDetections": 9}, {"useRegularNms": True, "detectionsPerClass": 1},
    {"useRegularNms": True, "maxDetections": 20}, {"nmsScoreThreshold": 0.6},
    {"nmsIoUThreshold": 0.05}, {"useRegularNms": True, "nmsIoUThreshold": 0.05},
    {"scale": (2.0, 10.0, 5.0, 5.0)}, {"scale": (10.0, 2.0, 5.0, 5.0)},
    {"scale": (10.0, 10.0, 2.0, 5.0)}, {"scale": (10.0, 10.0, 5.0, 2.0)}, {"inputSize": 0},
)  # fmt: skip
CASES = [
    *(Case(OP, INPUTS, PLAIN | way, outputs=4, tol=ROUNDS, why=str(way)) for way in WAYS),
    Case(OP, INPUTS, PLAIN | {"numClasses": 9}, outputs=4, raises=BadType, why="too many classes"),
    Case(OP, INPUTS, PLAIN | {"outQuantized": True}, outputs=4, raises=Unsupported, why="integers"),
    Case(OP, INPUTS, PLAIN | {"scale": (1.0, 1.0)}, outputs=4, raises=BadFile, why="two scales"),
    Case(OP, INPUTS, PLAIN | {"inputSize": -1}, outputs=4, raises=BadType, why="no size"),
]
