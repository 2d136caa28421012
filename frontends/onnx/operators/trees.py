"""ONNX ensembles of decision trees, of the domain ai.onnx.ml: as they are, or node by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nnir.errors import BadModel, BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, features, reduce, shape
from nnir.types import Precision

from ...table import Attributes, Floats, Ints, Table
from . import scores as scoring
from .scores import ML, Transform

table = Table()
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
LEAF = "LEAF"
LARGEST = 1 << 26
"""Entries of a table of leaves: a small file may ask for many."""


@table.convert(ML + "TreeEnsemble", since=5)
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
    inner, leaves = len(nodes_featureids), len(leaf_targetids)
    modes = nodes_modes.reshape(-1).astype(np.int64)
    members = None if membership_values is None else _cast_table(membership_values, x)
    missing = nodes_missing_value_tracks_true or (0,) * inner
    sides = (
        _children(nodes_truenodeids, nodes_trueleafs, inner, leaves),
        _children(nodes_falsenodeids, nodes_falseleafs, inner, leaves),
    )
    forest = Forest(
        splits=_pad_table(_splits(_cast_table(nodes_splits, x), modes, members), leaves, np.nan),
        weights=_pad_table(_cast_table(leaf_weights, x)[:, None], -inner, 0),
        roots=np.array(tree_roots, np.int64),
        features=_pad_table(np.array(nodes_featureids, np.int64), leaves, 0),
        modes=_pad_table(modes, leaves, 0),
        missing=_pad_table(np.array(missing, np.bool_), leaves, False),
        children=np.concatenate([np.stack(sides, 1), inner + np.arange(leaves)[:, None] + [0, 0]]),
        targets=_pad_table(np.array(leaf_targetids, np.int64)[:, None], -inner, -1),
    )
    return forest.evaluate(x, n_targets, features.AGGREGATES[aggregate_function])


@dataclass(frozen=True)
class Forest:
    """The tables of the operator `features.tree_ensemble`, in its order."""

    splits: np.ndarray
    weights: np.ndarray
    roots: np.ndarray
    features: np.ndarray
    modes: np.ndarray
    missing: np.ndarray
    children: np.ndarray
    targets: np.ndarray

    def evaluate(self, x: Value, n_targets: int, aggregate: str, *, counts: bool = False) -> Value:
        """What the trees say about each row; `counts`: how many leaves speak of each target."""
        weights = np.ones_like(self.weights) if counts else self.weights
        tables = (self.splits, weights, self.roots, self.features, self.modes)
        return features.tree_ensemble(
            x,
            *map(x.model.constant, (*tables, self.missing, self.children, self.targets)),
            n_targets=n_targets,
            depth=_depth(self.roots, self.children),
            aggregate=aggregate,
        )

    def always_reaches(self, trees: np.ndarray, n_targets: int) -> bool:
        """Whether every row gets something for each target: a tree names it in each leaf.

        `trees` has the tree of each node.
        """
        is_leaf = self.children[:, 0] == np.arange(len(self.children))
        leaves = np.bincount(trees[is_leaf], minlength=len(self.roots))
        nodes, slots = np.nonzero((self.targets >= 0) & is_leaf[:, None])
        pairs = np.unique(np.stack([nodes, self.targets[nodes, slots]], 1), axis=0)
        places, counts = np.unique(
            np.stack([trees[pairs[:, 0]], pairs[:, 1]], 1), axis=0, return_counts=True
        )
        in_each = counts == leaves[places[:, 0]]
        return len(np.unique(places[in_each, 1])) == n_targets


@dataclass(frozen=True)
class Nodes(Attributes):
    """The nodes of trees, leaves among them, as the older operators list them."""

    nodes_falsenodeids: Ints
    nodes_featureids: Ints
    nodes_modes: tuple[str, ...]
    nodes_nodeids: Ints
    nodes_treeids: Ints
    nodes_truenodeids: Ints
    nodes_values: Floats = ()
    nodes_values_as_tensor: np.ndarray | None = None
    nodes_hitrates: Floats = ()
    nodes_hitrates_as_tensor: np.ndarray | None = None
    nodes_missing_value_tracks_true: Ints = ()

    @property
    def count(self) -> int:
        return len(self.nodes_nodeids)

    def places(self) -> dict[tuple[int, int], int]:
        """Where each node of each tree is in the lists."""
        pairs = list(zip(self.nodes_treeids, self.nodes_nodeids, strict=True))
        found = {pair: place for place, pair in enumerate(pairs)}
        if len(found) < len(pairs):
            raise BadModel(f"trees with {len(pairs) - len(found)} nodes that are there twice")
        return found

    def children_at(self, places: dict[tuple[int, int], int]) -> np.ndarray:
        """Where the nodes lead to; a leaf is its own child."""
        rows = zip(
            self.nodes_treeids,
            self.nodes_modes,
            self.nodes_truenodeids,
            self.nodes_falsenodeids,
            strict=True,
        )
        found = [
            (place, place) if mode == LEAF else (places[tree, yes], places[tree, no])
            for place, (tree, mode, yes, no) in enumerate(rows)
        ]
        return np.array(found, np.int64).reshape(-1, 2)

    def forest_at(self, leaves: Leaves, dtype: np.dtype) -> tuple[Forest, np.ndarray]:
        """The tables in the type of the data, and the tree of each node."""
        try:
            places = self.places()
            children = self.children_at(places)
            at = np.array([places[pair] for pair in leaves.pairs()], np.int64)
            modes = np.array([0 if m == LEAF else MODES.index(m) for m in self.nodes_modes])
        except (KeyError, ValueError) as error:
            raise BadModel(f"trees whose nodes do not fit: {error}") from None
        values = _numbers(self.nodes_values, self.nodes_values_as_tensor, self.count, dtype)
        missing = np.array(self.nodes_missing_value_tracks_true or (0,) * self.count, np.bool_)
        if missing.shape != (self.count,) or len(self.nodes_featureids) != self.count:
            raise BadModel(f"trees with {len(missing)} entries for {self.count} nodes")
        weights, targets = leaves.tables_at(at, self.count, dtype)
        _, trees = np.unique(np.array(self.nodes_treeids), return_inverse=True)
        return Forest(
            splits=values[:, None],
            weights=weights,
            roots=_roots(children, trees),
            features=np.array(self.nodes_featureids, np.int64),
            modes=modes,
            missing=missing,
            children=children,
            targets=targets,
        ), trees


@dataclass(frozen=True)
class Leaves:
    """What leaves give to targets, or to classes."""

    treeids: Ints
    nodeids: Ints
    ids: Ints
    weights: Floats
    weights_as_tensor: np.ndarray | None

    def pairs(self) -> list[tuple[int, int]]:
        """Tree and node of each entry."""
        return list(zip(self.treeids, self.nodeids, strict=True))

    def tables_at(
        self, at: np.ndarray, nodes: int, dtype: np.dtype
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights and targets [nodes, K] of entries that belong to the nodes `at`."""
        given = _numbers(self.weights, self.weights_as_tensor, len(at), dtype)
        if len(self.ids) != len(at):
            raise BadModel(f"trees with {len(self.ids)} targets of {len(at)} weights")
        order = np.argsort(at, kind="stable")
        sorted_at = at[order]
        slot = np.arange(len(at)) - np.searchsorted(sorted_at, sorted_at)
        width = int(slot.max(initial=0)) + 1
        if width * nodes > LARGEST:
            raise Unsupported(f"trees of {nodes} nodes with up to {width} weights each")
        weights = np.zeros((nodes, width), dtype)
        targets = np.full((nodes, width), -1, np.int64)
        weights[sorted_at, slot] = given[order]
        targets[sorted_at, slot] = np.array(self.ids, np.int64)[order]
        return weights, targets


@table.convert(ML + "TreeEnsembleRegressor")
def tree_ensemble_regressor(
    x: Value,
    *,
    aggregate_function: Literal["SUM", "AVERAGE", "MIN", "MAX"] = "SUM",
    base_values: Floats = (),
    base_values_as_tensor: np.ndarray | None = None,
    n_targets: int,
    nodes: Nodes,
    post_transform: Transform = "NONE",
    target_ids: Ints,
    target_nodeids: Ints,
    target_treeids: Ints,
    target_weights: Floats = (),
    target_weights_as_tensor: np.ndarray | None = None,
) -> Value:
    """A target of several that no leaf of a row names is 0, without its base value."""
    wide = scoring.to_working_precision(x)
    leaves = Leaves(
        target_treeids, target_nodeids, target_ids, target_weights, target_weights_as_tensor
    )
    forest, trees = nodes.forest_at(leaves, wide.dtype)
    total = forest.evaluate(wide, n_targets, aggregate_function)
    base = _bases(base_values, base_values_as_tensor, n_targets, wide.dtype)
    if base is not None:
        moved = total + base
        known = n_targets == 1 or forest.always_reaches(trees, n_targets)
        total = moved if known else compare.where(_find_reached(forest, wide, n_targets), moved, 0)
    return scoring.transform_scores(total.cast(Precision.FLOAT32), post_transform)


@table.convert(ML + "TreeEnsembleClassifier")
def tree_ensemble_classifier(
    x: Value,
    *,
    base_values: Floats = (),
    base_values_as_tensor: np.ndarray | None = None,
    class_ids: Ints,
    class_nodeids: Ints,
    class_treeids: Ints,
    class_weights: Floats = (),
    class_weights_as_tensor: np.ndarray | None = None,
    classlabels_int64s: Ints,
    nodes: Nodes,
    post_transform: Transform = "NONE",
) -> tuple[Value, Value]:
    wide = scoring.to_working_precision(x)
    leaves = Leaves(class_treeids, class_nodeids, class_ids, class_weights, class_weights_as_tensor)
    forest, trees = nodes.forest_at(leaves, wide.dtype)
    count = len(classlabels_int64s)
    if count < 2:
        raise Unsupported(f"TreeEnsembleClassifier of {count} classes, not of 2 and more")
    if count == 2:
        base = _base_of_one(base_values, base_values_as_tensor, wide.dtype)
        return _choose_of_two(wide, forest, trees, classlabels_int64s, base, post_transform)
    total = forest.evaluate(wide, count, "SUM")
    bases = _bases(base_values, base_values_as_tensor, count, wide.dtype)
    if bases is not None:
        total = total + bases
    rated = total
    if bases is None and not forest.always_reaches(trees, count):
        rated = compare.where(_find_reached(forest, wide, count), total, -np.inf)
    label = scoring.best_label(rated, classlabels_int64s, count)
    return label, scoring.transform_scores(total.cast(Precision.FLOAT32), post_transform)


def _choose_of_two(
    x: Value,
    forest: Forest,
    trees: np.ndarray,
    labels: Ints,
    base: np.ndarray | None,
    how: Transform,
) -> tuple[Value, Value]:
    """Labels and scores where all leaves speak of one of two classes.

    Without negative weights they are probabilities, of which one above a half is the second class.
    """
    classes = np.unique(forest.targets[forest.targets >= 0])
    if len(classes) != 1 or classes[0] > 1:
        raise Unsupported(
            f"TreeEnsembleClassifier of two classes whose leaves name {len(classes)} of them, "
            "where ONNX Runtime gives 0 and 1 for any labels, not one of them"
        )
    score = reduce.reduce_sum(forest.evaluate(x, 2, "SUM"), [1])
    is_probability = not (forest.weights < 0).any()
    if classes[0] == 0 and base is not None:
        score = score + base
    label = scoring.choose_label(score > (0.5 if is_probability else 0.0), labels)
    plain = score.cast(Precision.FLOAT32)
    if classes[0] == 0:
        return label, scoring.split_score(plain, how, 1 - plain if is_probability else -plain)
    if not forest.always_reaches(trees, 1):
        raise Unsupported("TreeEnsembleClassifier of two classes with leaves that name none")
    return label, scoring.transform_scores(shape.concat(plain * 0, plain, axis=-1), how)


def _find_reached(forest: Forest, x: Value, n_targets: int) -> Value:
    """Whether a leaf of the row names each target."""
    return forest.evaluate(x, n_targets, "SUM", counts=True) > 0


def _bases(
    numbers: Floats, tensor: np.ndarray | None, count: int, dtype: np.dtype
) -> np.ndarray | None:
    """A number for each target, where there are any."""
    is_absent = not numbers and tensor is None
    return None if is_absent else _numbers(numbers, tensor, count, dtype)


def _base_of_one(numbers: Floats, tensor: np.ndarray | None, dtype: np.dtype) -> np.ndarray | None:
    given = len(numbers) if tensor is None else tensor.size
    if given > 1:
        raise Unsupported(f"{given} base_values of two classes whose leaves name one, not 1")
    return _bases(numbers, tensor, 1, dtype)


def _numbers(numbers: Floats, tensor: np.ndarray | None, count: int, dtype: np.dtype) -> np.ndarray:
    """So many numbers, which are an attribute or a tensor."""
    if numbers and tensor is not None:
        raise BadType("trees with numbers both as an attribute and as a tensor")
    found = np.array(numbers, np.float32) if tensor is None else tensor.reshape(-1)
    if found.shape != (count,) or found.dtype.kind != "f":
        raise BadModel(f"trees with {found.size} numbers of type {found.dtype}, not {count}")
    return found.astype(dtype)


def _roots(children: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """The node of each tree that no other leads to."""
    is_root = np.ones(len(children), np.bool_)
    inner = children[:, 0] != np.arange(len(children))
    is_root[children[inner].reshape(-1)] = False
    roots = np.flatnonzero(is_root)
    if len(roots) != len(np.unique(trees)) or len(np.unique(trees[roots])) != len(roots):
        raise BadModel(f"{len(np.unique(trees))} trees with {len(roots)} roots")
    return roots[np.argsort(trees[roots], kind="stable")]


def _children(ids: Sequence[int], is_leaf: Sequence[int], inner: int, leaves: int) -> np.ndarray:
    """Where the nodes lead to: leaves come after all inner nodes."""
    at, ends = np.array(ids, np.int64), np.array(is_leaf, np.bool_)
    if at.shape != (inner,) or ends.shape != (inner,):
        raise BadModel(f"TreeEnsemble with {len(at)} and {len(ends)} children of {inner} nodes")
    if ((at < 0) | (at >= np.where(ends, leaves, inner))).any():
        raise BadModel("TreeEnsemble with a child that is no node and no leaf")
    return at + np.where(ends, inner, 0)


def _cast_table(table: np.ndarray, x: Value) -> np.ndarray:
    if table.dtype != x.dtype:
        raise BadType(f"TreeEnsemble of {x.type} with numbers of type {table.dtype}")
    return table.reshape(-1)


def _pad_table(table: np.ndarray, rows: int, fill: Any) -> np.ndarray:
    """The table with so many rows more; a negative number: before it."""
    more = np.full((abs(rows), *table.shape[1:]), fill, table.dtype)
    return np.concatenate([more, table] if rows < 0 else [table, more])


def _splits(splits: np.ndarray, modes: np.ndarray, members: np.ndarray | None) -> np.ndarray:
    """What each node compares with, a row per node; the sets end with a NaN each."""
    which = np.flatnonzero(modes == features.MEMBER)
    given = np.zeros(0, splits.dtype) if members is None else members
    ends = np.flatnonzero(np.isnan(given))
    if len(ends) != len(which) or modes.shape != splits.shape:
        raise BadModel(f"TreeEnsemble with {len(ends)} sets of members for {len(which)} nodes")
    sets = np.split(given, ends + 1)[: len(which)]
    table = np.full((len(splits), max([1, *map(len, sets)])), np.nan, splits.dtype)
    table[:, 0] = splits
    for node, values in zip(which, sets, strict=True):
        table[node] = np.nan
        table[node, : len(values)] = values
    return table


def _depth(roots: np.ndarray, children: np.ndarray) -> int:
    """The most steps from a root to a leaf, which is its own child; BadModel for a cycle."""
    if not len(roots) or roots.min() < 0 or roots.max() >= len(children):
        raise BadModel(f"a tree ensemble with roots outside {len(children)} nodes")
    at = np.unique(roots)
    for depth in range(len(children)):
        at = at[children[at, 0] != at]
        if not len(at):
            return depth
        at = np.unique(children[at])
    raise BadModel("a tree ensemble with a cycle")
