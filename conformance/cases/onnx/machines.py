"""ONNX linear models and support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Tolerance, f, i, rand

ML = "ai.onnx.ml"
PROBIT = Tolerance(relative=1e-4, absolute=1e-5)
"""ONNX Runtime's quantile takes a root of a difference of roots."""

CLOSE = Tolerance(relative=1e-4, absolute=1e-5)
"""Rounds of coupling that end at an error of 0.005 a class."""

MATRIX = rand(4, 3)
SMALL = rand(4, 3, low=0.05, high=0.2)
TRANSFORMS = ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
SIX = [0.5, 1.0, -2.0, 3.0, 0.25, 1.5]
VECTORS = [0.5, -1.0, 0.25, 1.0, 0.75, -0.5, -0.25, 0.5, 1.25, 0.0, -0.75, 1.5]
GIVEN: dict[str, Any] = {"kernel_params": [0.5, 0.25, 2.0], "support_vectors": VECTORS}
WEIGHTS = [0.5, -0.25, 1.0, -0.75]
EIGHT = [0.5, -0.25, 1.0, -0.75, 0.125, -1.5, 0.375, 2.0]


def ml(op: str, *inputs: Any, **attrs: Any) -> Any:
    """A case of the domain in two steps: the node, then what differs from the usual."""
    usual = {"tol": ROUNDS, "oracle": "onnxruntime"}
    if op.endswith("Classifier"):
        usual["outputs"] = 2
    return lambda why="", **rest: Case(op, inputs, attrs, why=why, domain=ML, **usual | rest)


def linear(x: Any, count: int, **new: Any) -> Any:
    """LinearClassifier of so many scores."""
    given: dict[str, Any] = {
        "coefficients": [*SIX, 0.125, -1.0, 0.5][: 3 * count],
        "intercepts": [0.25, -0.5, 0.125][:count],
        "classlabels_ints": [5, -7, 9][: max(count, 2)],
    }
    attrs = {k: v for k, v in (given | new).items() if v is not None}
    return ml("LinearClassifier", x, **attrs)


def regress(x: Any, **new: Any) -> Any:
    """SVMRegressor of four support vectors."""
    given = {"n_supports": 4, "coefficients": WEIGHTS, "rho": [0.25], "kernel_type": "RBF"}
    return ml("SVMRegressor", x, **GIVEN | given | new)


def classify(x: Any, count: int, **new: Any) -> Any:
    """SVMClassifier of two or three classes."""
    given: dict[str, Any] = {
        "classlabels_ints": [5, -7, 9][:count],
        "coefficients": EIGHT[: 4 * (count - 1)],
        "rho": [0.25, -0.125, 0.0625][: count * (count - 1) // 2],
        "vectors_per_class": [2, 2] if count == 2 else [2, 1, 1],
        "kernel_type": "RBF",
    }
    attrs = {k: v for k, v in (GIVEN | given | new).items() if v is not None}
    return ml("SVMClassifier", x, **attrs)


ODDS_OF_TWO: dict[str, Any] = {"prob_a": [-1.25], "prob_b": [0.125]}
ODDS: dict[str, Any] = {"prob_a": [-1.25, -0.5, -2.0], "prob_b": [0.125, 0.25, -0.5]}

CASES = [
    ml(
        "LinearRegressor",
        MATRIX,
        coefficients=SIX,
        intercepts=[1.0, -1.0],
        targets=2,
    )(oracle="reference"),
    ml("LinearRegressor", MATRIX, coefficients=[0.5, 1.0, -2.0])("no intercept"),
    ml("LinearRegressor", MATRIX, coefficients=[0.5, 1.0])("a feature less", raises=BadType),
    *(ml("LinearRegressor", SMALL, coefficients=[0.5, 1.0, 0.75] * 2, targets=2,
         post_transform=how)(how, tol=PROBIT) for how in TRANSFORMS),
    *(ml("LinearRegressor", SMALL, coefficients=[0.5, 1.0, 0.75], post_transform=how)(
          f"{how} of one", tol=PROBIT) for how in TRANSFORMS),
    linear(MATRIX, 2)("two scores"),
    linear(MATRIX, 3)("three scores"),
    linear(MATRIX, 1)("one score"),
    linear(MATRIX[0], 3)("a vector is a row"),
    linear(MATRIX.astype(np.float64), 3)("double"),
    linear(i([1, 2, 3], [-4, 0, 2]), 3)("integers"),
    linear(i([1, 2, 3], [-4, 0, 2], dtype=np.int32), 2)("narrow integers"),
    linear(MATRIX, 3, multi_class=1)("multi_class plays no role"),
    linear(MATRIX, 2, classlabels_ints=[5, -7, 9])("more labels than scores"),
    linear(f([0, 0, 0]), 3, intercepts=[1.0, 0.0, 1e-8], post_transform="SOFTMAX_ZERO")(
        "zeros stay out of a softmax"),
    linear(f([0, 0, 0]), 3, intercepts=[0.25, 0.25, 0.25])("equal scores"),
    *(linear(MATRIX, 3, post_transform=how)(how) for how in TRANSFORMS[:3]),
    *(linear(MATRIX, 1, post_transform=how)(f"{how} of one score") for how in TRANSFORMS[:3]),
    linear(SMALL, 3, coefficients=[0.5, 1.0, 0.75] * 3, intercepts=[0.125] * 3,
           post_transform="PROBIT")("PROBIT", tol=PROBIT),
    linear(MATRIX, 1, post_transform="PROBIT")("PROBIT of one score", raises=Unsupported),
    linear(MATRIX, 2, classlabels_ints=[5])("a label less", raises=BadType),
    linear(MATRIX, 2, coefficients=[1.0])("a coefficient of two rows", raises=BadType),
    linear(MATRIX, 2, intercepts=None)("no intercepts", raises=BadType),
    linear(MATRIX, 2, post_transform="MAX")("no such transform", raises=Unsupported),
    linear(rand(1, 2, 3), 2)("three axes", raises=BadType),
    linear(MATRIX, 2, classlabels_ints=None, classlabels_strings=["a", "b"])(
        "strings", raises=Unsupported),
    *(regress(MATRIX, kernel_type=kind)(kind) for kind in KERNELS),
    regress(MATRIX, one_class=1)("inside or outside"),
    regress(MATRIX, n_supports=0, coefficients=[0.5, 1.0, -2.0], kernel_type="LINEAR")(
        "coefficients of features"),
    *(regress(MATRIX, post_transform=how)(how, tol=PROBIT) for how in TRANSFORMS[:3]),
    regress(MATRIX, kernel_params=[0.5])("too few parameters", raises=BadType),
    regress(MATRIX, rho=[0.5, 0.5])("two numbers rho", raises=BadType),
    regress(MATRIX, support_vectors=[1.0])("too few vectors", raises=BadType),
    regress(MATRIX, kernel_type="COSINE")("no such kernel", raises=Unsupported),
    *(classify(MATRIX, 2, kernel_type=kind)(f"{kind} of two") for kind in KERNELS),
    *(classify(MATRIX, 3, kernel_type=kind)(f"{kind} of three") for kind in KERNELS),
    classify(MATRIX, 2, coefficients=[0.5, 0.25, 1.0, 0.75])("positive coefficients"),
    classify(MATRIX.astype(np.float64), 3)("double"),
    classify(i([1, 2, 3], [-4, 0, 2]), 3)("integers"),
    classify(MATRIX[0], 3)("a vector is a row"),
    classify(MATRIX, 2, **ODDS_OF_TWO)("probabilities of two", tol=CLOSE),
    classify(MATRIX, 3, **ODDS)("probabilities of three", tol=CLOSE),
    *(classify(MATRIX, 3, post_transform=how)(f"{how} of three") for how in TRANSFORMS[:3]),
    *(classify(MATRIX, 2, post_transform=how)(f"{how} of two") for how in TRANSFORMS[:3]),
    *(classify(MATRIX, 3, post_transform=how, **ODDS)(f"{how} of probabilities", tol=PROBIT)
      for how in TRANSFORMS),
    classify(MATRIX, 2, post_transform="PROBIT")("PROBIT of one score", raises=Unsupported),
    classify(MATRIX, 3, rho=[0.5])("one number rho of three", raises=BadType),
    classify(MATRIX, 3, coefficients=[0.5])("one coefficient", raises=BadType),
    classify(MATRIX, 3, vectors_per_class=[4])("one class", raises=BadType),
    classify(MATRIX, 2, vectors_per_class=[5, -1])("fewer than none", raises=BadType),
    classify(MATRIX, 2, vectors_per_class=None)("no support vectors", raises=Unsupported),
    classify(MATRIX, 2, classlabels_ints=None, classlabels_strings=["a", "b"])(
        "strings", raises=Unsupported),
]  # fmt: skip
