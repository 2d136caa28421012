"""NNAPI's operations that move elements."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.ops import shape
from nnir.recipes import blocks

from ...table import Table

table = Table()


@table.convert("CONCATENATION")
def concatenation(*input: Value, axis: int) -> Value:
    return shape.concat(*input, axis=axis)


@table.convert("RESHAPE")
def reshape(input: Value, shape_: Index) -> Value:
    return shape.reshape_exact(input, shape_)


table.convert("DEPTH_TO_SPACE")(blocks.depth_to_space)
table.convert("SPACE_TO_DEPTH")(blocks.space_to_depth)
