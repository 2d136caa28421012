"""NNRt's tensors that are made of numbers."""

from __future__ import annotations

import numpy as np

from ... import build
from ...errors import BadType
from ...formats.nnrt.enums import DataType, member
from ...model import Index, Value
from ...ops import generate
from . import Recipes


def fill(value: Value, shape: Index) -> Value:
    """One element everywhere."""
    number = value if not value.rank else build.reshape(value, [])
    return generate.fill(build.int64(shape), number)


def range_(input: Value, *, start: int, limit: int, delta: int) -> Value:
    """From `start` up to `limit` in steps; the input only says the type."""
    if not delta:
        raise BadType(f"RANGE from {start} to {limit} with delta=0")
    bounds = (input.model.constant(np.array(n, input.dtype)) for n in (start, limit, delta))
    return generate.range_(*bounds)


def constant_of_shape(input: Index, *, data_type: int, value: float) -> Value:
    """A number of a data type everywhere."""
    kind = member(DataType, data_type).precision
    number = input.model.constant(np.array(value).astype(kind.dtype))
    return generate.fill(build.int64(input), number)


RECIPES: Recipes = {
    "CONSTANT_OF_SHAPE": constant_of_shape,
    "FILL": fill,
    "RANGE": range_,
}
