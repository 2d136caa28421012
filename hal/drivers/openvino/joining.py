"""Channels behind a product with a constant matrix, which OpenVINO takes for its columns.

What follows such a product becomes a part of it, with one number for each column. OpenVINO holds
axis 1 for that of the columns, where the product has rank 4 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .above import BODIES
from .division import is_constant

if TYPE_CHECKING:
    import openvino

ARITHMETIC = frozenset({"Add", "BatchNormInference", "Divide", "Multiply", "Subtract"})
"""What becomes a part of a product, as PRelu does, of which it is so for known sizes too."""

APART = frozenset(
    {
        "AvgPool",
        "Convolution",
        "ConvolutionBackpropData",
        "GroupConvolution",
        "MatMul",
        "MaxPool",
        "ShapeOf",
    }
)
"""What computes between a product and what follows, so that they are not joined."""


def is_behind_product(output: openvino.Output) -> bool:
    """Whether an output may become a part of a product with a constant. One Transpose between
    keeps them apart, of two nothing may be left."""
    reached, seen = [(output.get_node(), 0)], set()
    while reached:
        node, turns = reached.pop()
        name, place = node.get_type_name(), (node.get_name(), turns)
        if name in BODIES:
            return True
        if name == "MatMul" and turns != 1 and any(map(is_constant, node.input_values())):
            return True
        if name in APART or place in seen:
            continue
        seen.add(place)
        above = min(turns + (name == "Transpose"), 2)
        reached += [(v.get_node(), above) for v in node.input_values()]
    return False


def scales_channels(op: str, operands: Sequence[openvino.Output]) -> bool:
    """Whether a node is arithmetic of data, of rank 4 and more and of open sizes, with constants
    that have one number for each channel."""
    if op not in ARITHMETIC or all(o.get_partial_shape().is_static for o in operands):
        return False  # of known sizes all are right
    data, *given = sorted(operands, key=is_constant) if len(operands) == 2 else operands
    shape = data.get_partial_shape()
    if shape.is_static or (rank := shape.rank.get_length()) < 4:
        return False
    return all(map(is_constant, given)) and (len(given) > 1 or _is_along_channels(given[0], rank))


def _is_along_channels(constant: openvino.Output, rank: int) -> bool:
    sizes = [n.get_length() for n in constant.get_partial_shape()]
    return [k for k, n in enumerate(sizes, rank - len(sizes)) if n > 1] == [1]
