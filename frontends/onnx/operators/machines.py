"""ONNX linear models and support vector machines, of the domain ai.onnx.ml."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare
from nnir.recipes.estimators import linear
from nnir.recipes.estimators import support_vectors as machines
from nnir.recipes.estimators.scores import Transform, transform_scores
from nnir.recipes.estimators.support_vectors import Kernel, Kind

from ...table import Floats, Ints, Table

table = Table(prefix="ai.onnx.ml::")
table.same({"LinearClassifier": linear.classify, "LinearRegressor": linear.predict})


@table.convert("SVMRegressor")
def svm_regressor(
    x: Value,
    *,
    coefficients: Floats,
    kernel_params: Floats,
    kernel_type: Kind = "LINEAR",
    n_supports: int = 0,
    one_class: bool = False,
    post_transform: Transform = "NONE",
    rho: Floats,
    support_vectors: Floats = (),
) -> Value:
    kernel = Kernel(kernel_type, kernel_params, support_vectors)
    score = machines.predict(x, kernel, n_supports, coefficients, rho)
    if one_class:
        return compare.where(score > 0, score.scalar(1), -1)
    return transform_scores(score, post_transform)


@table.convert("SVMClassifier")
def svm_classifier(
    x: Value,
    *,
    classlabels_ints: Ints,
    coefficients: Floats,
    kernel_params: Floats,
    kernel_type: Kind = "LINEAR",
    post_transform: Transform = "NONE",
    prob_a: Floats = (),
    prob_b: Floats = (),
    rho: Floats,
    support_vectors: Floats = (),
    vectors_per_class: Ints = (),
) -> tuple[Value, Value]:
    return machines.classify(
        x,
        Kernel(kernel_type, kernel_params, support_vectors),
        vectors_per_class,
        coefficients,
        rho,
        (prob_a, prob_b),
        classlabels_ints,
        post_transform,
    )
