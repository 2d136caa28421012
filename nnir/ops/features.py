"""Features for classical models: counts of n-grams, ensembles of decision trees."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from .. import build
from ..decomposition import Level
from ..dim import Expr
from ..errors import BadModel
from ..model import Value
from ..numeric import at_positions, wide
from ..operator import operator, pairs, require
from ..types import Precision, TensorType
from . import compare, index, logic, reduce, shape, unary
from .rules import require_integers

MODES = ("TF", "IDF", "TFIDF")
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
MEMBER = 6
LARGEST = 1 << 24
DEEPEST = 256
COMPARISONS = (
    *(compare.less_equal, compare.less, compare.greater_equal, compare.greater),
    *(compare.equal, compare.not_equal),
)
FOLDS = {
    "SUM": (reduce.reduce_sum, 0.0),
    "MIN": (reduce.reduce_min, np.inf),
    "MAX": (reduce.reduce_max, -np.inf),
}


def pools(
    ngram_counts: tuple[int, ...], pool_int64s: tuple[int, ...]
) -> list[tuple[int, np.ndarray]]:
    """The n-grams of each length n = 1, 2, ... as rows, with the number of the first of them."""
    found, first = [], 0
    ends = (*ngram_counts[1:], len(pool_int64s))
    for n, (start, end) in enumerate(zip(ngram_counts, ends, strict=True), 1):
        fits = 0 <= start <= end <= len(pool_int64s) and (end - start) % n == 0
        require(fits, f"tf_idf_vectorizer with {n}-grams from {start} to {end} of the pool")
        found.append((first, np.array(pool_int64s[start:end], np.int64).reshape(-1, n)))
        first += (end - start) // n
    return found


def _hits(windows: np.ndarray, grams: np.ndarray) -> np.ndarray:
    """Which row of `grams` each row of `windows` is, the last of equal ones; -1 for none."""
    both = np.concatenate([grams, windows])
    _, codes = np.unique(both, axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    place = np.full(len(both), -1)
    np.maximum.at(place, codes[: len(grams)], np.arange(len(grams)))
    return place[codes[len(grams) :]]


def _tf_idf_vectorizer(
    input: np.ndarray,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...],
    weights: tuple[float, ...],
) -> np.ndarray:
    rows = np.atleast_2d(input).astype(np.int64)
    counts = np.zeros((len(rows), len(ngram_indexes)), np.float32)
    for n, (first, grams) in enumerate(pools(ngram_counts, pool_int64s), 1):
        if not min_gram_length <= n <= max_gram_length or not len(grams):
            continue
        for step in range(1, 2 if n == 1 else max_skip_count + 2):
            many = rows.shape[1] - (n - 1) * step
            if many <= 0:
                break
            places = np.arange(many)[:, None] + np.arange(n) * step
            hits = _hits(rows[:, places].reshape(-1, n), grams)
            where = np.repeat(np.arange(len(rows)), many)[hits >= 0]
            np.add.at(counts, (where, first + hits[hits >= 0]), 1)
    if mode == "IDF":
        counts = (counts > 0).astype(np.float32)
    if weights and mode != "TF":
        counts *= np.array(weights, np.float32)
    result = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), np.float32)
    np.add.at(result.T, np.array(ngram_indexes, np.int64), counts.T)
    if mode == "IDF" and not weights:
        result = np.minimum(result, np.float32(1))
    return result.reshape(*input.shape[:-1], result.shape[1])


@operator(steps=pairs, code=2100, reference=_tf_idf_vectorizer)
def tf_idf_vectorizer(
    input: Value,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...],
    weights: tuple[float, ...] = (),
) -> TensorType:
    """How often the n-grams of a pool occur in each row of numbers.

    `ngram_counts` says where the n-grams of each length begin in `pool_int64s`, `ngram_indexes`
    the column of each n-gram. Up to `max_skip_count` numbers lie between two of an n-gram. Mode
    TF counts, IDF gives the weight of an n-gram that occurs (1 without weights), TFIDF counts
    times the weight.

    Types: INT32 or INT64; the result is FLOAT32.
    Shapes: a row [C] or rows [B, C]; C becomes the number of columns.
    Edges: an n-gram of one number counts once, whatever the skips; of equal n-grams in the pool
    the last one counts; no row is too short; IDF with weights needs a column for each n-gram.
    """
    kinds = (Precision.INT32, Precision.INT64)
    fits = input.precision in kinds and input.rank in (1, 2)
    require(fits, f"tf_idf_vectorizer of {input.type}")
    require(mode in MODES, f"tf_idf_vectorizer with mode={mode!r}, not one of {MODES}")
    require(
        1 <= min_gram_length <= max_gram_length <= LARGEST and 0 <= max_skip_count <= LARGEST,
        f"n-grams of {min_gram_length} to {max_gram_length} with {max_skip_count} skips",
    )
    require(bool(ngram_counts), "tf_idf_vectorizer without ngram_counts")
    found = pools(ngram_counts, pool_int64s)
    total = sum(len(grams) for _, grams in found)
    require(total == len(ngram_indexes), f"{len(ngram_indexes)} ngram_indexes of {total} n-grams")
    width = max(ngram_indexes, default=-1) + 1
    require(min(ngram_indexes, default=-1) >= 0, "ngram_indexes must not be negative")
    require(width <= LARGEST, f"tf_idf_vectorizer with {width} columns")
    require(len(weights) in (0, total), f"{len(weights)} weights of {total} n-grams")
    clear = mode != "IDF" or not weights or len(set(ngram_indexes)) == total
    require(clear, "IDF with weights where n-grams share a column")
    return TensorType(Precision.FLOAT32, (*input.shape[:-1], width))


@wide
def _tree_ensemble(
    input: np.ndarray,
    splits: np.ndarray,
    weights: np.ndarray,
    roots: np.ndarray,
    features: np.ndarray,
    modes: np.ndarray,
    missing: np.ndarray,
    children: np.ndarray,
    targets: np.ndarray,
    *,
    n_targets: int,
    depth: int,
    aggregate: str,
) -> np.ndarray:
    at = np.broadcast_to(roots, (len(input), len(roots)))
    for _ in range(depth):
        with at_positions():
            x = np.take_along_axis(input, features[at], axis=1)
        split, mode = splits[at], modes[at]
        first, among = split[..., 0], (x[..., None] == split).any(-1)
        tests = [x <= first, x < first, x >= first, x > first, x == first, x != first, among]
        holds = np.choose(mode, tests) | (missing[at] & np.isnan(x))
        at = children[at, np.where(holds, 0, 1)]
    return _aggregate_targets(targets[at], weights[at], n_targets, aggregate)


def _aggregate_targets(
    targets: np.ndarray, weights: np.ndarray, n_targets: int, aggregate: str
) -> np.ndarray:
    """Fold the weights [N, trees, K] of the leaves into the target of each."""
    rows, trees, several = np.nonzero(targets >= 0)
    places, values = (rows, targets[rows, trees, several]), weights[rows, trees, several]
    match aggregate:
        case "MIN" | "MAX":
            fold, start = (np.minimum, np.inf) if aggregate == "MIN" else (np.maximum, -np.inf)
            result = np.full((len(targets), n_targets), start, weights.dtype)
            seen = np.zeros(result.shape, np.bool_)
            seen[places] = True
            fold.at(result, places, values)
            return np.where(seen, result, weights.dtype.type(0))
        case _:
            result = np.zeros((len(targets), n_targets), weights.dtype)
            np.add.at(result, places, values)
            count = targets.shape[1] if aggregate == "AVERAGE" else 1
            return result / weights.dtype.type(count)


def _require_within(what: str, table: Value, first: int, end: int) -> None:
    """BadModel where a known number lies outside."""
    known = table.constant
    if known is not None and known.size and (known.min() < first or known.max() >= end):
        raise BadModel(f"tree_ensemble with {what} outside {first} to {end - 1}")


@operator(steps=pairs, code=2101, reference=_tree_ensemble)
def tree_ensemble(
    input: Value,
    splits: Value,
    weights: Value,
    roots: Value,
    features: Value,
    modes: Value,
    missing: Value,
    children: Value,
    targets: Value,
    *,
    n_targets: int,
    depth: int,
    aggregate: str = "SUM",
) -> TensorType:
    """What decision trees say about each row, summed (or averaged, least, largest) per target.

    A node compares the feature `features` with the first of its `splits` as `modes` says: 0 <=,
    1 <, 2 >=, 3 >, 4 ==, 5 !=, 6 equal to any of the splits. Where that holds, or the feature is
    NaN and `missing` is set, the first of `children` is next, else the second. A leaf is its own
    child; it gives `weights` to `targets`, where target -1 is none. `depth` steps reach all leaves.

    Types: any float for `input`, `splits` and `weights`; `missing` is BOOL8, the others INT64.
    Shapes: [N, F] gives [N, n_targets]; `roots` [trees]; one row per node in the others: `splits`
    [nodes, S], `children` [nodes, 2], `weights` and `targets` [nodes, K].
    Edges: unused splits are NaN; a target without a leaf is 0; numbers of nodes, features and
    targets outside the tables fail while running.
    """
    require(input.is_float and input.rank == 2, f"tree_ensemble of {input.type}")
    for table in (splits, weights):
        fits = table.precision == input.precision and table.rank == 2
        require(fits, f"tree_ensemble of {input.type} with a table {table.type}")
    ranks = {1: (roots, features, modes, missing), 2: (children, targets)}
    for rank, tables in ranks.items():
        for table in tables:
            require(table.rank == rank, f"tree_ensemble with a table {table.type}")
            if table is not missing:
                require_integers(table, "the tables of tree_ensemble")
    require(missing.precision == Precision.BOOL8, f"missing must be BOOL8, not {missing.type}")
    nodes = {t.shape[0] for t in (splits, weights, features, modes, missing, children, targets)}
    counts = {d for d in nodes if not isinstance(d, Expr)}
    require(len(counts) < 2, f"tree_ensemble with tables of {sorted(counts)} nodes")
    _require_within("modes", modes, 0, MEMBER + 1)
    _require_within("features", features, 0, LARGEST)
    _require_within("targets", targets, -1, n_targets)
    for count in counts:
        _require_within("roots", roots, 0, count)
        _require_within("children", children, 0, count)
    known = features.constant
    width = input.shape[1]
    inside = known is None or not known.size or isinstance(width, Expr) or known.max() < width
    require(inside, f"tree_ensemble of {input.type} reads a feature that is not there")
    require(aggregate in AGGREGATES, f"tree_ensemble with aggregate={aggregate!r}")
    fits = 0 < n_targets <= LARGEST and depth >= 0
    require(fits, f"tree_ensemble with {n_targets} targets and depth {depth}")
    return input.type.with_shape((input.shape[0], n_targets))


@tree_ensemble.decomposes(level=Level.ROUNDING)
def _all_trees_at_once(
    input: Value,
    splits: Value,
    weights: Value,
    roots: Value,
    features: Value,
    modes: Value,
    missing: Value,
    children: Value,
    targets: Value,
    *,
    n_targets: int,
    depth: int,
    aggregate: str = "SUM",
) -> Value:
    require(depth <= DEEPEST, f"trees of depth {depth} would become too many operations")
    known = modes.constant
    used = range(7) if known is None else np.unique(known).tolist()
    count = build.size_of(roots, 0)
    at = shape.expand(roots, build.vector(input.model, [build.size_of(input, 0), count]))
    for _ in range(depth):
        x = index.gather_elements(input, index.gather(features, at), axis=1)
        holds = _test(x, index.gather(splits, at), index.gather(modes, at), used)
        is_missing = index.gather(missing, at) & compare.not_equal(x, x)
        both = index.gather(children, at)
        taken = shape.unsqueeze(holds | is_missing, [2])
        at = shape.squeeze(compare.where(taken, _part(both, 0), _part(both, 1)), [2])
    leaves, values = index.gather(targets, at), index.gather(weights, at)
    if aggregate == "AVERAGE":
        trees = unary.cast(build.vector(input.model, [count]), dtype=input.precision)
        return _fold(leaves, values, n_targets, "SUM") / trees
    return _fold(leaves, values, n_targets, aggregate)


def _part(input: Value, place: int) -> Value:
    """One entry along axis 2, which stays."""
    return index.gather(input, [place], axis=2)


def _test(x: Value, splits: Value, mode: Value, used: Iterable[int]) -> Value:
    """Whether each node's comparison holds."""
    first = shape.squeeze(_part(splits, 0), [2])
    found: list[Value] = []
    for code in used:
        if code == MEMBER:
            same = compare.equal(shape.unsqueeze(x, [2]), splits)
            holds = _any(same, [2])
        else:
            holds = COMPARISONS[code](x, first)
        found.append(compare.equal(mode, code) & holds)
    return functools.reduce(logic.or_, found)


def _any(input: Value, axes: list[int]) -> Value:
    most = reduce.reduce_max(unary.cast(input, dtype=Precision.INT32), axes, keepdim=False)
    return unary.cast(most, dtype=Precision.BOOL8)


def _fold(targets: Value, weights: Value, n_targets: int, aggregate: str) -> Value:
    """As `_aggregate_targets`, through a mask [N, trees, K, n_targets]."""
    model, dtype = targets.model, weights.dtype
    columns = model.constant(np.arange(n_targets))
    own = compare.equal(shape.unsqueeze(targets, [3]), columns)
    fold, neutral = FOLDS[aggregate]
    values = shape.unsqueeze(weights, [3])
    values = compare.where(own, values, model.constant(neutral, dtype))
    result: Value = fold(values, [1, 2], keepdim=False)
    if aggregate != "SUM":
        result = compare.where(_any(own, [1, 2]), result, model.constant(0, dtype))
    return result
