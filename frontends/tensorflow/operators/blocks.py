"""TensorFlow's moves between space, batch and channels."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.recipes import blocks

from ...table import Table

table = Table()


@table.convert("SpaceToBatchND")
def space_to_batch_nd(input: Value, block_shape: tuple[int, ...], paddings: Index) -> Value:
    return blocks.space_to_batch(input, block_shape, paddings)


@table.convert("SpaceToBatch")
def space_to_batch(input: Value, paddings: Index, *, block_size: int) -> Value:
    return blocks.space_to_batch(input, (block_size, block_size), paddings)


@table.convert("BatchToSpaceND")
def batch_to_space_nd(input: Value, block_shape: tuple[int, ...], crops: Index) -> Value:
    return blocks.batch_to_space(input, block_shape, crops)


@table.convert("BatchToSpace")
def batch_to_space(input: Value, crops: Index, *, block_size: int) -> Value:
    return blocks.batch_to_space(input, (block_size, block_size), crops)


table.convert("SpaceToDepth")(blocks.space_to_depth)


table.convert("DepthToSpace")(blocks.depth_to_space)
