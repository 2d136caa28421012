"""NNRt's assertion."""

from __future__ import annotations

import numpy as np

from ... import build
from ...model import Value
from ...ops import compare, index, reduce
from ...types import Precision
from . import Recipes


def assert_(condition: Value, *data: Value, summarize: int) -> Value:
    """The condition, where all of it holds; running fails where it does not.

    What would be printed then (`data`, `summarize` elements of each) changes no result.
    """
    model = condition.model
    holds = condition
    if condition.precision != Precision.BOOL8:
        holds = compare.not_equal(condition, condition.scalar(0))
    flat = build.flatten(holds).cast(Precision.INT32)
    least = reduce.reduce_min(flat, [0], keepdim=False)
    place = model.constant(np.int32(1)) - least  # 1 is beyond the one row that there is
    rows = build.reshape(condition, [1, *build.sizes_of(condition)])
    return index.gather(rows, place, axis=0)


RECIPES: Recipes = {"ASSERT": assert_}
