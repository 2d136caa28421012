"""NNAPI's operations that move elements."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.ops import shape

from ...table import Table

table = Table()


@table.convert("CONCATENATION")
def concatenation(*input: Value, axis: int) -> Value:
    return shape.concat(*input, axis=axis)


@table.convert("RESHAPE")
def reshape(input: Value, shape_: Index) -> Value:
    return shape.reshape_exact(input, shape_)


@table.convert("DEPTH_TO_SPACE")
def depth_to_space(input: Value, *, block_size: int) -> Value:
    """Channels, in blocks of rows, then columns, become pixels."""
    batch, height, width, depth = input.shape
    b, rest = block_size, depth // block_size**2
    split = shape.reshape(input, [batch, height, width, b, b, rest])
    mixed = shape.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    return shape.reshape(mixed, [batch, height * b, width * b, rest])


@table.convert("SPACE_TO_DEPTH")
def space_to_depth(input: Value, *, block_size: int) -> Value:
    """The reverse."""
    batch, height, width, depth = input.shape
    b = block_size
    split = shape.reshape(input, [batch, height // b, b, width // b, b, depth])
    mixed = shape.transpose(split, perm=(0, 1, 3, 2, 4, 5))
    return shape.reshape(mixed, [batch, height // b, width // b, depth * b * b])
