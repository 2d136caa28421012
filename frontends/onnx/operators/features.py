"""Features for classical models: counts of n-grams, and the domain ai.onnx.ml."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadModel, BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, features, index, linear, reduce, shape
from nnir.recipes.distance import vector_norm
from nnir.recipes.unary import is_nan
from nnir.types import Precision

from ...table import Floats, Ints, Table

table = Table()
ML = "ai.onnx.ml::"


table.same({"TfIdfVectorizer": features.tf_idf_vectorizer}, since=9, weights=())


@table.convert(ML + "ArrayFeatureExtractor")
def array_feature_extractor(x: Value, y: Value) -> Value:
    if not x.rank:
        raise BadType(f"ArrayFeatureExtractor of {x.type}")
    rows = shape.unsqueeze(x, [0]) if x.rank == 1 else x
    return index.gather(rows, shape.reshape(y, [-1]), axis=-1)


@table.convert(ML + "Binarizer")
def binarizer(x: Value, *, threshold: float = 0.0) -> Value:
    return _above(x, threshold).cast(x.precision)


def _above(x: Value, threshold: float) -> Value:
    """x > threshold, exactly for integers too."""
    if x.is_float:
        return x > threshold
    kind = np.iinfo(x.dtype)
    if threshold < kind.min:
        return x >= kind.min
    bound = math.floor(threshold) if threshold < kind.max else kind.max
    return x > bound


@table.convert(ML + "LabelEncoder", since=2)
def label_encoder(
    x: Value,
    *,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_tensor: np.ndarray | None = None,
    keys_floats: Floats | None = None,
    keys_int64s: Ints | None = None,
    keys_tensor: np.ndarray | None = None,
    values_floats: Floats | None = None,
    values_int64s: Ints | None = None,
    values_tensor: np.ndarray | None = None,
) -> Value:
    keys = _one(keys_floats, keys_int64s, keys_tensor, "keys")
    values = _one(values_floats, values_int64s, values_tensor, "values")
    if len(keys) != len(values) or not len(keys):
        raise BadType(f"LabelEncoder with {len(keys)} keys and {len(values)} values")
    default: Any = default_int64 if values_int64s is not None else default_float
    if values_tensor is not None:
        default = -1 if values.dtype.kind == "i" else -0.0
        default = default if default_tensor is None else _scalar(default_tensor, values)
    results = x.model.constant(np.append(np.array([default], values.dtype), values))
    return index.gather(results, _place(x, keys))


def _one(floats: Any, integers: Any, tensor: np.ndarray | None, what: str) -> np.ndarray:
    """The one of three attributes that is given."""
    given = [
        np.array(a, kind).reshape(-1)
        for a, kind in ((floats, np.float32), (integers, np.int64), (tensor, None))
        if a is not None
    ]
    if len(given) != 1:
        raise BadType(f"LabelEncoder with {len(given)} kinds of {what}")
    return given[0]


def _scalar(default: np.ndarray, values: np.ndarray) -> Any:
    if default.size != 1 or default.dtype != values.dtype:
        raise BadType(f"LabelEncoder of {values.dtype} with a default of {default.dtype}")
    return default.reshape(())


def _place(x: Value, keys: np.ndarray) -> Value:
    """One more than the position of each element among the keys, of equal ones the last; 0: none.

    A NaN is equal to a NaN here.
    """
    each, none = shape.unsqueeze(x, [-1]), x.model.constant([0])
    places = np.arange(1, len(keys) + 1)
    hits = compare.equal(each, x.model.constant(keys))
    found = compare.where(hits, places, none)
    nans = places[keys != keys]
    if nans.size:
        last = compare.where(is_nan(each), nans[-1:], none)
        found = shape.concat(found, last, axis=-1)
    return reduce.reduce_max(found, [-1], keepdim=False)


@table.convert(ML + "Scaler")
def scaler(x: Value, *, offset: Floats = (), scale: Floats = ()) -> Value:
    wide = _to_working_precision(x)
    moved = wide - _per_feature(wide, offset, "Scaler")
    return (moved * _per_feature(wide, scale, "Scaler")).cast(Precision.FLOAT32)


def _to_working_precision(x: Value) -> Value:
    """In double where `x` is, else in float."""
    return x if x.precision == Precision.FLOAT64 else x.cast(Precision.FLOAT32)


def _per_feature(x: Value, numbers: Sequence[float], what: str) -> Value:
    """One number for all features, or one for each."""
    fits = x.rank and (isinstance(x.shape[-1], Expr) or len(numbers) == x.shape[-1])
    if len(numbers) != 1 and not (fits and numbers):
        raise BadType(f"{what} of {x.type} with {len(numbers)} numbers")
    return x.model.constant(numbers, x.dtype)


@table.convert(ML + "Normalizer")
def normalizer(x: Value, *, norm: Literal["L1", "L2", "MAX"] = "MAX") -> Value:
    wide = _to_working_precision(x)
    if norm == "MAX":
        size = reduce.reduce_max(wide, [-1])
    else:
        size = vector_norm(wide, int(norm[1]), (-1,), keepdim=True)
    divisor = compare.where(compare.equal(size, 0), 1, size)
    return (wide / divisor).cast(Precision.FLOAT32)


@table.convert(ML + "Imputer")
def imputer(
    x: Value,
    *,
    imputed_value_floats: Floats = (),
    imputed_value_int64s: Ints = (),
    replaced_value_float: float = 0.0,
    replaced_value_int64: int = 0,
) -> Value:
    values = imputed_value_floats if x.is_float else imputed_value_int64s
    replaced = replaced_value_float if x.is_float else replaced_value_int64
    is_missing = is_nan(x) if math.isnan(replaced) else compare.equal(x, replaced)
    return compare.where(is_missing, _per_feature(x, values, "Imputer"), x)


@table.convert(ML + "OneHotEncoder")
def one_hot_encoder(
    x: Value,
    *,
    cats_int64s: Ints = (),
    zeros: Literal[1] = 1,
) -> Value:
    if not x.is_integer:
        raise Unsupported(f"OneHotEncoder of {x.type}")
    if not cats_int64s or len(set(cats_int64s)) < len(cats_int64s):
        raise BadType(f"OneHotEncoder with {len(cats_int64s)} categories, not all different")
    each = shape.unsqueeze(x.cast(Precision.INT64), [-1])
    return (compare.equal(each, cats_int64s)).cast(Precision.FLOAT32)


@table.convert(ML + "LinearRegressor")
def linear_regressor(
    x: Value,
    *,
    coefficients: Floats = (),
    intercepts: Floats = (),
    post_transform: Literal["NONE"] = "NONE",
    targets: int = 1,
) -> Value:
    if x.rank != 2 or targets < 1 or len(intercepts) not in (0, targets):
        raise BadType(f"LinearRegressor of {x.type} with {targets} targets")
    wide = _to_working_precision(x)
    table = np.array(coefficients, wide.dtype).reshape(targets, -1)
    result = linear.mat_mul(wide, x.model.constant(np.ascontiguousarray(table.T)))
    if intercepts:
        result = result + intercepts
    return result.cast(Precision.FLOAT32)


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
    children = np.concatenate([np.stack(sides, 1), inner + np.arange(leaves)[:, None] + [0, 0]])
    roots = np.array(tree_roots, np.int64)
    tables = (
        _pad_table(_splits(_cast_table(nodes_splits, x), modes, members), leaves, np.nan),
        _pad_table(_cast_table(leaf_weights, x)[:, None], -inner, 0),
        roots,
        _pad_table(np.array(nodes_featureids, np.int64), leaves, 0),
        _pad_table(modes, leaves, 0),
        _pad_table(np.array(missing, np.bool_), leaves, False),
        children,
        _pad_table(np.array(leaf_targetids, np.int64)[:, None], -inner, -1),
    )
    return features.tree_ensemble(
        x,
        *map(x.model.constant, tables),
        n_targets=n_targets,
        depth=_depth(roots, children),
        aggregate=features.AGGREGATES[aggregate_function],
    )


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
