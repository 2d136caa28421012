"""ATen activations."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-2),
    "": ROUNDS,
}
inf, nan = np.inf, np.nan
EDGES = f(-inf, -3, -0.5, 0.0, 0.5, 4, inf, nan)
PLAIN = (
    *("relu", "relu6", "silu", "gelu", "mish", "elu", "celu", "selu", "leaky_relu", "rrelu"),
    *("hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "softplus"),
    *("log_sigmoid", "log_sigmoid_forward"),
)
X = rand(2, 3, 4)
SOFT = ("softmax.int", "special_softmax.default", "log_softmax.int")
SOFT_KEYWORD = "special_log_softmax.default"
KERNELS = ("_softmax.default", "_log_softmax.default")
DROPOUTS = ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")

CASES = [
    *(
        Case(f"aten.{op}.default", (EDGES,), why="edges", tol=ROUNDS)
        for op in PLAIN
        if op != "gelu"
    ),
    # PyTorch's gelu of inf is NaN in float32 and inf in other types
    Case("aten.gelu.default", (f(-inf, -3, 0, 4, nan),), why="edges", tol=ROUNDS),
    *(
        Case(f"aten.{op}.default", (rand(2, 5, low=-6, high=6, dtype=d),), tol=NARROW)
        for op in PLAIN
        for d in (np.float32, np.float16, BF16, np.float64)
    ),
    *(Case(f"aten.{op}.default", (scalar(-0.5),), why="0-d", tol=ROUNDS) for op in PLAIN),
    *(Case(f"aten.{op}.default", (np.zeros((0, 2), np.float32),), why="empty") for op in PLAIN),
    Case("aten.relu.default", (i(-1, 2),), why="integers"),
    Case("aten.hardtanh.default", (i(-3, 2, 9), 0, 6), why="integers"),
    Case("aten.hardtanh.default", (EDGES, -2.5, 0.5), why="bounds"),
    Case("aten.gelu.default", (X,), {"approximate": "tanh"}, tol=ROUNDS),
    Case("aten.gelu.default", (X,), {"approximate": "fast"}, raises=Unsupported),
    Case("aten.elu.default", (EDGES, 0.5), why="alpha", tol=ROUNDS),
    Case("aten.elu.default", (X, 0.5, 2, 3), why="scales", tol=ROUNDS),
    Case("aten.elu.default", (X, -0.5), why="a negative alpha", tol=ROUNDS),
    Case("aten.celu.default", (X, 0.5), why="alpha", tol=ROUNDS),
    Case("aten.leaky_relu.default", (EDGES, 0.3), why="slope", tol=ROUNDS),
    Case("aten.leaky_relu.default", (EDGES, -2), why="a negative slope", tol=ROUNDS),
    Case("aten.rrelu.default", (X, 0.2, 0.6), why="bounds", tol=ROUNDS),
    Case("aten.rrelu.default", (X, 0.1, 0.2, True), why="training", raises=Unsupported),
    Case("aten.prelu.default", (X, f(0.25)), why="one slope", tol=ROUNDS),
    Case("aten.prelu.default", (X, f(0.25, 0.5, -1)), why="a slope per channel", tol=ROUNDS),
    Case("aten.prelu.default", (X, scalar(0.25)), why="a slope without axes", tol=ROUNDS),
    Case("aten.prelu.default", (f(-1, 2), f(0.25)), why="a vector", tol=ROUNDS),
    Case("aten.prelu.default", (rand(2, 3, dtype=BF16), f(1, 2, 3, dtype=BF16)), tol=NARROW),
    Case("aten._prelu_kernel.default", (X, rand(3, 1)), tol=ROUNDS),
    Case("aten.hardshrink.default", (EDGES, 0.1), why="lambd"),
    Case("aten.softshrink.default", (EDGES, 0.1), why="lambd"),
    Case("aten.softshrink.default", (X, -0.1), why="a negative lambd", raises=BadType),
    Case("aten.softplus.default", (EDGES, 2, 3), why="beta", tol=ROUNDS),
    Case("aten.softplus.default", (f(0.25, 0.5, 0.75), 2, 1), why="at the threshold", tol=ROUNDS),
    Case("aten.threshold.default", (EDGES, 0.1, 20)),
    Case("aten.threshold.default", (EDGES, 0.5, 20), why="at the threshold"),
    Case("aten.threshold.default", (i(1, 5), 2, -1), why="integers"),
    Case("aten.glu.default", (X,), tol=ROUNDS),
    Case("aten.glu.default", (rand(4, 3, dtype=np.float16), 0), tol=NARROW),
    Case("aten.glu.default", (X, 1), why="an odd size", raises=BadType),
    *(Case(f"aten.{op}", (X, d), why=f"axis {d}", tol=ROUNDS) for op in SOFT for d in (-1, 1)),
    *(
        Case(f"aten.{op}", (rand(2, 5, dtype=d), 1), tol=NARROW)
        for op in SOFT
        for d in (np.float16, BF16, np.float64)
    ),
    *(Case(f"aten.{op}", (scalar(2), 0), why="0-d", tol=ROUNDS) for op in SOFT),
    *(Case(f"aten.{op}", (i(1, 2, 3), 0, Precision.FLOAT32), tol=ROUNDS) for op in SOFT),
    *(Case(f"aten.{op}", (f(-inf, -inf), 0), why="all masked") for op in SOFT),
    Case("aten.softmax.int", (f(-inf, 1, inf), 0), why="infinity"),
    Case("aten.softmax.int", (f(-inf, 1, 2), 0), why="masked", tol=ROUNDS),
    Case("aten._safe_softmax.default", (X, 1), tol=ROUNDS),
    Case("aten._safe_softmax.default", (f(-inf, -inf), 0), why="all masked"),
    Case("aten._safe_softmax.default", (f(-inf, 1, nan), 0), why="nan"),
    Case("aten._safe_softmax.default", (scalar(-inf), 0), why="0-d"),
    Case("aten._safe_softmax.default", (i(1, 2), 0, Precision.FLOAT64), tol=ROUNDS),
    Case(f"aten.{SOFT_KEYWORD}", (X, 1), tol=ROUNDS),
    Case(f"aten.{SOFT_KEYWORD}", (i(1, 2), 0), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    *(Case(f"aten.{op}", (X, 1, False), tol=ROUNDS) for op in KERNELS),
    *(Case(f"aten.{op}.default", (X, 0.5, False)) for op in DROPOUTS),
    *(Case(f"aten.{op}.default", (X, 0.0, True), why="p=0") for op in DROPOUTS),
    *(
        Case(f"aten.{op}.default", (X, 0.5, True), why="training", raises=Unsupported)
        for op in DROPOUTS
    ),
    Case("aten.native_dropout.default", (X, 0.5, False)),
    Case("aten.native_dropout.default", (X, 0.5, None), why="training", raises=Unsupported),
]
CASES += [Case("aten.softshrink.default", (X, 0.0), why="no lambd")]
NO_FLOAT64 = ("gelu",)
LIMITS = [
    Limit(
        f"aten.{op}.default",
        device="onnxruntime",
        dtype="float64",
        raises=NoLowering,
        why="onnxruntime has no kernel for float64",
    )
    for op in NO_FLOAT64
]
