"""TensorFlow's slices: bounds for some axes, and masks for what Python writes `...`, `None`."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import NotConstant
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes.slices import Masks, slice_from, slice_strided, slice_with_masks

from ...table import Table

table = Table()


table.convert("StridedSlice")(slice_with_masks)


@table.convert("TensorStridedSliceUpdate")
def tensor_strided_slice_update(
    input: Value,
    begin: Index,
    end: Index,
    strides: Index,
    value: Value,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Value:
    """The places of the slice are those of a slice of all places."""
    if not input.is_static:
        raise NotConstant(f"an update of a slice of {input.type}")
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    count = int(np.prod([int(d) for d in input.shape]))  # type: ignore[arg-type]
    numbers = input.model.constant(build.arange(count).reshape(input.shape))
    places = slice_strided(numbers, begin, end, strides, masks)
    updates = value if value.shape == places.shape else _like(value, places)
    line = index.scatter_nd(
        build.flatten(input), shape.unsqueeze(build.flatten(places), [1]), build.flatten(updates)
    )
    return shape.reshape_exact(line, list(input.shape))


def _like(value: Value, places: Value) -> Value:
    if any(isinstance(d, Expr) for d in places.shape):
        raise NotConstant("an update of a slice whose bounds are only known while running")
    return shape.expand(value, list(places.shape))


table.convert("Slice")(slice_from)
