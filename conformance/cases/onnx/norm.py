"""ONNX normalisations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, Tolerance, f, rand

ROUNDS = Tolerance(relative=2e-5, absolute=5e-6)
HALF = Tolerance(relative=4e-3, absolute=4e-3)
X = rand(2, 4, 3, 5)
S, B, M = f(0.5, 1, -2, 3), f(1, -1, 0, 2), f(0.1, 0.2, -0.3, 0.4)
V = f(1, 0.5, 2, 0.01)

CASES = [
    Case("BatchNormalization", (X, S, B, M, V), tol=ROUNDS),
    Case(
        "BatchNormalization",
        (X, Const(S), Const(B), Const(M), Const(V)),
        {"epsilon": 0.1},
        tol=ROUNDS,
    ),
    Case("BatchNormalization", (rand(3, 4), S, B, M, V), tol=ROUNDS, why="rank 2"),
    Case(
        "BatchNormalization",
        (X, S, B, M, V),
        {"training_mode": 1, "momentum": 0.3},
        outputs=3,
        tol=ROUNDS,
    ),
    Case(
        "BatchNormalization",
        (X.astype(np.float16), *(v.astype(np.float16) for v in (S, B, M, V))),
        tol=HALF,
        why="half",
    ),
    Case(
        "BatchNormalization",
        (X.astype(np.float64), *(v.astype(np.float64) for v in (S, B, M, V))),
        tol=ROUNDS,
        why="double",
    ),
    Case("BatchNormalization", (X, S, B, M, V), opset=9, oracle="onnxruntime", tol=ROUNDS),
    Case(
        "BatchNormalization",
        (X, S, B, M, V),
        {"spatial": 1},
        opset=7,
        oracle="onnxruntime",
        tol=ROUNDS,
    ),
    Case("BatchNormalization", (X, S, B, M, V), {"is_test": 1}, opset=6, tol=ROUNDS),
    Case(
        "BatchNormalization",
        (X, S, B, M, V),
        {"is_test": 1},
        opset=6,
        outputs=2,
        why="no statistics are made in a test",
        raises=Unsupported,
    ),
    Case(
        "BatchNormalization",
        (
            X,
            rand(4, 3, 5),
            rand(4, 3, 5, seed=1),
            rand(4, 3, 5, seed=2),
            rand(4, 3, 5, seed=3, low=0.1),
        ),
        {"spatial": 0},
        opset=7,
        oracle="onnxruntime",
        tol=ROUNDS,
        why="statistics of every element",
    ),
    Case(
        "BatchNormalization", (X, S, B, M, V), {"training_mode": 0}, outputs=2, raises=Unsupported
    ),
    Case("BatchNormalization", (X, S[:3], B, M, V), raises=BadType, why="too few channels"),
    Case("InstanceNormalization", (X, S, B), tol=ROUNDS),
    Case("InstanceNormalization", (rand(2, 4, 7), S, B), {"epsilon": 0.1}, tol=ROUNDS, why="1-D"),
    Case("InstanceNormalization", (X, S, B), {"epsilon": 0.01}, opset=6, tol=ROUNDS),
    Case(
        "InstanceNormalization",
        (np.ones((1, 4, 2, 2), np.float32), S, B),
        tol=ROUNDS,
        why="constant channels",
    ),
    *(
        Case("InstanceNormalization", (x, S, B), is_open=is_open, why=f"no {what}")
        for x, what in ((X[:0], "samples"), (X[..., :0], "elements"))
        for is_open in (False, True)
    ),
    Case("InstanceNormalization", (X, S[:2], B), raises=BadType, why="too few channels"),
    Case("LayerNormalization", (X, rand(5), rand(5, seed=1)), tol=ROUNDS),
    Case(
        "LayerNormalization", (X, rand(5)), {"axis": 3, "epsilon": 0.1}, tol=ROUNDS, why="no bias"
    ),
    Case(
        "LayerNormalization",
        (X, rand(3, 5), rand(3, 5, seed=1)),
        {"axis": -2},
        outputs=3,
        tol=ROUNDS,
    ),
    Case("LayerNormalization", (X, rand(4, 3, 5)), {"axis": 1}, outputs=2, tol=ROUNDS),
    Case("LayerNormalization", (X, f(2), f(1)), tol=ROUNDS, why="a scale that broadcasts"),
    Case(
        "LayerNormalization",
        (X.astype(np.float16), rand(5, dtype=np.float16)),
        tol=HALF,
        why="half",
    ),
    Case("LayerNormalization", (X, rand(5)), {"axis": 4}, raises=BadType, why="an axis outside"),
    Case(
        "LayerNormalization",
        (X, rand(5)),
        {"stash_type": 11},
        tol=ROUNDS,
        why="in double",
        oracle="onnxruntime",
    ),
    Case("LayerNormalization", (X, rand(5)), {"stash_type": 7}, raises=Unsupported),
    Case(
        "LayerNormalization",
        (X, rand(5), rand(5, seed=1)),
        tol=ROUNDS,
        why="as ONNX Runtime writes it into old models",
        opset=11,
        outputs=3,
        oracle="onnxruntime",
    ),
    *(
        Case(
            "SimplifiedLayerNormalization",
            (x, scale),
            attrs,
            {"": ROUNDS, "float16": HALF},
            why=why,
            outputs=outputs,
            oracle="onnxruntime",
        )
        for x, scale, attrs, outputs, why in (
            (X, rand(5), {}, 1, ""),
            (X, rand(5), {"epsilon": 0.1}, 2, "the factor"),
            (X, rand(3, 5), {"axis": 2}, 2, "two axes"),
            (X.astype(np.float64), rand(5, dtype=np.float64), {}, 2, "the factor is float32"),
            (X.astype(np.float16), rand(5, dtype=np.float16), {}, 2, "halves"),
            (X.astype(np.float16), rand(5), {}, 2, "a scale that is wider"),
        )
    ),
    Case(
        "SimplifiedLayerNormalization",
        (X, rand(5)),
        {"stash_type": 11},
        why="statistics in double",
        raises=Unsupported,
    ),
    Case("GroupNormalization", (X, S, B), {"num_groups": 2}, tol=ROUNDS),
    Case(
        "GroupNormalization",
        (X, S[:1], B[:1]),
        {"num_groups": 2},
        opset=18,
        is_open=True,
        raises=BadType,
        why="one factor for two groups",
    ),
    Case(
        "GroupNormalization",
        (rand(2, 4), S, B),
        {"num_groups": 2, "epsilon": 0.1},
        tol=ROUNDS,
        why="rank 2",
    ),
    Case(
        "GroupNormalization",
        (X, S[:2], B[:2]),
        {"num_groups": 2},
        opset=18,
        tol=ROUNDS,
        why="one scale a group",
    ),
    Case(
        "GroupNormalization",
        (X, S, B),
        {"num_groups": 3},
        raises=BadType,
        why="groups that do not fit",
    ),
    Case(
        "GroupNormalization",
        (X, S, B),
        {"num_groups": 2, "stash_type": 11},
        tol=ROUNDS,
        why="in double",
    ),
    Case("GroupNormalization", (X, S, B), {"num_groups": 2, "stash_type": 7}, raises=Unsupported),
    Case("RMSNormalization", (X, rand(5)), tol=ROUNDS),
    Case("RMSNormalization", (X, rand(3, 5)), {"axis": 2, "epsilon": 0.1}, tol=ROUNDS),
    Case(
        "RMSNormalization",
        (X, rand(5)),
        {"stash_type": 11},
        tol=ROUNDS,
        why="in double",
        oracle="onnxruntime",
    ),
    Case("RMSNormalization", (X, rand(5)), {"stash_type": 7}, raises=Unsupported),
    Case("LRN", (X,), {"size": 3}, oracle="onnxruntime", tol=ROUNDS),
    Case("LRN", (X[:, :0],), {"size": 3}, oracle="onnxruntime", why="no channels"),
    Case(
        "LRN",
        (X,),
        {"size": 5, "alpha": 0.5, "beta": 0.3, "bias": 2.0},
        oracle="onnxruntime",
        tol=ROUNDS,
    ),
    Case(
        "LRN",
        (np.tile(f(1e4, 1, 1, 1, 1, 1).reshape(1, 6, 1, 1), (6, 1, 1, 1)),),
        {"size": 3, "alpha": 3.0, "beta": 0.5},
        tol=ROUNDS,
        why="small elements behind a large one, as many images as channels",
    ),
    Case("LRN", (X,), raises=BadType, why="no size"),
    Case("LpNormalization", (X,), tol=ROUNDS),
    Case("LpNormalization", (np.abs(X),), {"axis": 1, "p": 1}, tol=ROUNDS),
    Case("LpNormalization", (f(0, 0, 3, 4).reshape(2, 2),), tol=ROUNDS, why="a norm of 0 gives 0"),
    Case("LpNormalization", (X,), {"p": 3}, raises=BadType),
    Case("MeanVarianceNormalization", (X,), tol=Tolerance(1e-4, 1e-4)),
    Case("MeanVarianceNormalization", (X,), {"axes": [1, 2]}, tol=Tolerance(1e-4, 1e-4)),
    Case("MeanVarianceNormalization", (X,), {"axes": [7]}, raises=BadType, why="an axis outside"),
]
LIMITS: list[Limit] = []
