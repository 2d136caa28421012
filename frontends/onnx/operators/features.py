"""Features for classical models: counts of n-grams, and the domain ai.onnx.ml."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, features, index, reduce, shape
from nnir.recipes.distance import vector_norm
from nnir.recipes.unary import is_nan
from nnir.types import Precision

from ...table import Floats, Ints, Table
from .scores import ML, to_working_precision

table = Table()


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
    wide = to_working_precision(x)
    moved = wide - _per_feature(wide, offset, "Scaler")
    return (moved * _per_feature(wide, scale, "Scaler")).cast(Precision.FLOAT32)


def _per_feature(x: Value, numbers: Sequence[float], what: str) -> Value:
    """One number for all features, or one for each."""
    fits = x.rank and (isinstance(x.shape[-1], Expr) or len(numbers) == x.shape[-1])
    if len(numbers) != 1 and not (fits and numbers):
        raise BadType(f"{what} of {x.type} with {len(numbers)} numbers")
    return x.model.constant(numbers, x.dtype)


@table.convert(ML + "Normalizer")
def normalizer(x: Value, *, norm: Literal["L1", "L2", "MAX"] = "MAX") -> Value:
    wide = to_working_precision(x)
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
    """Floats count as the integers that they are cut to, what no int64 holds as the least one."""
    if not (x.is_integer or x.is_float):
        raise Unsupported(f"OneHotEncoder of {x.type}")
    if not cats_int64s or len(set(cats_int64s)) < len(cats_int64s):
        raise BadType(f"OneHotEncoder with {len(cats_int64s)} categories, not all different")
    fits = compare.where(abs(x) < 2.0**63, x, -(2.0**63)) if x.is_float else x
    each = shape.unsqueeze(fits.cast(Precision.INT64), [-1])
    return (compare.equal(each, cats_int64s)).cast(Precision.FLOAT32)


@table.convert(ML + "FeatureVectorizer")
def feature_vectorizer(*x: Value, inputdimensions: Ints) -> Value:
    """Beside each other as floats, each cut or filled with zeros to its number of features."""
    if len(x) != len(inputdimensions) or not x or min(inputdimensions) < 1:
        raise BadType(f"FeatureVectorizer of {len(x)} inputs with {inputdimensions=}")
    parts = [_fit_features(v, n) for v, n in zip(x, inputdimensions, strict=True)]
    return shape.concat(*parts, axis=1)


def _fit_features(x: Value, count: int) -> Value:
    """The data as rows of so many floats."""
    if x.rank not in (1, 2):
        raise BadType(f"FeatureVectorizer of {x.type}, not rows")
    rows = (shape.unsqueeze(x, [0]) if x.rank == 1 else x).cast(Precision.FLOAT32)
    width = rows.shape[1]
    if isinstance(width, Expr):
        return index.slice_(shape.pad(rows, [0, 0, 0, count]), [1], [0], [count])
    return rows if width == count else shape.pad(rows, [0, 0, 0, count - width])
