"""Models of scikit-learn, XGBoost and LightGBM, as their converters write them for ONNX.

Skipped where these packages are not installed: none of them is needed here otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest

import nnadapter as nna
from nnir.errors import Unsupported

ROWS = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
TWO = (ROWS[:, 0] + ROWS[:, 1] * ROWS[:, 2] > 0).astype(np.int64)
THREE = np.digitize(ROWS[:, 0] + 0.3 * ROWS[:, 3], [-0.5, 0.5]).astype(np.int64)
REAL = (ROWS[:, 0] * 2 - ROWS[:, 1] ** 2).astype(np.float32)


def make_forest(labels: np.ndarray) -> Any:
    """A random forest."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(8, max_depth=4, random_state=0).fit(ROWS, labels)


def make_boosting(labels: np.ndarray) -> Any:
    """Gradient boosting."""
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=6, random_state=0).fit(ROWS, labels)


def make_logistic(labels: np.ndarray) -> Any:
    """Logistic regression behind an imputer and a scaler."""
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    holes = np.where(ROWS > 2, np.nan, ROWS)
    steps = SimpleImputer(), StandardScaler(), LogisticRegression()
    return make_pipeline(*steps).fit(holes, labels)


def make_svc(labels: np.ndarray) -> Any:
    """A support vector classifier with probabilities."""
    from sklearn.svm import SVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # newer versions calibrate elsewhere
        return SVC(probability=True, random_state=0).fit(ROWS, labels)


def make_tree(labels: np.ndarray) -> Any:
    """One decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=5, random_state=0).fit(ROWS, labels)


CLASSIFIERS = (make_forest, make_boosting, make_logistic, make_svc, make_tree)


def make_regressors() -> dict[str, Any]:
    """Regressors of four kinds."""
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import Ridge
    from sklearn.svm import SVR

    return {
        "forest": RandomForestRegressor(8, max_depth=4, random_state=0),
        "boosting": GradientBoostingRegressor(n_estimators=6, random_state=0),
        "ridge": Ridge(),
        "svr": SVR(),
    }


def write_model(model: Any, **options: Any) -> bytes:
    """An ONNX file of a scikit-learn model."""
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    kinds = skl2onnx.common.data_types
    types = [("x", kinds.FloatTensorType([None, ROWS.shape[1]]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of what it reads of its own estimators
        made = skl2onnx.convert_sklearn(
            model, initial_types=types, target_opset=18, options=options
        )
    data: bytes = made.SerializeToString()
    return data


def check(data: bytes) -> None:
    """AssertionError unless both devices agree with ONNX Runtime on the rows."""
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    want = session.run(None, {session.get_inputs()[0].name: ROWS})
    model = nna.load(data)
    for device in ("builtin", "onnxruntime"):
        got = nna.compile(model, device=device)(ROWS)
        for ours, theirs in zip(got, want, strict=True):
            assert ours.dtype == theirs.dtype
            if theirs.dtype.kind == "i":
                np.testing.assert_array_equal(ours, theirs)
            else:
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("make", CLASSIFIERS)
def test_classifier(make: Callable[[np.ndarray], Any], labels: np.ndarray) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    check(write_model(make(labels), zipmap=False))


@pytest.mark.parametrize("name", ["forest", "boosting", "ridge", "svr"])
def test_regressor(name: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    check(write_model(make_regressors()[name].fit(ROWS, REAL)))


@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
def test_boosted_trees(package: str, labels: np.ndarray) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    module = pytest.importorskip(package, reason=f"{package} is not installed")
    tools = pytest.importorskip("onnxmltools", reason="onnxmltools is not installed")
    kinds = pytest.importorskip("onnxmltools.convert.common.data_types")
    types = [("x", kinds.FloatTensorType([None, ROWS.shape[1]]))]
    if package == "xgboost":
        fit = module.XGBClassifier(n_estimators=5, max_depth=3).fit(ROWS, labels)
        made = tools.convert_xgboost(fit, initial_types=types, target_opset=15)
    else:
        fit = module.LGBMClassifier(n_estimators=5, verbose=-1).fit(ROWS, labels)
        made = tools.convert_lightgbm(fit, initial_types=types, target_opset=15, zipmap=False)
    check(made.SerializeToString())


def test_map_is_refused_with_its_cure() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    with pytest.raises(Unsupported, match="zipmap=False"):
        nna.load(write_model(make_logistic(TWO)))
