"""TensorFlow's normalisations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, f, rand

HALF = Tolerance(relative=4e-3, absolute=4e-3)
X = rand(2, 3, 4, 5)
FIVE = tuple(rand(5, seed=k, low=0.2) for k in range(1, 5))
HELD = tuple(Const(v) for v in FIVE)
OPS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
NONE = f()
GIVEN = {"is_training": False, "epsilon": 0.001}
COUNT = {"FusedBatchNormV3": 6}

CASES = [
    *(Case(op, (X, *FIVE), GIVEN, outputs=COUNT.get(op, 5), read=1, tol=ROUNDS) for op in OPS),
    *(Case(op, (X, *HELD), GIVEN, why="constants", outputs=COUNT.get(op, 5), read=3, tol=ROUNDS)
      for op in OPS),
    *(Case(op, (X, *FIVE[:2], NONE, NONE), why="training", outputs=COUNT.get(op, 5), read=5,
           tol=ROUNDS) for op in OPS),
    *(Case(op, (X[..., :1].copy(), *(v[:1].copy() for v in FIVE[:2]), NONE, NONE), read=5,
           why="training of one channel", outputs=COUNT.get(op, 5), tol=ROUNDS) for op in OPS),
    *(Case(op, (X, *FIVE), {"exponential_avg_factor": 0.1, "is_training": True}, read=5,
           outputs=COUNT.get(op, 5), tol=ROUNDS) for op in OPS),
    *(Case(op, (X.astype(np.float16), *HELD), GIVEN, why="half", outputs=COUNT.get(op, 5), read=1,
           tol=HALF) for op in OPS[1:]),
    *(Case(op, (rand(0, 3, 4, 5), *HELD), GIVEN, why="empty", outputs=COUNT.get(op, 5), read=1)
      for op in OPS),
    Case("FusedBatchNormV3", (X, *HELD), GIVEN | {"data_format": "NCHW_VECT_C"}, outputs=6,
         raises=Unsupported),
    Case("FusedBatchNormV3", (rand(2, 5), *HELD), GIVEN, outputs=6, why="no image", raises=BadType),
    Case("BatchNormWithGlobalNormalization", (rand(2, 5), *FIVE),
         {"variance_epsilon": 0.01, "scale_after_normalization": True}, raises=BadType,
         why="no image; today's TensorFlow refuses images too, see test_tensorflow_models.py"),
    Case("LRN", (rand(2, 3, 4, 7),), tol=ROUNDS),
    Case("LRN", (rand(2, 3, 4, 7),),
         {"depth_radius": 2, "bias": 2.0, "alpha": 0.5, "beta": 0.75}, tol=ROUNDS),
    Case("LRN", (rand(2, 3),), why="no image", raises=BadType),
    *(Case(op, (rand(2, 5, 3, 4), *FIVE), GIVEN | {"data_format": "NCHW"}, read=1, tol=ROUNDS,
           outputs=COUNT.get(op, 5)) for op in OPS),
    *(Case(op, (rand(2, 5, 3, 4), *FIVE[:2], NONE, NONE), {"data_format": "NCHW"}, read=5,
           why="training, channels first", tol=ROUNDS, outputs=COUNT.get(op, 5)) for op in OPS),
]  # fmt: skip
