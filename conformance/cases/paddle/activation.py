"""Paddle's activations."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, f, i, rand, scalar

nan, inf = np.nan, np.inf
f8 = np.float64
LINE = f(-4, -3, -1, -0.5, 0, 0.5, 1, 3, 4, 7, nan)
FAR = f(-100, 30, 100, inf)
PLAIN = ("relu6", "silu", "swish", "hardswish", "softsign", "tanh_shrink", "logsigmoid")
GIVEN: dict[str, dict[str, float]] = {
    "leaky_relu": {"negative_slope": 0.3},
    "elu": {"alpha": 0.5},
    "celu": {"alpha": 0.5},
    "selu": {"scale": 1.2, "alpha": 0.7},
    "hardshrink": {"threshold": 0.7},
    "softshrink": {"threshold": 0.7},
    "hardsigmoid": {"slope": 0.3, "offset": 0.4},
    "hardtanh": {"t_min": -2.0, "t_max": 2.0},
    "softplus": {"beta": 2.0, "threshold": 10.0},
    "stanh": {"scale_a": 0.5, "scale_b": 1.2},
    "thresholded_relu": {"threshold": 0.5, "value": -3.0},
    "gelu": {"approximate": True},
}
TEST = {"is_test": True}

CASES = [
    Case("relu", (f(-1, 0, 2),)),
    Case("relu", (rand(2, 3, dtype=f8),)),
    Case("relu_", (f(-1, 2),), why="in place"),
    *(Case(op, (LINE,), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (rand(2, 3, dtype=f8),), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (scalar(0.3),), tol=ROUNDS, why="no axes") for op in (*PLAIN, *GIVEN)),
    *(Case(op, (FAR[:-1],), tol=ROUNDS, why="far") for op in (*PLAIN, *GIVEN)),
    *(Case(op, (LINE,), tol=ROUNDS) for op in GIVEN),
    *(Case(op, (LINE,), given, tol=ROUNDS) for op, given in GIVEN.items()),
    *(Case(op, (rand(2, 0),), why="empty") for op in ("gelu", "elu", "hardswish")),
    Case(
        "softplus",
        (f(0.25, 0.5, 0.75),),
        {"beta": 2.0, "threshold": 1.0},
        tol=ROUNDS,
        why="at the threshold",
    ),
    Case("silu_", (f(-1, 2),), tol=ROUNDS, why="in place"),
    Case("leaky_relu", (f(-1, 0, 2),), {"negative_slope": 2.0}, why="steeper below"),
    Case("leaky_relu_", (f(-1, 2),), why="in place"),
    Case("elu", (f(-1, 0, 2),), {"alpha": -0.5}, tol=ROUNDS),
    Case("elu_", (f(-1, 2),), tol=ROUNDS, why="in place"),
    Case("celu", (f(-1, 0, 2),), {"alpha": -0.5}, tol=ROUNDS),
    Case("hardtanh_", (f(-1, 2),), why="in place"),
    Case("thresholded_relu_", (f(-1, 2),), why="in place"),
    Case("stanh", (i(-1, 2),), tol=ROUNDS, why="integers"),
    Case("mish", (LINE,), {"lambda": 20.0}, tol=ROUNDS),
    Case("mish", (f(1, 2, 3),), {"lambda": 2.0}, tol=ROUNDS),
    Case("softmax", (rand(2, 3),), {"axis": -1}, tol=ROUNDS),
    Case("softmax", (rand(2, 3),), {"axis": 0}, tol=ROUNDS),
    Case("softmax", (scalar(3),), {"axis": -1}, why="no axes"),
    Case("softmax", (f(inf, 1),), {"axis": 0}, why="inf"),
    Case("softmax", (rand(2, 3),), {"axis": 2}, why="no such axis", raises=BadType),
    Case("softmax_", (rand(2, 3),), {"axis": -1}, tol=ROUNDS, why="in place"),
    Case("log_softmax", (rand(2, 3),), tol=ROUNDS),
    Case("log_softmax", (rand(2, 3, dtype=f8),), {"axis": 0}, tol=ROUNDS),
    Case("log_softmax", (scalar(3),), {"axis": 0}, why="no axes"),
    Case("swiglu", (rand(2, 3), rand(2, 3, seed=1)), tol=ROUNDS),
    Case("swiglu", (rand(2, 6), None), tol=ROUNDS, why="two halves"),
    Case("swiglu", (rand(2, 3), None), why="an odd axis", raises=BadType),
    Case("soft_relu", (f(-50, -1, 0, 2, 50),), tol=ROUNDS),
    Case("soft_relu", (f(-5, 1, 5),), {"threshold": 2.0}, tol=ROUNDS),
    Case("maxout", (rand(1, 4, 1, 2),), {"groups": 2}),
    Case("maxout", (rand(1, 1, 2, 6),), {"groups": 3, "axis": -1}),
    Case("prelu", (rand(2, 2, 3), f(0.1))),
    Case("prelu", (rand(2, 2, 3), f(0.1, 0.2)), {"mode": "channel"}),
    Case("prelu", (rand(1, 2, 3, 2), f(0.1, 0.2)), {"mode": "channel", "data_format": "NHWC"}),
    Case("prelu", (rand(2, 2, 3), rand(1, 2, 3, seed=1)), {"mode": "element"}),
    Case("prelu", (f(-1), f(0.1)), {"mode": "row"}, raises=Unsupported),
    Case("prelu", (f(-1), f(0.1)), {"data_format": "NWC"}, raises=Unsupported),
    Case("rrelu", (LINE, 0.1, 0.3), TEST, tol=ROUNDS),
    Case("rrelu", (f(-1), 0.1, 0.3), why="training", raises=Unsupported),
    Case("dropout", (rand(2, 3), None), TEST),
    Case("dropout", (rand(2, 3), None, 0.3), TEST, tol=ROUNDS, why="another p"),
    Case("dropout", (f(1, 2), None), TEST | {"mode": "upscale_in_train"}),
    Case("dropout", (f(1, 2), None, 0.0), {"mode": "upscale_in_train"}, why="p of 0"),
    Case("dropout", (f(1), None), why="training", raises=Unsupported),
    Case("dropout", (f(1), None), {"mode": "other"}, raises=Unsupported),
    Case("dropout_", (f(1, 2), None), TEST | {"mode": "upscale_in_train"}, why="in place"),
    *(
        Case(f"{op}_", (LINE,), GIVEN[op], tol=ROUNDS)
        for op in ("leaky_relu", "elu", "hardtanh", "thresholded_relu")
    ),
    *(
        Case(op, (rand(2, 3), None, 0.3), TEST | {"seed": 3, "fix_seed": True}, tol=ROUNDS)
        for op in ("dropout", "dropout_")
    ),
]
