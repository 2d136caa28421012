"""ONNX losses."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, f, i, rand

SCORES, LABELS = rand(3, 5), i(0, 4, 2)
IMAGES, MASKS = rand(2, 3, 2, 2), rand(2, 2, 2, dtype=np.int64, low=0, high=2)
WEIGHTS, THREE = f(0.2, 0.3, 0.6, 0.1, 0.5), f(0.2, 0.3, 0.6)
OPS = ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
REDUCTIONS = ("none", "mean", "sum")

CASES = [
    *(Case(op, (SCORES, LABELS), {"reduction": r}, tol=ROUNDS) for op in OPS for r in REDUCTIONS),
    *(
        Case(op, (SCORES, LABELS, WEIGHTS), {"reduction": r}, why=f"weighted {r}", tol=ROUNDS)
        for op in OPS
        for r in REDUCTIONS
    ),
    *(
        Case(op, (IMAGES, MASKS, Const(THREE)), {"ignore_index": 1, "reduction": r},
             why=f"images, one class ignored, {r}", tol=ROUNDS)
        for op in OPS
        for r in REDUCTIONS
    ),
    *(
        Case(op, (SCORES, i(0, -7, 2)), {"ignore_index": -7}, why="ignored and no class",
             tol=ROUNDS)
        for op in OPS
    ),
    *(
        Case(op, (SCORES, LABELS.astype(np.int32)), opset=12, why="the first version", tol=ROUNDS)
        for op in OPS
    ),
    *(Case(op, (SCORES, LABELS), {"reduction": "max"}, raises=Unsupported) for op in OPS),
    *(Case(op, (IMAGES, MASKS[0]), raises=BadType, why="classes with too few axes")
      for op in OPS),
    *(Case(op, (SCORES, LABELS, f(1)), raises=BadType, why="a weight for several classes")
      for op in OPS),
    Case("SoftmaxCrossEntropyLoss", (SCORES, LABELS), outputs=2, why="with the logarithms",
         tol=ROUNDS),
]  # fmt: skip
