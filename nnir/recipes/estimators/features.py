"""Features: labels in numbers, scales, gaps, categories, and rows of several of them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ...dim import Expr
from ...errors import BadType, Unsupported
from ...model import Value
from ...ops import compare, index, reduce, shape
from ...types import Precision
from ..distance import vector_norm
from ..unary import is_nan
from .scores import Floats, Ints, rows_of, to_working_precision


def take_columns(x: Value, y: Value) -> Value:
    """The features of rows [N, F], or of one row [F], at the positions `y`."""
    if not x.rank:
        raise BadType(f"features of {x.type}")
    rows = shape.unsqueeze(x, [0]) if x.rank == 1 else x
    return index.gather(rows, shape.reshape(y, [-1]), axis=-1)


def binarize(x: Value, *, threshold: float = 0.0) -> Value:
    """1 where an element is above the threshold, exactly for integers too, else 0."""
    if x.is_float:
        above = x > threshold
    elif threshold < (kind := np.iinfo(x.dtype)).min:
        above = x >= kind.min
    else:
        above = x > (math.floor(threshold) if threshold < kind.max else kind.max)
    return above.cast(x.precision)


def encode_labels(x: Value, keys: np.ndarray, values: np.ndarray, default: np.ndarray) -> Value:
    """The value [K] of the last key [K] that is equal to each element, or the default, a number.

    A NaN is equal to a NaN here.
    """
    if len(keys) != len(values) or not len(keys):
        raise BadType(f"an encoding of {len(keys)} keys by {len(values)} values")
    if default.size != 1 or default.dtype != values.dtype:
        raise BadType(f"an encoding by {values.dtype} with a default of {default.dtype}")
    each, none = shape.unsqueeze(x, [-1]), x.model.constant([0])
    places = np.arange(1, len(keys) + 1)
    found = compare.where(compare.equal(each, x.model.constant(keys)), places, none)
    nans = places[keys != keys]
    if nans.size:
        found = shape.concat(found, compare.where(is_nan(each), nans[-1:], none), axis=-1)
    results = x.model.constant(np.append(default, values))
    return index.gather(results, reduce.reduce_max(found, [-1], keepdim=False))


def scale_features(x: Value, *, offset: Floats = (), scale: Floats = ()) -> Value:
    """(x - offset) * scale in float32, with numbers for all features or for each."""
    wide = to_working_precision(x)
    moved = wide - _per_feature(wide, offset)
    return (moved * _per_feature(wide, scale)).cast(Precision.FLOAT32)


def _per_feature(x: Value, numbers: Floats | Ints) -> Value:
    """One number for all features, or one for each."""
    fits = x.rank and (isinstance(x.shape[-1], Expr) or len(numbers) == x.shape[-1])
    if len(numbers) != 1 and not (fits and numbers):
        raise BadType(f"features of {x.type} with {len(numbers)} numbers")
    return x.model.constant(numbers, x.dtype)


def normalize_rows(x: Value, *, norm: Literal["L1", "L2", "MAX"] = "MAX") -> Value:
    """The last axis divided by its norm, or by its largest element, in float32; 0 divides not."""
    wide = to_working_precision(x)
    if norm == "MAX":
        size = reduce.reduce_max(wide, [-1])
    else:
        size = vector_norm(wide, int(norm[1]), (-1,), keepdim=True)
    return (wide / compare.where(compare.equal(size, 0), 1, size)).cast(Precision.FLOAT32)


def impute(x: Value, missing: float, values: Floats | Ints) -> Value:
    """The elements that are not `missing`, and in the place of those a value of their feature."""
    is_missing = is_nan(x) if math.isnan(missing) else compare.equal(x, missing)
    return compare.where(is_missing, _per_feature(x, values), x)


def encode_categories(x: Value, *, cats_int64s: Ints = ()) -> Value:
    """1.0 at the category of each element along a last axis.

    Floats count as the integers that they are cut to, what no int64 holds as the least one.
    """
    if not (x.is_integer or x.is_float):
        raise Unsupported(f"categories of {x.type}")
    if not cats_int64s or len(set(cats_int64s)) < len(cats_int64s):
        raise BadType(f"{len(cats_int64s)} categories, not all different")
    fits = compare.where(abs(x) < 2.0**63, x, -(2.0**63)) if x.is_float else x
    each = shape.unsqueeze(fits.cast(Precision.INT64), [-1])
    return compare.equal(each, cats_int64s).cast(Precision.FLOAT32)


def join_features(*x: Value, inputdimensions: Ints) -> Value:
    """Rows beside each other as floats, each cut or filled with zeros to its number of features."""
    widths = inputdimensions
    if len(x) != len(widths) or not x or min(widths) < 1:
        raise BadType(f"{len(x)} inputs of {widths} features")
    return shape.concat(*(_fit_width(v, n) for v, n in zip(x, widths, strict=True)), axis=1)


def _fit_width(x: Value, count: int) -> Value:
    """The data as rows of so many floats."""
    rows = rows_of(x, "features")
    width = rows.shape[1]
    if isinstance(width, Expr):
        return index.slice_(shape.pad(rows, [0, 0, 0, count]), [1], [0], [count])
    return rows if width == count else shape.pad(rows, [0, 0, 0, count - width])
