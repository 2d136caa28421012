"""ONNX ensembles of decision trees, of the domain ai.onnx.ml: as they are, or node by node."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.errors import BadModel, BadType
from nnir.model import Value
from nnir.ops import features
from nnir.recipes.estimators import trees
from nnir.recipes.estimators.scores import Transform, to_working_precision
from nnir.records import dataclass

from ...table import Floats, Ints, Prefixed, Table

table = Table(prefix="ai.onnx.ml::")
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
CODES = {"LEAF": trees.LEAF} | {mode: code for code, mode in enumerate(MODES)}


@table.convert("TreeEnsemble", since=5)
def tree_ensemble(
    x: Value,
    *,
    aggregate_function: Literal[0, 1, 2, 3] = 1,
    leaf_targetids: Ints,
    leaf_weights: np.ndarray,
    membership_values: np.ndarray | None = None,
    n_targets: int,
    nodes_falseleafs: Ints,
    nodes_falsenodeids: Ints,
    nodes_featureids: Ints,
    nodes_hitrates: np.ndarray | None = None,
    nodes_missing_value_tracks_true: Ints = (),
    nodes_modes: np.ndarray,
    nodes_splits: np.ndarray,
    nodes_trueleafs: Ints,
    nodes_truenodeids: Ints,
    post_transform: Literal[0] = 0,
    tree_roots: Ints,
) -> Value:
    forest = trees.join_leaves(
        nodes_splits.reshape(-1),
        membership_values,
        nodes_featureids,
        nodes_modes.reshape(-1).astype(np.int64),
        nodes_missing_value_tracks_true,
        [(nodes_truenodeids, nodes_trueleafs), (nodes_falsenodeids, nodes_falseleafs)],
        tree_roots,
        leaf_targetids,
        leaf_weights.reshape(-1),
    )
    return forest.evaluate(x, n_targets, features.AGGREGATES[aggregate_function])


@dataclass(frozen=True)
class Nodes(Prefixed):
    """The nodes of trees, leaves among them, as the older operators list them."""

    falsenodeids: Ints
    featureids: Ints
    modes: tuple[str, ...]
    nodeids: Ints
    treeids: Ints
    truenodeids: Ints
    values: Floats = ()
    values_as_tensor: np.ndarray | None = None
    hitrates: Floats = ()
    hitrates_as_tensor: np.ndarray | None = None
    missing_value_tracks_true: Ints = ()


@dataclass(frozen=True)
class Leaves(Prefixed):
    """What leaves give to targets, or to classes."""

    treeids: Ints
    nodeids: Ints
    ids: Ints
    weights: Floats = ()
    weights_as_tensor: np.ndarray | None = None


@dataclass(frozen=True)
class Base(Prefixed):
    """What all rows begin with."""

    own: Floats = ()
    as_tensor: np.ndarray | None = None


def _numbers(listed: Floats, tensor: np.ndarray | None, dtype: np.dtype) -> np.ndarray:
    """Numbers that are a list of float32 or a tensor."""
    if listed and tensor is not None:
        raise BadType("trees with numbers both as an attribute and as a tensor")
    found = np.array(listed, np.float32) if tensor is None else tensor.reshape(-1)
    if found.dtype.kind != "f":
        raise BadModel(f"trees with numbers of type {found.dtype}")
    return found.astype(dtype)


def _place(leaves: Leaves, nodes: Nodes, dtype: np.dtype) -> trees.Forest:
    if unknown := set(nodes.modes) - CODES.keys():
        raise BadModel(f"trees with nodes that are {', '.join(unknown)}")
    listed = trees.NodeLists(
        nodes.treeids,
        nodes.nodeids,
        [CODES[mode] for mode in nodes.modes],
        nodes.truenodeids,
        nodes.falsenodeids,
        nodes.featureids,
        _numbers(nodes.values, nodes.values_as_tensor, dtype),
        nodes.missing_value_tracks_true,
    )
    weights = _numbers(leaves.weights, leaves.weights_as_tensor, dtype)
    return listed.place_leaves(leaves.treeids, leaves.nodeids, leaves.ids, weights)


@table.convert("TreeEnsembleRegressor")
def tree_ensemble_regressor(
    x: Value,
    *,
    aggregate_function: Literal["SUM", "AVERAGE", "MIN", "MAX"] = "SUM",
    base_values: Base,
    n_targets: int,
    nodes: Nodes,
    post_transform: Transform = "NONE",
    target: Leaves,
) -> Value:
    wide = to_working_precision(x)
    base = _numbers(base_values.own, base_values.as_tensor, wide.dtype)
    forest = _place(target, nodes, wide.dtype)
    return trees.predict(forest, wide, n_targets, aggregate_function, base, post_transform)


@table.convert("TreeEnsembleClassifier")
def tree_ensemble_classifier(
    x: Value,
    *,
    base_values: Base,
    class_: Leaves,
    classlabels_int64s: Ints,
    nodes: Nodes,
    post_transform: Transform = "NONE",
) -> tuple[Value, Value]:
    wide = to_working_precision(x)
    base = _numbers(base_values.own, base_values.as_tensor, wide.dtype)
    forest = _place(class_, nodes, wide.dtype)
    return trees.classify(forest, wide, classlabels_int64s, base, post_transform)
