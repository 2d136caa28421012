"""What moves elements."""

from __future__ import annotations

import numpy as np

from .call import Call, Kernel, Results, moves


def concatenation(call: Call) -> Results:
    return moves(call, np.concatenate(call.arrays("input"), call.integer("axis")))


def reshape(call: Call) -> Results:
    return moves(call, call.array().reshape(call.array("shape")))


def depth_to_space(call: Call) -> Results:
    """Channels, in blocks of rows, then columns, become pixels."""
    x, block = call.array(), call.integer("block_size")
    batch, height, width, depth = x.shape
    split = x.reshape(batch, height, width, block, block, depth // block**2)
    sizes = batch, height * block, width * block, depth // block**2
    return moves(call, split.transpose(0, 1, 3, 2, 4, 5).reshape(sizes))


def space_to_depth(call: Call) -> Results:
    """The reverse."""
    x, block = call.array(), call.integer("block_size")
    batch, height, width, depth = x.shape
    split = x.reshape(batch, height // block, block, width // block, block, depth)
    sizes = batch, height // block, width // block, depth * block**2
    return moves(call, split.transpose(0, 1, 3, 2, 4, 5).reshape(sizes))


KERNELS: dict[str, Kernel] = {
    "CONCATENATION": concatenation,
    "RESHAPE": reshape,
    "DEPTH_TO_SPACE": depth_to_space,
    "SPACE_TO_DEPTH": space_to_depth,
}
