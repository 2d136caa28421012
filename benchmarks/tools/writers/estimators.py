"""ONNX files of skl2onnx and onnxmltools: estimators of scikit-learn, XGBoost and LightGBM."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier, LGBMRegressor
from making import Write, main
from onnxmltools import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType as Rows
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType
from sklearn import (
    cluster,
    decomposition,
    discriminant_analysis,
    ensemble,
    gaussian_process,
    linear_model,
    mixture,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)
from sklearn.base import is_regressor
from xgboost import XGBClassifier, XGBRegressor

WIDTH = 5
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(200, WIDTH)).astype(np.float32)
REAL = (ROWS @ RNG.normal(size=WIDTH) + np.sin(3 * ROWS[:, 0])).astype(np.float32)
CLASSES = np.digitize(REAL, (-1, 1))
FEW: dict[str, Any] = {"n_estimators": 8, "max_depth": 3, "random_state": 0}

ESTIMATORS: dict[str, Callable[[], Any]] = {
    "logistic": linear_model.LogisticRegression,
    "sgd": partial(linear_model.SGDClassifier, loss="log_loss", random_state=0),
    "ridge": linear_model.Ridge,
    "lasso": linear_model.Lasso,
    "bayesian-ridge": linear_model.BayesianRidge,
    "poisson": partial(linear_model.TweedieRegressor, power=0),
    "tree": partial(tree.DecisionTreeClassifier, max_depth=4),
    "tree-of-numbers": partial(tree.DecisionTreeRegressor, max_depth=4),
    "forest": partial(ensemble.RandomForestClassifier, **FEW),
    "forest-of-numbers": partial(ensemble.ExtraTreesRegressor, **FEW),
    "boosting": partial(ensemble.GradientBoostingClassifier, **FEW),
    "boosting-of-numbers": partial(ensemble.GradientBoostingRegressor, **FEW),
    "isolation": partial(ensemble.IsolationForest, n_estimators=8, random_state=0),
    "voting": partial(
        ensemble.VotingClassifier,
        [("one", naive_bayes.GaussianNB()), ("two", tree.DecisionTreeClassifier(max_depth=3))],
        voting="soft",
        flatten_transform=False,
    ),
    "svc": partial(svm.SVC, probability=True, random_state=0),
    "svc-linear": svm.LinearSVC,
    "svr": svm.SVR,
    "nu-svr": partial(svm.NuSVR, kernel="poly"),
    "bayes": naive_bayes.GaussianNB,
    "neighbours": partial(neighbors.KNeighborsClassifier, 3),
    "neighbours-of-numbers": partial(neighbors.KNeighborsRegressor, 3),
    "network": partial(
        neural_network.MLPClassifier, hidden_layer_sizes=(8, 8), max_iter=30, random_state=0
    ),
    "network-of-numbers": partial(
        neural_network.MLPRegressor, hidden_layer_sizes=(8,), max_iter=30, random_state=0
    ),
    "discriminant": discriminant_analysis.LinearDiscriminantAnalysis,
    "quadratic": discriminant_analysis.QuadraticDiscriminantAnalysis,
    "process": gaussian_process.GaussianProcessRegressor,
    "mixture": partial(mixture.GaussianMixture, 3, random_state=0),
    "means": partial(cluster.KMeans, 3, n_init=2, random_state=0),
    "scaler": preprocessing.StandardScaler,
    "robust": preprocessing.RobustScaler,
    "least-most": preprocessing.MinMaxScaler,
    "polynomial": partial(preprocessing.PolynomialFeatures, 2),
    "bins": partial(preprocessing.KBinsDiscretizer, 4, encode="ordinal"),
    "power": preprocessing.PowerTransformer,
    "components": partial(decomposition.PCA, 3),
    "truncated": partial(decomposition.TruncatedSVD, 3),
    "pipeline": lambda: pipeline.make_pipeline(
        preprocessing.StandardScaler(),
        decomposition.PCA(4),
        linear_model.LogisticRegression(),
    ),
}
TWO_DIGITS = {"xgboost": (XGBClassifier, XGBRegressor), "lightgbm": (LGBMClassifier, LGBMRegressor)}


def write(name: str, opset: int, place: Path) -> None:
    """An estimator that has been fitted."""
    estimator = ESTIMATORS[name]()
    estimator.fit(ROWS, REAL if is_regressor(estimator) else CLASSES)
    names = {"zipmap": False} if hasattr(estimator, "predict_proba") else {}
    options = {id(estimator): names} if names and name != "mixture" else None
    types = [("x", FloatTensorType([None, WIDTH]))]
    opsets = {"": opset, "ai.onnx.ml": 3}
    made = convert_sklearn(estimator, initial_types=types, target_opset=opsets, options=options)
    place.write_bytes(made.SerializeToString())


def boost(name: str, is_real: bool, place: Path) -> None:
    """Boosted trees of another package."""
    estimator = TWO_DIGITS[name][is_real](n_estimators=8, max_depth=3)
    estimator.fit(ROWS, REAL if is_real else CLASSES)
    convert = convert_xgboost if name == "xgboost" else convert_lightgbm
    more = {} if name == "xgboost" or is_real else {"zipmap": False}
    made = convert(estimator, initial_types=[("x", Rows([None, WIDTH]))], target_opset=15, **more)
    place.write_bytes(made.SerializeToString())


def list_models() -> dict[str, Write]:
    """Each estimator once, by operator sets in turns."""
    found: dict[str, Write] = {}
    for k, name in enumerate(ESTIMATORS):
        opset = (12, 15, 18, 21)[k % 4]
        found[f"sklearn-{opset}-{name}.onnx"] = partial(write, name, opset)
    for name in TWO_DIGITS:
        found[f"{name}-classes.onnx"] = partial(boost, name, False)
        found[f"{name}-numbers.onnx"] = partial(boost, name, True)
    return found


if __name__ == "__main__":
    main(list_models())
