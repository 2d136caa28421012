"""TensorFlow's comparisons and selection."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import activation, binary, compare
from nnir.recipes.compare import select_rows

from ...table import Table

table = Table()
table.same(
    {
        "Greater": compare.greater,
        "GreaterEqual": compare.greater_equal,
        "Less": compare.less,
        "LessEqual": compare.less_equal,
        "SelectV2": compare.where,
    }
)


@table.convert("Equal")
def equal(x: Value, y: Value, *, incompatible_shape_error: bool = True) -> Value:
    if not incompatible_shape_error and not fit(x, y):
        return x.model.constant(np.array(False))
    return compare.equal(x, y)


@table.convert("NotEqual")
def not_equal(x: Value, y: Value, *, incompatible_shape_error: bool = True) -> Value:
    if not incompatible_shape_error and not fit(x, y):
        return x.model.constant(np.array(True))
    return compare.not_equal(x, y)


def fit(x: Value, y: Value) -> bool:
    """Whether shapes broadcast; what is not known is taken to fit, or running is an error."""
    pairs = zip(reversed(x.shape), reversed(y.shape), strict=False)
    known = [p for p in pairs if all(isinstance(d, int) for d in p)]
    return all(a == b or 1 in (a, b) for a, b in known)


@table.convert("Select")
def select(condition: Value, t: Value, e: Value) -> Value:
    return select_rows(condition, t, e)


@table.convert("ApproximateEqual")
def approximate_equal(x: Value, y: Value, *, tolerance: float = 9.999999747378752e-06) -> Value:
    limit = x.model.constant(tolerance, x.dtype)
    return abs(x - y) <= limit


@table.convert("IsNan")
def is_nan(x: Value) -> Value:
    return compare.not_equal(x, x)


@table.convert("IsInf")
def is_inf(x: Value) -> Value:
    return compare.equal(abs(x), x.scalar(np.inf))


@table.convert("IsFinite")
def is_finite(x: Value) -> Value:
    return abs(x) < x.scalar(np.inf)


@table.convert("ClipByValue")
def clip_by_value(t: Value, clip_value_min: Value, clip_value_max: Value) -> Value:
    """CLIP where the limits are known to be in order; where they are not, the lower one wins."""
    low, high = clip_value_min.constant, clip_value_max.constant
    if low is not None and high is not None and not low.ndim and not high.ndim and low <= high:
        return activation.clip(t, clip_value_min, clip_value_max)
    return binary.max_(binary.min_(t, clip_value_max), clip_value_min)
