"""NNRt's largest elements."""

from __future__ import annotations

from ... import build
from ...broadcast import axis_of
from ...model import Index, Value
from ...ops import index, sort
from ...types import Precision
from . import Recipes


def top_k(input: Value, k: Index, *, sorted: bool, axis: int = -1) -> tuple[Value, Value]:
    """The `k` largest along an axis and where they are, falling or, unless `sorted`, rising."""
    place = axis_of(axis, input.rank)
    count = build.reshape(build.int64(k), [1])
    found = sort.top_k(input, count, axis=place, return_indices_dtype=Precision.INT32)
    if sorted:
        return found[0], found[1]
    values, places = (index.slice_(v, [place], [-1], [build.FRONT], [-1]) for v in found)
    return values, places


RECIPES: Recipes = {"TOP_K": top_k}
