"""Ensembles of decision trees: the tables of TREE_ENSEMBLE, and what is made of its sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import BadModel, BadType, Unsupported
from ...model import Value
from ...ops import compare, features, index, reduce, shape
from ...records import dataclass
from ...types import Precision
from . import scores as scoring
from .scores import Labels, Transform

Numbers = Sequence[int] | np.ndarray
LEAF = -1
"""Stands for a mode where trees are lists of nodes."""

ZERO_AND_ONE = (0, 1)
"""The labels that scikit-learn gives two classes as a rule."""

LARGEST = 1 << 26
"""Entries of a table of leaves: a small file may ask for many."""


@dataclass(frozen=True)
class Forest:
    """The tables of TREE_ENSEMBLE, in its order: a row a node, of which a leaf is its own child.

    `certain`: how many targets are named by each leaf of a tree, so that every row has them.
    """

    splits: np.ndarray
    weights: np.ndarray
    roots: np.ndarray
    features: np.ndarray
    modes: np.ndarray
    missing: np.ndarray
    children: np.ndarray
    targets: np.ndarray
    certain: int = 0

    def evaluate(self, x: Value, n_targets: int, aggregate: str, *, counts: bool = False) -> Value:
        """What the trees say about each row of [N, F] of their precision, [N, n_targets].

        `counts`: how many leaves speak of each target.
        """
        weights = np.ones_like(self.weights) if counts else self.weights
        tables = (self.splits, weights, self.roots, self.features, self.modes, self.missing)
        return features.tree_ensemble(
            x,
            *map(x.model.constant, (*tables, self.children, self.targets)),
            n_targets=n_targets,
            depth=depth_of(self.roots, self.children),
            aggregate=aggregate,
        )

    def find_reached(self, x: Value, n_targets: int) -> Value:
        """Whether a leaf of the row names each target."""
        return self.evaluate(x, n_targets, "SUM", counts=True) > 0


def depth_of(roots: np.ndarray, children: np.ndarray) -> int:
    """The most steps from a root to a leaf, which is its own child; BadModel for a cycle."""
    at = np.unique(roots)
    if not len(at):
        raise BadModel("a tree ensemble without trees")
    for depth in range(len(children)):
        at = at[children[at, 0] != at]
        if not len(at):
            return depth
        at = np.unique(children[at])
    raise BadModel("a tree ensemble with a cycle")


def join_leaves(
    splits: np.ndarray,
    members: np.ndarray | None,
    columns: Numbers,
    modes: np.ndarray,
    missing: Numbers,
    children: Sequence[tuple[Numbers, Numbers]],
    roots: Numbers,
    targets: Numbers,
    weights: np.ndarray,
) -> Forest:
    """The tables of trees whose nodes [nodes] have their leaves [leaves] in lists of their own.

    `columns`: the feature that each node compares; `children`: for both sides the places of the
    next ones, and which of them are leaves; `members`: the sets of the nodes that ask for one, each
    of which ends with a NaN. BadModel where they do not fit.
    """
    inner, leaves = len(columns), len(targets)
    if not all(0 <= root < inner for root in roots):
        raise BadModel(f"trees with roots {list(roots)} of {inner} nodes")
    sides = [_places_beyond(*side, inner, leaves) for side in children]
    return Forest(
        splits=_pad(_insert_sets(splits, modes, members), leaves, np.nan),
        weights=_pad(weights[:, None], -inner, 0),
        roots=np.array(roots, np.int64),
        features=_pad(np.array(columns, np.int64), leaves, 0),
        modes=_pad(modes, leaves, 0),
        missing=_pad(_flags(missing, inner), leaves, False),
        children=np.concatenate([np.stack(sides, 1), inner + np.arange(leaves)[:, None] + [0, 0]]),
        targets=_pad(np.array(targets, np.int64)[:, None], -inner, -1),
    )


def _flags(given: Numbers, count: int) -> np.ndarray:
    """A flag for each node; none is set where there are none."""
    return np.array(given if len(given) else (0,) * count, np.bool_)


def _places_beyond(places: Numbers, is_leaf: Numbers, inner: int, leaves: int) -> np.ndarray:
    """Where the nodes lead to: leaves come after all inner nodes."""
    at, ends = np.array(places, np.int64), np.array(is_leaf, np.bool_)
    if at.shape != (inner,) or ends.shape != (inner,):
        raise BadModel(f"trees with {len(at)} and {len(ends)} children of {inner} nodes")
    if ((at < 0) | (at >= np.where(ends, leaves, inner))).any():
        raise BadModel("trees with a child that is no node and no leaf")
    return at + np.where(ends, inner, 0)


def _pad(table: np.ndarray, rows: int, fill: Any) -> np.ndarray:
    """The table with so many rows more; a negative number: before it."""
    more = np.full((abs(rows), *table.shape[1:]), fill, table.dtype)
    return np.concatenate([more, table] if rows < 0 else [table, more])


def _insert_sets(splits: np.ndarray, modes: np.ndarray, members: np.ndarray | None) -> np.ndarray:
    """What each node compares with, a row a node: one number, or those of its set."""
    which = np.flatnonzero(modes == features.MEMBER)
    given = np.zeros(0, splits.dtype) if members is None else members.reshape(-1)
    if given.dtype != splits.dtype:
        raise BadType(f"trees that compare {splits.dtype} with members of type {given.dtype}")
    ends = np.flatnonzero(np.isnan(given))
    if len(ends) != len(which) or modes.shape != splits.shape:
        raise BadModel(f"trees with {len(ends)} sets of members for {len(which)} nodes")
    sets = np.split(given, ends + 1)[: len(which)]
    table = np.full((len(splits), max([1, *map(len, sets)])), np.nan, splits.dtype)
    table[:, 0] = splits
    for node, values in zip(which, sets, strict=True):
        table[node] = np.nan
        table[node, : len(values)] = values
    return table


@dataclass(frozen=True)
class NodeLists:
    """Trees as lists, an entry a node: LEAF among its `modes` is one that has no children.

    A node is named by its tree and its number there, its children by their numbers in that tree.
    `missing` may be empty.
    """

    trees: Numbers
    numbers: Numbers
    modes: Numbers
    yes: Numbers
    no: Numbers
    columns: Numbers
    splits: np.ndarray
    missing: Numbers

    def place_leaves(
        self, trees: Numbers, numbers: Numbers, targets: Numbers, weights: np.ndarray
    ) -> Forest:
        """The tables of the trees whose leaves give weights to targets; BadModel where the lists
        do not fit."""
        count = len(self.numbers)
        missing = _flags(self.missing, count)
        entries = self.trees, self.modes, self.yes, self.no, self.columns, self.splits, missing
        for given in entries:
            require_count(given, count, "entries of nodes")
        for given in (trees, numbers, targets):
            require_count(given, len(weights), "entries of weights")
        places = {pair: k for k, pair in enumerate(zip(self.trees, self.numbers, strict=True))}
        if len(places) < count:
            raise BadModel(f"trees with {count - len(places)} nodes that are there twice")
        modes, own = np.array(self.modes, np.int64), np.array(self.numbers, np.int64)
        sides = (np.where(modes == LEAF, own, side).tolist() for side in (self.yes, self.no))
        children = np.stack([_look_up(places, self.trees, side) for side in sides], 1)
        _, owners = np.unique(np.array(self.trees), return_inverse=True)
        weights, table = _spread(_look_up(places, trees, numbers), count, weights, targets)
        roots = _find_roots(children, owners)
        return Forest(
            splits=self.splits[:, None],
            weights=weights,
            roots=roots,
            features=np.array(self.columns, np.int64),
            modes=np.maximum(modes, 0),
            missing=missing,
            children=children,
            targets=table,
            certain=_count_certain(table, modes == LEAF, owners),
        )


def require_count(given: Numbers, count: int, what: str) -> None:
    """BadModel unless there are so many numbers."""
    if len(given) != count:
        raise BadModel(f"trees with {len(given)} numbers for {count} {what}")


def _look_up(places: dict[tuple[int, int], int], trees: Numbers, numbers: Numbers) -> np.ndarray:
    """Where the nodes are in their lists."""
    try:
        found = [places[pair] for pair in zip(trees, numbers, strict=True)]
    except KeyError as error:
        raise BadModel(f"trees without a node {error} that they lead to") from None
    return np.array(found, np.int64)


def _find_roots(children: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """The node of each tree that no other leads to."""
    is_root = np.ones(len(children), np.bool_)
    inner = children[:, 0] != np.arange(len(children))
    is_root[children[inner].reshape(-1)] = False
    roots = np.flatnonzero(is_root)
    if len(roots) != len(np.unique(trees)) or len(np.unique(trees[roots])) != len(roots):
        raise BadModel(f"{len(np.unique(trees))} trees with {len(roots)} roots")
    return roots[np.argsort(trees[roots], kind="stable")]


def _spread(
    at: np.ndarray, nodes: int, weights: np.ndarray, targets: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """Weights and targets [nodes, K] of entries that belong to the nodes `at`."""
    order = np.argsort(at, kind="stable")
    sorted_at = at[order]
    slot = np.arange(len(at)) - np.searchsorted(sorted_at, sorted_at)
    width = int(slot.max(initial=0)) + 1
    if width * nodes > LARGEST:
        raise Unsupported(f"trees of {nodes} nodes with up to {width} weights each")
    table = np.zeros((nodes, width), weights.dtype)
    places = np.full((nodes, width), -1, np.int64)
    table[sorted_at, slot] = weights[order]
    places[sorted_at, slot] = np.array(targets, np.int64)[order]
    return table, places


def _count_certain(targets: np.ndarray, is_leaf: np.ndarray, trees: np.ndarray) -> int:
    """How many targets [nodes, K] some tree names in each of its leaves."""
    nodes, slots = np.nonzero((targets >= 0) & is_leaf[:, None])
    pairs = np.unique(np.stack([nodes, targets[nodes, slots]], 1), axis=0)
    named = np.stack([trees[pairs[:, 0]], pairs[:, 1]], 1)
    named, counts = np.unique(named, axis=0, return_counts=True)
    in_each = counts == np.bincount(trees[is_leaf])[named[:, 0]]
    return len(np.unique(named[in_each, 1]))


def predict(
    forest: Forest, x: Value, count: int, aggregate: str, base: np.ndarray, how: Transform
) -> Value:
    """The targets [N, count] of rows [N, F] in float32; one of several that no leaf of a row names
    is 0, without its base value. `base` is empty or has a number for each target."""
    total = forest.evaluate(x, count, aggregate)
    if base.size:
        require_count(base, count, "targets")
        moved = total + base
        known = count in (1, forest.certain)
        total = moved if known else compare.where(forest.find_reached(x, count), moved, 0)
    return scoring.transform_scores(total.cast(Precision.FLOAT32), how)


def classify(
    forest: Forest, x: Value, labels: Labels, base: np.ndarray, how: Transform
) -> tuple[Value, Value]:
    """The label [N] of each row [N, F], and the scores [N, C] of the classes in float32."""
    count = len(labels)
    if count < 2:
        raise Unsupported(f"trees of {count} classes, not of 2 and more")
    if count == 2:
        return _choose_of_two(forest, x, labels, base, how)
    total = rated = forest.evaluate(x, count, "SUM")
    if base.size:
        require_count(base, count, "classes")
        total = rated = total + base
    elif forest.certain != count:
        rated = compare.where(forest.find_reached(x, count), total, -np.inf)
    label = scoring.best_label(rated, labels)
    return label, scoring.transform_scores(total.cast(Precision.FLOAT32), how)


def _choose_positive(forest: Forest, x: Value, how: Transform) -> tuple[Value, Value]:
    """Labels and scores where each leaf speaks of both of two classes: ONNX Runtime gives 1 where
    that of the second is above 0, be the other one larger, and 0 else."""
    total = forest.evaluate(x, 2, "SUM")
    label = scoring.choose_label(index.slice_(total, [1], [1], [2]) > 0, ZERO_AND_ONE)
    return label, scoring.transform_scores(total.cast(Precision.FLOAT32), how)


def _choose_of_two(
    forest: Forest, x: Value, labels: Labels, base: np.ndarray, how: Transform
) -> tuple[Value, Value]:
    """Labels and scores where all leaves speak of one of two classes.

    Without negative weights they are probabilities, of which one above a half is the second class.
    """
    classes = np.unique(forest.targets[forest.targets >= 0])
    if tuple(labels) == ZERO_AND_ONE and forest.certain == len(labels) and not base.size:
        return _choose_positive(forest, x, how)
    if len(classes) != 1 or classes[0] > 1:
        raise Unsupported(
            f"trees of two classes whose leaves name {len(classes)} of them, where ONNX Runtime "
            "gives 0 and 1 for any labels, not one of them"
        )
    if base.size > 1:
        raise Unsupported(f"{len(base)} base values of two classes whose leaves name one, not 1")
    score = reduce.reduce_sum(forest.evaluate(x, 2, "SUM"), [1])
    is_probability = not (forest.weights < 0).any()
    if classes[0] == 0 and base.size:
        score = score + base
    label = scoring.choose_label(score > (0.5 if is_probability else 0.0), labels)
    plain = score.cast(Precision.FLOAT32)
    if classes[0] == 0:
        return label, scoring.split_score(plain, how, 1 - plain if is_probability else -plain)
    if forest.certain != 1:
        raise Unsupported("trees of two classes with leaves that name none")
    return label, scoring.transform_scores(shape.concat(plain * 0, plain, axis=-1), how)
