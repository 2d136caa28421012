"""ONNX activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, ModelCase, Tolerance, f, i, rand, scalar

HALF = Tolerance(relative=2e-3, absolute=1e-3)
EDGES = f(-np.inf, -100, -1, -0.0, 0, 0.5, 100, np.inf, np.nan)
FINITE = f(-100, -3.5, -1, -0.3, 0, 0.3, 1, 3.5, 30)
PLAIN = (
    "Relu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid", "HardSwish", "Softplus", "Softsign",
    "Mish", "Gelu", "ThresholdedRelu", "Shrink", "LeakyRelu",
)  # fmt: skip
NO_NAN = ("HardSwish", "Mish", "Gelu", "HardSigmoid")
"""Their reference evaluator or function body gives something else for infinities."""
PARAMETERS: dict[str, dict[str, Any]] = {
    "Elu": {"alpha": 2.0},
    "Celu": {"alpha": 0.5},
    "Selu": {"alpha": 2.0, "gamma": 3.0},
    "HardSigmoid": {"alpha": 0.5, "beta": 0.6},
    "ThresholdedRelu": {"alpha": 0.4},
    "Shrink": {"lambd": 0.4, "bias": 0.2},
    "Gelu": {"approximate": "tanh"},
}
OLD = ("Relu", "Elu", "Sigmoid", "HardSigmoid", "LeakyRelu")
NORMALISING = ("Softmax", "LogSoftmax", "Hardmax")
X = rand(2, 3, 4)

FAR = f(0, 1, -2, 500, 501, 499, -900, -901, -902).reshape(3, 3)
"""Rows, and columns, of which none says anything of the others."""

CASES = [
    *(
        Case(op, (FAR,), {"axis": axis}, tol=ROUNDS, oracle="onnxruntime",
             why=f"far from each other, {axis}")
        for op in ("Softmax", "LogSoftmax")
        for axis in (0, 1, -1)
    ),
    *(Case(op, (FINITE,), tol=ROUNDS) for op in PLAIN),
    *(Case(op, (EDGES,), why="edges", tol=ROUNDS) for op in PLAIN if op not in NO_NAN),
    *(Case(op, (FINITE,), attrs, tol=ROUNDS) for op, attrs in PARAMETERS.items()),
    *(
        Case(op, (f(-2, 0.5, 3, dtype=np.float16),), why="half", tol=HALF)
        for op in PLAIN
        if op != "Celu"
    ),
    *(
        Case(op, (FINITE,), {"consumed_inputs": (0,)}, opset=1, tol=ROUNDS,
             why="overwrites its input")
        for op in OLD
    ),
    *(
        Case(op, (i(1),), why="an integer", raises=BadType)
        for op in PLAIN
        if op not in ("Relu", "Softsign", "ThresholdedRelu", "Shrink")
    ),
    Case("Relu", (i(-3, 4, dtype=np.int32),), why="integers"),
    Case("Relu", (np.array([True]),), why="truth values", raises=BadType),
    Case("LeakyRelu", (f(-2, 3),), {"alpha": -1.0}, why="a negative slope is not max(x, sx)"),
    Case("LeakyRelu", (f(np.nan, -1),), why="nan stays nan"),
    Case("Shrink", (i(-5, -2, 0, 2, 5),), {"lambd": 1.5, "bias": 1.5}, why="integers"),
    Case("Shrink", (f(-2, -0.6, 0.6, 2),), {"lambd": 1.0}, why="a wider gap"),
    Case("Gelu", (f(1),), {"approximate": "sigmoid"}, raises=Unsupported),
    Case("Softplus", (f(19, 21, 39, 41, dtype=np.float64),), why="double", tol=ROUNDS),
    Case("Softplus", (f(19, 21, 25, 39, 41, dtype=np.float64),), why="double, to the last bits",
         tol=Tolerance(relative=3e-16)),
    Case("Swish", (FINITE,), opset=24, tol=ROUNDS),
    Case("Swish", (FINITE,), {"alpha": 0.5}, opset=24, tol=ROUNDS),
    Case("SwiGLU", (X, X[::-1].copy()), opset=28, tol=ROUNDS),
    Case("SwiGLU", (X, X[::-1].copy()), {"alpha": 1.5}, opset=28, tol=ROUNDS),
    Case("SwiGLU", (X, X[0]), opset=28, why="two shapes", raises=BadType),
    Case("Tanh", (EDGES,), why="large and infinite", tol=ROUNDS),
    *(
        Case("PRelu", (X, s), why=f"a slope of shape {list(s.shape)}", tol=ROUNDS)
        for s in (rand(1), rand(3, 1), rand(4), rand(2, 3, 4, seed=1), rand(2, 1, 1))
    ),
    Case("PRelu", (X, rand(3)), opset=6, why="a slope for each channel", tol=ROUNDS),
    Case("PRelu", (i(-3, 4, dtype=np.int32), i(2, dtype=np.int32)), why="integers"),
    Case("PRelu", (rand(3), rand(2, 3)), why="a slope with more axes", raises=BadType),
    Case("PRelu", (scalar(-1), f(2)), why="one slope, with an axis more", raises=BadType),
    Case("PRelu", (rand(2, 1), rand(3)), why="a slope that would widen", raises=BadType),
    Case("Clip", (FINITE, scalar(-1), scalar(2))),
    Case("Clip", (EDGES, Const(scalar(-1)), Const(scalar(2))), why="edges"),
    Case("Clip", (EDGES, scalar(0)), why="only below"),
    Case("Clip", (EDGES, None, scalar(0)), why="only above"),
    Case("Clip", (EDGES,), why="not at all"),
    Case("Clip", (FINITE, scalar(3), scalar(-3)), why="crossed bounds"),
    Case("Clip", (FINITE,), {"min": -1.0, "max": 2.0}, opset=6),
    *(
        Case("Clip", (i(1, 5, 9, dtype=d), scalar(2, d), scalar(7, d)), why="integers")
        for d in (np.int8, np.uint8, np.int32, np.int64, np.uint64, np.int16)
    ),
    Case("Clip", (f(1), scalar(1, np.int32), scalar(1)), why="two types", raises=BadType),
    Case("Clip", (f(1), f(1, 2), scalar(1)), why="two bounds", raises=BadType),
    *(Case(op, (X,), why="the last axis", tol=ROUNDS) for op in NORMALISING),
    *(Case(op, (X,), {"axis": -2}, tol=ROUNDS) for op in NORMALISING),
    *(Case(op, (f(1000, 1001),), why="no overflow", tol=ROUNDS) for op in NORMALISING),
    *(
        Case(op, (rand(2, 0),), why="no elements", oracle="onnxruntime")
        for op in ("Softmax", "LogSoftmax")
    ),
    Case("Hardmax", (rand(2, 0),), why="no elements"),
    *(
        Case(op, (X,), {"axis": a}, opset=11, why=f"flattened from {a}", oracle="onnxruntime",
             tol=ROUNDS)
        for op in NORMALISING
        for a in (0, 1, 2, -3)
    ),
    *(Case(op, (X,), {"axis": 3}, why="no such axis", raises=BadType) for op in NORMALISING),
    *(Case(op, (i(1),), why="an integer", raises=BadType) for op in NORMALISING),
    Case("Hardmax", (f(1, 3, 3),), why="the first of equal ones"),
    Case("Hardmax", (f(1, np.nan, 3),), why="nan is the largest"),
    Case("Dropout", (X,), why="not training"),
    Case("Dropout", (X,), outputs=2, why="with a mask"),
    Case("Dropout", (X, Const(scalar(0.3)), Const(np.array(False))), outputs=2, why="told not to"),
    Case("Dropout", (X, scalar(0.3), np.array(True)), {"seed": 3}, outputs=2, tol=ROUNDS),
    Case("Dropout", (X, scalar(0.3), np.array(False)), {"seed": 3}, outputs=2, why="switched off"),
    Case("Dropout", (X, scalar(0), np.array(True)), {"seed": 3}, outputs=2, why="nothing to drop"),
    Case("Dropout", (X, scalar(0.3), np.array(True)), outputs=2, random=True, why="without a seed"),
    Case(
        "Dropout",
        (np.ones(10_000, np.float32), scalar(0.3), np.array(True)),
        outputs=2,
        random=True,
        why="of many",
    ),
    Case("Dropout", (X,), {"ratio": 0.2}, opset=7, why="an old version", oracle="onnxruntime"),
    Case("Dropout", (X,), {"ratio": 0.2}, opset=10, outputs=2, why="an old mask"),
    Case("Dropout", (i(1), scalar(0.5), np.array(True)), why="an integer", raises=BadType),
]  # fmt: skip

SLOPES = """<ir_version: 10, opset_import: ["" : 21]>
main (float[A, B, C] x, float[{sizes}] s) => (float[A, B, C] y) {{ y = PRelu (x, s) }}"""
MODELS = [
    ModelCase(
        ("PRelu",),
        SLOPES.format(sizes=sizes),
        (X, rand(*shape, seed=1)),
        f"open slopes [{sizes}]",
        tol=ROUNDS,
    )
    for sizes, shape in {"C": (4,), "B, C": (3, 4), "B, 1": (3, 1), "1, 1": (1, 1)}.items()
]
CASES += [
    Case("PRelu", (rand(2, 3, 4), scalar(0.25)), opset=6, why="one slope of all", tol=ROUNDS),
]
