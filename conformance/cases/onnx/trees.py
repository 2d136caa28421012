"""ONNX ensembles of decision trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadModel, BadType, Unsupported

from ...case import ROUNDS, Case, Tolerance, f, i

ML = "ai.onnx.ml"
nan, inf = np.nan, np.inf
TREE: dict[str, Any] = {
    "n_targets": 2,
    "tree_roots": [0, 1],
    "nodes_modes": i(0, 3, 5, dtype=np.uint8),
    "nodes_featureids": [0, 1, 1],
    "nodes_splits": f(3.0, 1.5, -2.0),
    "nodes_truenodeids": [1, 0, 1],
    "nodes_trueleafs": [0, 1, 1],
    "nodes_falsenodeids": [2, 2, 3],
    "nodes_falseleafs": [0, 1, 1],
    "leaf_targetids": [0, 1, 0, 1],
    "leaf_weights": f(5.25, 12.5, -12.25, 7.5),
}
POINTS = f([1.5, 3.5], [-0.5, 1.5], [4.0, -2.0], [nan, 2.0], [3.0, nan], [inf, -inf])
SETS: dict[str, Any] = {
    "nodes_modes": i(6, 0, 6, dtype=np.uint8),
    "membership_values": f(1.5, 0.0, nan, -2.0, 8.0, 9.0, nan),
}


def tree(x: Any, why: str, *, raises: Any = None, oracle: str = "reference", **new: Any) -> Case:
    """TreeEnsemble with some attributes changed, in the type of `x`."""
    given = {
        k: v.astype(x.dtype) if isinstance(v, np.ndarray) and v.dtype == np.float32 else v
        for k, v in (TREE | new).items()
    }
    return Case(
        "TreeEnsemble", (x,), given, ROUNDS, why=why, domain=ML, raises=raises, oracle=oracle
    )


PROBIT = Tolerance(relative=1e-4, absolute=1e-5)
"""ONNX Runtime's quantile takes a root of a difference of roots."""

ROWS: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0, 0, 0, 7, 7, 7],
    "nodes_nodeids": [0, 1, 2, 3, 4, 0, 1, 2],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"],
    "nodes_featureids": [0, 0, 1, 0, 0, 1, 0, 0],
    "nodes_values": [3.0, 0.0, -1.5, 0.0, 0.0, 2.0, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 3, 0, 0, 1, 0, 0],
    "nodes_falsenodeids": [2, 0, 4, 0, 0, 2, 0, 0],
}
"""Two trees node by node, of five nodes and of three."""

LEAVES = [(0, 1), (0, 3), (0, 4), (7, 1), (7, 2)]
WEIGHTS = [0.25, 0.5, 0.125, 0.375, 0.0625]
MIXED = [0.25, -0.5, 0.125, -0.375, 0.0625]
EACH = [place for place in LEAVES for _ in range(3)]


def leaves(
    kind: str, ids: list[int], weights: list[float], places: list[tuple[int, int]]
) -> dict[str, Any]:
    """What leaves give, in the four lists of the older operators."""
    return {
        f"{kind}_treeids": [t for t, _ in places],
        f"{kind}_nodeids": [n for _, n in places],
        f"{kind}_ids": ids,
        f"{kind}_weights": weights,
    }


def forest(
    op: str,
    ids: list[int],
    why: str,
    x: Any = POINTS,
    weights: list[float] = WEIGHTS,
    places: list[tuple[int, int]] = LEAVES,
    raises: Any = None,
    opset: int | None = 3,
    tol: Any = ROUNDS,
    **new: Any,
) -> Case:
    """An older operator with some attributes changed, or left out where they are None."""
    is_classifier = op.endswith("Classifier")
    given = ROWS | leaves("class" if is_classifier else "target", ids, weights, places)
    attrs = {k: v for k, v in (given | new).items() if v is not None}
    return Case(
        op,
        (x,),
        attrs,
        tol,
        why=why,
        domain=ML,
        raises=raises,
        opset=opset,
        outputs=2 if is_classifier else 1,
        oracle="onnxruntime",
    )


def regressor(why: str, ids: list[int] | None = None, **new: Any) -> Case:
    """TreeEnsembleRegressor of one target, or of several."""
    given = {"n_targets": max(ids or [0]) + 1} | new
    return forest("TreeEnsembleRegressor", ids or [0] * 5, why, **given)


def classifier(why: str, ids: list[int] | None = None, count: int = 2, **new: Any) -> Case:
    """TreeEnsembleClassifier of two classes, or of several."""
    given = {"classlabels_int64s": [5, -7, 9][:count]} | new
    return forest("TreeEnsembleClassifier", ids or [0] * 5, why, **given)


TRANSFORMS = ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
THREE = [0, 1, 2, 0, 1]
"""Classes or targets of the leaves; not every row has one for each."""

ALL: dict[str, Any] = {
    "ids": [0, 1, 2] * 5,
    "places": EACH,
    "weights": [w * k for w in WEIGHTS for k in (1, -2, 0.5)],
}
"""Three weights in each leaf."""

BOTH: dict[str, Any] = {
    "ids": [0, 1] * 5,
    "places": [place for place in LEAVES for _ in range(2)],
    "weights": [part for w in WEIGHTS for part in (w, 0.5 - w)],
    "classlabels_int64s": [0, 1],
}
"""Those of both of two classes, as of a forest of scikit-learn."""

OLD = [
    regressor("one target"),
    regressor("an old version", opset=1),
    regressor("double", x=POINTS.astype(np.float64)),
    regressor("tables of doubles", x=POINTS.astype(np.float64), nodes_values=None,
              nodes_values_as_tensor=f(3, 0, -1.5, 0, 0, 2, 0, 0, dtype=np.float64),
              target_weights=None,
              target_weights_as_tensor=f(0.25, 0.5, 0.125, 0.375, 0.0625, dtype=np.float64)),
    regressor("numbers of doubles that are not needed", x=POINTS.astype(np.float64),
              base_values_as_tensor=f(0.5, dtype=np.float64),
              nodes_hitrates_as_tensor=f(*[1] * 8, dtype=np.float64)),
    regressor("several targets", THREE),
    regressor("all targets in each leaf", **ALL, n_targets=3),
    regressor("base values", THREE, base_values=[0.5, -0.25, 2.0]),
    regressor("base values of all", **ALL, n_targets=3, base_values=[0.5, -0.25, 2.0]),
    *(regressor(f"the {how.lower()} of a target", aggregate_function=how, base_values=[0.5])
      for how in ("SUM", "AVERAGE", "MIN", "MAX")),
    *(regressor(f"the {how.lower()} of targets", THREE, aggregate_function=how)
      for how in ("AVERAGE", "MIN", "MAX")),
    *(regressor(f"{how} of one", post_transform=how, weights=[0.25, 0.5, 0.125, 0.375, 0.125],
                tol=PROBIT) for how in TRANSFORMS),
    *(regressor(f"{how} of all", **ALL | {"weights": [0.25, 0.125, 0.375] * 5}, n_targets=3,
                post_transform=how, tol=PROBIT)
      for how in TRANSFORMS),
    *(regressor(mode, nodes_modes=[mode if m != "LEAF" else m for m in ROWS["nodes_modes"]])
      for mode in ("BRANCH_LT", "BRANCH_GTE", "BRANCH_EQ", "BRANCH_NEQ")),
    regressor("missing values", nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 1, 0, 0]),
    regressor("how often nodes hold plays no role", nodes_hitrates=[1.0] * 8),
    regressor("a node that is not there", nodes_truenodeids=[9, 0, 3, 0, 0, 1, 0, 0],
              raises=BadModel),
    regressor("no such mode", nodes_modes=["BRANCH"] + ["LEAF"] * 7, raises=BadModel),
    regressor("a cycle", nodes_truenodeids=[1, 0, 2, 0, 0, 1, 0, 0], raises=BadModel),
    regressor("twice the same node", nodes_nodeids=[0, 1, 2, 3, 3, 0, 1, 2], raises=BadModel),
    regressor("a tree of one leaf that is there twice", nodes_treeids=[0] * 2,
              nodes_nodeids=[0] * 2, nodes_modes=["LEAF"] * 2, nodes_featureids=[0] * 2,
              nodes_values=[0.0] * 2, nodes_truenodeids=[0] * 2, nodes_falsenodeids=[0] * 2,
              places=[(0, 0)], weights=[0.5], ids=[0], raises=BadModel),
    regressor("two roots", nodes_falsenodeids=[1, 0, 4, 0, 0, 2, 0, 0], raises=BadModel),
    regressor("too few values", nodes_values=[1.0], raises=BadModel),
    regressor("no such leaf", target_nodeids=[1, 3, 9, 1, 2], raises=BadModel),
    regressor("too few targets", target_ids=[0], raises=BadModel),
    regressor("too many base values", base_values=[0.5, 0.5], raises=BadModel),
    regressor("values twice", nodes_values_as_tensor=f(*ROWS["nodes_values"]), raises=BadType),
    regressor("no such feature", x=POINTS[:, :1], raises=BadType),
    classifier("probabilities of two"),
    classifier("scores of two", weights=MIXED),
    classifier("a base value", base_values=[0.25]),
    classifier("a base value of scores", weights=MIXED, base_values=[0.125]),
    classifier("double", x=POINTS.astype(np.float64)),
    classifier("tables of doubles", x=POINTS.astype(np.float64), nodes_values=None,
               nodes_values_as_tensor=f(3, 0, -1.5, 0, 0, 2, 0, 0, dtype=np.float64),
               nodes_hitrates_as_tensor=f(*[1] * 8, dtype=np.float64), class_weights=None,
               class_weights_as_tensor=f(0.25, 0.5, 0.125, 0.375, 0.0625, dtype=np.float64),
               base_values_as_tensor=f(0.125, dtype=np.float64)),
    classifier("missing values", nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 1, 0, 0]),
    classifier("how often nodes hold plays no role", nodes_hitrates=[1.0] * 8),
    classifier("integers", x=i([1, 3], [4, -5], [3, 2])),
    classifier("narrow integers", x=i([1, 3], [4, -5], [3, 2], dtype=np.int32)),
    classifier("leaves of the second class", [1] * 5),
    classifier("leaves of the second class and their base", [1] * 5, base_values=[0.5]),
    *(classifier(f"{how}, {name}", post_transform=how, weights=weights)
      for how in TRANSFORMS[:3] for name, weights in (("positive", WEIGHTS), ("mixed", MIXED))),
    *(classifier(f"{how} of the second class", [1] * 5, post_transform=how, tol=PROBIT)
      for how in TRANSFORMS),
    classifier("PROBIT of one score", post_transform="PROBIT", raises=Unsupported),
    classifier("leaves of both classes", [0, 1, 0, 1, 0], raises=Unsupported),
    classifier("both classes in each leaf", **BOTH),
    classifier("both classes in each leaf of mixed weights",
               **BOTH | {"weights": [part for w in MIXED for part in (w, -w)]}),
    *(classifier(f"{how} of both classes", **BOTH, post_transform=how, tol=PROBIT)
      for how in TRANSFORMS),
    classifier("both classes of other labels", **BOTH | {"classlabels_int64s": [1, 2]},
               raises=Unsupported),
    classifier("both classes and base values", **BOTH, base_values=[0.5, 0.5],
               raises=Unsupported),
    classifier("leaves that name nothing", [1] * 3, places=LEAVES[1:4], weights=WEIGHTS[:3],
               raises=Unsupported),
    classifier("some leaves of the first class", [0] * 3, places=LEAVES[1:4], weights=WEIGHTS[:3]),
    classifier("two base values", base_values=[0.5, 0.5], raises=Unsupported),
    classifier("one class", count=1, raises=Unsupported),
    classifier("a class without a label", [2] * 5, raises=Unsupported),
    classifier("three classes", THREE, 3),
    classifier("three classes in each leaf", count=3, **ALL),
    classifier("classes that no leaf of a row names", THREE, 3, weights=[-w for w in WEIGHTS]),
    classifier("three base values", count=3, **ALL, base_values=[0.5, -0.25, 2.0]),
    *(classifier(f"{how} of three", count=3, **ALL | {"weights": [0.25, 0.125, 0.375] * 5},
                 post_transform=how, tol=PROBIT) for how in TRANSFORMS),
    classifier("strings", classlabels_int64s=None, classlabels_strings=["a", "b"],
               raises=Unsupported),
]  # fmt: skip

CASES = [
    tree(POINTS, "two trees"),
    tree(POINTS.astype(np.float64), "double"),
    tree(f([1, 3], [4, 5], dtype=np.float16), "half"),
    tree(POINTS, "missing values", nodes_missing_value_tracks_true=[1, 0, 1]),
    tree(POINTS, "every comparison below", nodes_modes=i(1, 2, 4, dtype=np.uint8)),
    tree(POINTS, "the average", aggregate_function=0),
    tree(POINTS, "the least", aggregate_function=2, oracle="onnxruntime"),
    tree(POINTS, "the largest", aggregate_function=3, oracle="onnxruntime"),
    tree(
        POINTS,
        "sets",
        oracle="onnxruntime",
        **{k: SETS[k] for k in SETS if SETS[k] is not TREE.get(k)},
    ),
    tree(POINTS, "how often nodes hold plays no role", nodes_hitrates=f(1.0, 2.0, 3.0)),
    tree(POINTS, "a cycle", nodes_trueleafs=[0, 0, 1], raises=BadModel),
    tree(
        POINTS,
        "members of another type",
        nodes_modes=SETS["nodes_modes"],
        membership_values=SETS["membership_values"].astype(np.float64),
        raises=BadType,
    ),
    tree(POINTS, "sets too many", membership_values=SETS["membership_values"], raises=BadModel),
    tree(POINTS, "no such child", nodes_truenodeids=[-1, 2, 2], raises=BadModel),
    tree(POINTS, "no such other child", nodes_falsenodeids=[-1, 2, 2], raises=BadModel),
    tree(POINTS, "no such leaf", nodes_falsenodeids=[2, 2, 9], raises=BadModel),
    tree(POINTS[:, :1], "no such feature", raises=BadType),
    tree(POINTS, "softmax", post_transform=1, raises=Unsupported),
    *OLD,
]
